import MeroKit

/// Which trusted environments a namespace lets in: by what they measure, or by who released what they run.
///
/// Spec: 30, section 8.1.
struct TeeAdmissionPolicy: Sendable, Equatable {
    struct Release: Sendable, Equatable {
        var profiles: [String]
        /// `X.Y.Z`.
        var minVersion: String?
    }

    /// `mrtd`, then the four run-time registers, by the names of the wire.
    static let lists = ["allowedMrtd", "allowedRtmr0", "allowedRtmr1", "allowedRtmr2", "allowedRtmr3"]

    /// In the order of ``lists``.
    var measurements: [[String]] = [[], [], [], [], []]
    var tcbStatuses: [String] = []
    var acceptsMock = false
    /// Instead of measurements.
    var release: Release?
    var isForRelays = false

    /// What a trusted environment becomes that it admits.
    var role: DevRole { isForRelays ? .relayTee : .readOnlyTee }

    /// What a proof for it has to be about.
    var op: OwnerOp {
        let mode: OwnerOp.TeeMode = isForRelays ? .relay : .replica
        if let release {
            return .teeReleaseAdmissionPolicy(
                OwnerOp.TeeReleaseAdmission(
                    allowedProfiles: release.profiles, minReleaseVersion: release.minVersion,
                    allowedTcbStatuses: tcbStatuses, acceptMock: acceptsMock, mode: mode))
        }
        return .teeAdmissionPolicy(
            OwnerOp.TeeAdmission(
                allowedMrtd: measurements[0], allowedRtmr0: measurements[1], allowedRtmr1: measurements[2],
                allowedRtmr2: measurements[3], allowedRtmr3: measurements[4], allowedTcbStatuses: tcbStatuses,
                acceptMock: acceptsMock, mode: mode))
    }

    /// The answer of `GET …/settings/tee-admission-policy`; without a policy everything is empty.
    static func wire(_ policy: TeeAdmissionPolicy?) -> JsonTree {
        let held = policy ?? TeeAdmissionPolicy()
        var members = [JsonMember(name: "enabled", value: .bool(policy != nil))]
        for (name, list) in zip(lists, held.measurements) {
            members.append(JsonMember(name: name, value: JsonTree(list)))
        }
        members.append(JsonMember(name: "allowedTcbStatuses", value: JsonTree(held.tcbStatuses)))
        members.append(JsonMember(name: "acceptMock", value: .bool(held.acceptsMock)))
        if let release = held.release {
            var signed = [JsonMember(name: "allowedProfiles", value: JsonTree(release.profiles))]
            if let version = release.minVersion {
                signed.append(JsonMember(name: "minReleaseVersion", value: .string(version)))
            }
            members.append(JsonMember(name: "signedRelease", value: .object(signed)))
        }
        members.append(JsonMember(name: "mode", value: held.isForRelays ? "relay" : "replica"))
        return .object(members)
    }
}

extension TeeAdmissionPolicy {
    /// How it is kept.
    var tree: JsonTree {
        [
            "measurements": .array(measurements.map { JsonTree($0) }), "tcb": JsonTree(tcbStatuses),
            "mock": .bool(acceptsMock), "relay": .bool(isForRelays),
            "release": release.map {
                ["profiles": JsonTree($0.profiles), "min": $0.minVersion.map { .string($0) } ?? .null]
            } ?? .null,
        ]
    }

    init?(_ tree: JsonTree) {
        let lists = (tree["measurements"]?.arrayValue ?? []).map(\.texts)
        guard lists.count == Self.lists.count else { return nil }
        measurements = lists
        tcbStatuses = tree["tcb"]?.texts ?? []
        acceptsMock = tree["mock"]?.boolValue ?? false
        isForRelays = tree["relay"]?.boolValue ?? false
        if let signed = tree["release"], signed != .null {
            release = Release(profiles: signed["profiles"]?.texts ?? [], minVersion: signed["min"]?.stringValue)
        }
    }
}
