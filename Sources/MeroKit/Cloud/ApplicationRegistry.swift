import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An application as a registry knows it.
///
/// Spec: 70, section 12.
public struct ResolvedApplication: Sendable, Equatable {
    /// 64 hex characters; the same for all versions.
    public let applicationId: String
    /// Who publishes it.
    public let signerId: String
    /// The newest version.
    public let version: String

    /// Makes a value of its parts.
    public init(applicationId: String, signerId: String, version: String) {
        self.applicationId = applicationId
        self.signerId = signerId
        self.version = version
    }
}

/// The registry of applications: what an account founds a namespace on before any node has installed it.
///
/// ```swift
/// let app = try await ApplicationRegistry.resolve(package: "com.example.notes")
/// let application = FoundingApplication(
///     applicationId: app.applicationId, package: "com.example.notes", version: app.version)
/// ```
///
/// Spec: 70, section 12.
public enum ApplicationRegistry {
    /// The hosted registry.
    public static let defaultURL = "https://apps.calimero.network"

    /// Seconds without progress before a request fails.
    static let timeout: TimeInterval = 15

    /// A version of a package.
    public struct Bundle: Sendable, Equatable {
        /// The package.
        public let package: String?
        /// Who signed it.
        public let signerId: String?
        /// The version.
        public let appVersion: String?
        /// It was withdrawn.
        public let yanked: Bool

        /// Makes a value of its parts.
        public init(
            package: String? = nil, signerId: String? = nil, appVersion: String? = nil, yanked: Bool = false
        ) {
            self.package = package
            self.signerId = signerId
            self.appVersion = appVersion
            self.yanked = yanked
        }

        init(_ row: JSONValue) {
            self.init(
                package: row.text("package"), signerId: row.text("signerId"), appVersion: row.text("appVersion"),
                yanked: row.flag("yanked"))
        }
    }

    /// The id of a bundle's application, 64 hex characters. Its version has no part in it.
    ///
    /// - Parameters:
    ///   - package: e.g. `com.example.notes`.
    ///   - signerId: as the registry has it, e.g. `did:key:…`.
    ///
    /// Spec: 50, section 20.
    public static func applicationIdForBundle(package: String, signerId: String) -> String {
        var writer = BorshWriter()
        writer.string(package)
        writer.string(signerId)
        return Hex.encode(sha256(writer.data))
    }

    /// The newest that has a version and was not withdrawn; nil when there is none.
    ///
    /// Compares numbers between dots and dashes, so that `1.0.0-rc.1` counts as newer than `1.0.0`: `resolve` does better.
    public static func selectLatest(_ bundles: [Bundle]) -> Bundle? {
        var best: (bundle: Bundle, version: [Substring])?
        for bundle in bundles where !bundle.yanked {
            guard let text = bundle.appVersion, !text.isEmpty else { continue }
            let version = numbers(of: text)
            // The first of equals stays.
            if let held = best?.version, !isNewer(version, than: held) { continue }
            best = (bundle, version)
        }
        return best?.bundle
    }

    /// The versions of a package that were not withdrawn.
    ///
    /// Throws `MeroError`, `AccountError.invalidInput` for an empty package or what is no URL, and `CancellationError`.
    ///
    /// - Parameters:
    ///   - registryURL: The registry's base URL.
    ///   - package: The package, e.g. `com.example.notes`.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - options: Limits and trust. A registry is no node: sealing plays no part.
    public static func bundles(
        registryURL: String = defaultURL, package: String, session: URLSession? = nil,
        options: HttpOptions = HttpOptions()
    ) async throws -> [Bundle] {
        try await bundles(
            registryURL: registryURL, package: package,
            engine: EngineChoice.carrier(session: session, options: options))
    }

    /// What a version's bundle says of itself, as the registry has it; nil when it has no such version.
    ///
    /// Throws `MeroError`, `AccountError.invalidInput` for an empty package or version or what is no URL, and
    /// `CancellationError`.
    ///
    /// - Parameters:
    ///   - registryURL: The registry's base URL.
    ///   - package: The package, e.g. `com.example.notes`.
    ///   - version: The version, as the registry lists it.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - options: Limits and trust. A registry is no node: sealing plays no part.
    public static func manifest(
        registryURL: String = defaultURL, package: String, version: String, session: URLSession? = nil,
        options: HttpOptions = HttpOptions()
    ) async throws -> JSONValue? {
        let base = try base(registryURL)
        guard !package.isEmpty, !version.isEmpty else {
            throw AccountError.invalidInput("a package and a version are needed")
        }
        let http = URLSessionHttpClient(
            baseURL: base, timeout: timeout, engine: EngineChoice.carrier(session: session, options: options),
            options: options)
        do {
            let manifest = try await http.call(RegistryEndpoints.manifest, package, version)
            guard manifest.objectValue != nil else { throw MeroError.decoding("the registry's manifest is no object") }
            return manifest
        } catch MeroError.http(let answer) where answer.status == 404 {
            return nil
        }
    }

