import Foundation
import MeroKit

/// What only the owner may do, and only with the account's root.
///
/// Spec: 30, sections 7 and 8.
extension GroupAdmin {
    func transferOwnership(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["newOwner", "rootProof"])
            var check = BodyCheck()
            let owner = check.id(try AdminBody.shaped { try fields.string("newOwner") }, "newOwner")
            try check.finish()
            try guarded(call, try Self.groupId(call), .transferOwnership(newOwner: owner), fields) { state, id in
                guard let member = state[id]?.members[owner] else {
                    throw NodeRefusal(409, "the new owner is not a direct member of group \(id)")
                }
                guard member.role == .admin else {
                    throw NodeRefusal(409, "the new owner is not an admin of group \(id)")
                }
                let founder = state[id]?.founder
                state.groups[id]?.firstOwner = founder
                state.groups[id]?.owner = owner
            }
            return Self.done
        }
    }

    func changeNamespaceAdmin(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["newAdmin", "rootProof"])
            var check = BodyCheck()
            let admin = check.id(try AdminBody.shaped { try fields.string("newAdmin") }, "newAdmin")
            try check.finish()
            try guarded(call, try Self.groupId(call), .adminChanged(newAdmin: admin), fields, needsRoot: true) {
                state, id in
                guard state[id]?.members[admin] != nil else {
                    throw NodeRefusal(409, "the new admin is not a member of the namespace root")
                }
                state.groups[id]?.members[admin]?.role = .admin
            }
            return Self.done
        }
    }

    func ownerDelete(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["rootProof"])
            let id = try Self.groupId(call)
            let root = groups.read { $0.namespace(of: id) }
            try guarded(call, id, .groupDelete, fields) { state, id in
                guard state.subtree(of: id).allSatisfy({ state[$0]?.contexts.isEmpty ?? true }) else {
                    throw NodeRefusal(409, "group \(id) still has registered contexts")
                }
                _ = state.erase(id)
            }
            if let root { hub.announce([], namespace: root) }
            return Self.done
        }
    }

    /// Runs an owner op behind its guard: all or nothing.
    private func guarded(
        _ call: RouteCall, _ id: String, _ op: OwnerOp, _ fields: JsonFields?, needsRoot: Bool = false,
        _ body: (inout GroupState, String) throws -> Void
    ) throws {
        let proof = try AdminBody.shaped { try fields?.optionalString("rootProof") }
        let guardian = try OwnerGuard(op, proof: proof, identity: identity)
        try change(call, id) { state, actor in
            if needsRoot, state[id]?.parent != nil { throw Self.notARoot }
            try guardian.pass(actor, in: id, &state)
            try body(&state, id)
            return []
        }
    }

    // MARK: - TEE policies

    private static let subgroupPolicy = NodeRefusal(400, "a TEE policy is set on the namespace root, not on a subgroup")

    func setTeeAdmission(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(
                call,
                TeeAdmissionPolicy.lists + ["allowedTcbStatuses", "acceptMock", "signedRelease", "mode", "rootProof"])
            let policy = try TeeAdmissionPolicy(fields)
            try guarded(call, try Self.groupId(call), policy.op, fields) { state, id in
                guard state[id]?.parent == nil else { throw Self.subgroupPolicy }
                state.groups[id]?.teeAdmission = policy
                for group in state.subtree(of: id) {
                    for (account, member) in state[group]?.members ?? [:]
                    where member.role == .readOnlyTee || member.role == .relayTee {
                        state.groups[group]?.members[account]?.role = policy.role
                    }
                }
            }
            return Self.done
        }
    }

    func setTeeAuthoring(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["allowedMrtd", "rootProof"])
            return try author(call, try AdminBody.shaped { try fields.strings("allowedMrtd") }, fields)
        }
    }

    func disableTeeAuthoring(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            try author(call, [], call.request.bodyLength == 0 ? nil : try fields(call, ["rootProof"]))
        }
    }

    private func author(_ call: RouteCall, _ mrtd: [String], _ fields: JsonFields?) throws -> DevHttpResponse {
        try guarded(call, try Self.groupId(call), .teeAuthoringPolicy(allowedMrtd: mrtd), fields) { state, id in
            guard state[id]?.parent == nil else { throw Self.subgroupPolicy }
            state.groups[id]?.teeAuthoring = mrtd
        }
        return Self.done
    }
}

extension TeeAdmissionPolicy {
    /// Throws `NodeRefusal`.
    fileprivate init(_ fields: JsonFields) throws {
        self.init()
        let signed = try AdminBody.shaped { () -> JsonFields? in
            measurements = try Self.lists.map { try fields.strings($0) }
            tcbStatuses = try fields.strings("allowedTcbStatuses")
            acceptsMock = try fields.bool("acceptMock")
            switch try fields.optionalString("mode") {
            case nil, "replica"?: isForRelays = false
            case "relay"?: isForRelays = true
            case let mode?:
                throw JsonShapeProblem(description: "unknown variant `\(mode)`, expected `replica` or `relay`")
            }
            guard let signed = fields.optional("signedRelease") else { return nil }
            return try JsonFields(signed, allowed: ["allowedProfiles", "minReleaseVersion"], what: "a release policy")
        }
        var check = BodyCheck()
        let names = ["allowed_mrtd", "allowed_rtmr0", "allowed_rtmr1", "allowed_rtmr2", "allowed_rtmr3"]
        if let signed {
            let (profiles, version) = try AdminBody.shaped {
                (try signed.strings("allowedProfiles"), try signed.optionalString("minReleaseVersion"))
            }
            for (name, list) in zip(names, measurements) where !list.isEmpty {
                check.fail(name, "must be empty when signed_release is given")
            }
            if profiles.isEmpty || profiles.contains(where: { $0.trimmingCharacters(in: .whitespaces).isEmpty }) {
                check.missing("signed_release.allowed_profiles")
            }
            let normal = version.map(Self.normalized)
            if case .some(.none) = normal {
                check.fail("signed_release.min_release_version", "must be a version such as 2.3.72")
            }
            release = Release(profiles: profiles, minVersion: normal ?? nil)
        } else {
            for (name, list) in zip(names, measurements) where list.isEmpty && name != "allowed_rtmr0" {
                check.missing(name)
            }
        }
        try check.finish()
    }

    /// `X.Y.Z`; nil for what is no version.
    private static func normalized(_ version: String) -> String? {
        let text = version.hasPrefix("v") ? String(version.dropFirst()) : version
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt32($0) }
        let numbers = parts.compactMap { $0 }
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
        return (numbers + [0, 0]).prefix(3).map(String.init).joined(separator: ".")
    }
}
