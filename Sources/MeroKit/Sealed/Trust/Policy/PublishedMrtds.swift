import Foundation

/// What a release of the node image publishes of its measurements: the file `published-mrtds.json`.
///
/// To read one is not to trust it: see `verifySignedNodeRelease`. Spec: 80, section 6.2.
public struct PublishedMrtds: Sendable, Equatable {
    static let maximumSize = 1 << 20

    /// One variant of the image.
    public struct Profile: Sendable, Equatable {
        /// What an environment that runs it measures.
        public var measurements: TdMeasurements
        /// In lower case, e.g. `uptodate`; nil when the release does not say.
        public var allowedTcbStatuses: [String]?

        /// Makes a value of its parts.
        public init(measurements: TdMeasurements, allowedTcbStatuses: [String]? = nil) {
            self.measurements = measurements
            self.allowedTcbStatuses = allowedTcbStatuses
        }
    }

    /// `node` for a node image; nil when the file does not say.
    public var role: String?
    /// The version, e.g. `2.3.87`.
    public var tag: String?
    /// By name: `locked-read-only`, `debug` and others.
    public var profiles: [String: Profile]

    /// Makes a value of its parts.
    public init(role: String? = "node", tag: String? = nil, profiles: [String: Profile]) {
        self.role = role
        self.tag = tag
        self.profiles = profiles
    }

    /// Reads a file. Throws `AttestationError`, `.malformed`, for what is none.
    public init(file: Data) throws(AttestationError) {
        guard file.count <= Self.maximumSize, let json = try? JSONValue(jsonBytes: file) else {
            throw AttestationError(.malformed, "The release's file is not JSON")
        }
        try self.init(json: json)
    }

    /// The same, read before. Throws `AttestationError`, `.malformed`.
    public init(json: JSONValue) throws(AttestationError) {
        guard let profiles = json["profiles"]?.objectValue else { throw Self.notMeasurements }
        role = try Self.text(json["role"])
        tag = try Self.text(json["tag"])
        self.profiles = [:]
        for (name, profile) in profiles { self.profiles[name] = try Self.profile(profile) }
    }

    private static func profile(_ json: JSONValue) throws(AttestationError) -> Profile {
        guard let mrtd = json["mrtd"]?.stringValue, let rtmr0 = json["rtmr0"]?.stringValue,
            let rtmr1 = json["rtmr1"]?.stringValue, let rtmr2 = json["rtmr2"]?.stringValue,
            let rtmr3 = json["rtmr3"]?.stringValue
        else { throw notMeasurements }
        var profile = Profile(
            measurements: TdMeasurements(mrtd: mrtd, rtmr0: rtmr0, rtmr1: rtmr1, rtmr2: rtmr2, rtmr3: rtmr3))
        if let list = json["allowed_tcb_statuses"], list != .null {
            let texts = list.arrayValue?.compactMap(\.stringValue)
            guard let texts, texts.count == list.arrayValue?.count else { throw notMeasurements }
            profile.allowedTcbStatuses = texts
        }
        return profile
    }

    /// A text that may be missing, but not be something else.
    private static func text(_ json: JSONValue?) throws(AttestationError) -> String? {
        guard let json, json != .null else { return nil }
        guard let text = json.stringValue else { throw notMeasurements }
        return text
    }

    static let notMeasurements = AttestationError(
        .malformed, "The release's file is not one of a node image's measurements")
}