    /// The application that a package is, with its newest version: a release, unless there are only pre-releases.
    ///
    /// Throws `AccountError.invalidInput` when the registry has no version or publisher of it, or more than one publisher:
    /// their applications are different ones. Else what `bundles` throws.
    public static func resolve(
        registryURL: String = defaultURL, package: String, session: URLSession? = nil,
        options: HttpOptions = HttpOptions()
    ) async throws -> ResolvedApplication {
        try resolve(
            package,
            among: try await bundles(registryURL: registryURL, package: package, session: session, options: options))
    }

    /// Where a version's bundle is downloaded. Throws `AccountError.invalidInput`.
    public static func artifactURL(
        registryURL: String = defaultURL, package: String, version: String
    ) throws -> URL {
        let base = try base(registryURL)
        guard !package.isEmpty, !version.isEmpty else {
            throw AccountError.invalidInput("a package and a version are needed")
        }
        let (name, number) = (PathTemplate.percentEncoded(package), PathTemplate.percentEncoded(version))
        guard let origin = RequestTarget(base.absoluteString),
            let url = URL(
                string: "\(origin.url.dropLast(origin.path.count))/artifacts/\(name)/\(number)/\(name)-\(number).mpk")
        else { throw AccountError.invalidInput("the registry's URL cannot be used") }
        return url
    }

    static func resolve(_ package: String, among bundles: [Bundle]) throws -> ResolvedApplication {
        let offered = bundles.filter { !$0.yanked }
        let signers = Set(offered.compactMap(\.signerId)).filter { !$0.isEmpty }.sorted()
        guard signers.count <= 1 else {
            throw AccountError.invalidInput(
                "\(signers.count) publishers offer \(package) (\(signers.joined(separator: ", "))): "
                    + "refusing to guess which application it is")
        }
        let releases = offered.filter { $0.appVersion?.contains("-") == false }
        guard let version = (selectLatest(releases) ?? selectLatest(offered))?.appVersion else {
            throw AccountError.invalidInput("the registry lists no version of \(package)")
        }
        guard let signer = signers.first else {
            throw AccountError.invalidInput("the registry names no publisher for \(package)")
        }
        return ResolvedApplication(
            applicationId: applicationIdForBundle(package: package, signerId: signer), signerId: signer,
            version: version)
    }

    static func bundles(registryURL: String, package: String, engine: any HttpEngine) async throws -> [Bundle] {
        let base = try base(registryURL)
        guard !package.isEmpty else { throw AccountError.invalidInput("package is empty") }
        let http = URLSessionHttpClient(baseURL: base, timeout: timeout, engine: engine)
        let rows = try await RegistryListing.rows(of: package, at: "", http)
        return rows.map(Bundle.init)
            // A registry that does not know the question answers with everything it has.
            .filter { !$0.yanked && ($0.package == nil || $0.package == package) }
    }

    private static func base(_ registryURL: String) throws -> URL {
        let text = RelayOrigin.trimmed(registryURL)
        guard RequestTarget(text) != nil, let url = URL(string: text) else {
            throw AccountError.invalidInput("the registry's URL is no http or https URL")
        }
        return url
    }

    /// The digits of each part, without leading zeros; none for a part that is no number.
    private static func numbers(of version: String) -> [Substring] {
        version.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "-" }.map { part in
            part.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? part.drop { $0 == "0" } : ""
        }
    }

    private static func isNewer(_ one: [Substring], than other: [Substring]) -> Bool {
        for index in 0..<max(one.count, other.count) {
            let left = index < one.count ? one[index] : ""
            let right = index < other.count ? other[index] : ""
            if left != right { return left.count != right.count ? left.count > right.count : left > right }
        }
        return false
    }
}

/// A registry's answer about one package.
///
/// Spec: 70, section 12.
enum RegistryListing {
    /// All versions, the withdrawn ones too; from a registry that refuses to list them, what it has.
    ///
    /// - Parameter origin: Stands before the path; empty for the client's own.
    static func rows(of package: String, at origin: String, _ http: any HttpClient) async throws -> [JSONValue] {
        do {
            return try await list([("package", package), ("all_versions", "true")], origin, http)
        } catch MeroError.http(let answer) where answer.status == 400 {
            return try await list([("package", package)], origin, http)
        }
    }

    private static func list(
        _ query: [(name: String, value: String)], _ origin: String, _ http: any HttpClient
    ) async throws -> [JSONValue] {
        var request = try RegistryEndpoints.bundles.request(query: query)
        request.path = origin + request.path
        return try await http.send(request)
    }
}
