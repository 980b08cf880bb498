import Foundation
import MeroKit

/// What the node signs to show others whose a group is.
///
/// Spec: 30, section 9.
extension GroupAdmin {
    private static let domain = "calimero.ownership-claim.v1"
    private static let longestFieldBytes = 256
    private static let longestLifeMilliseconds: UInt64 = 300_000

    func issueOwnershipProof(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["audience", "contextId", "subject", "nonce", "expiresAtMs"])
            var check = BodyCheck()
            let context = check.id(try AdminBody.shaped { try fields.string("contextId") }, "contextId")
            let claim = try claim(fields, &check)
            let (id, _) = try place(call) { state, id in
                guard let group = state.groupOfContext[context], state.subtree(of: id).contains(group) else {
                    throw NodeRefusal(404, "the context is not in the namespace rooted at this group")
                }
            }
            return .json(200, .object(try sign(claim, group: id, context: context)))
        }
    }

    func issueNamespaceOwnershipProof(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["audience", "subject", "nonce", "expiresAtMs"])
            var check = BodyCheck()
            let claim = try claim(fields, &check)
            let (id, group) = try place(call) { state, id in
                guard state[id]?.parent == nil else { throw Self.notARoot }
            }
            var members = try sign(claim, group: id, context: "")
            if let salt = group.salt {
                members.append(
                    JsonMember(
                        name: "founding",
                        value: ["founderAccountId": .string(group.founder), "salt": .string(salt)]))
            }
            if let credential = identity.credential {
                members.append(JsonMember(name: "credential", value: .string(credential)))
            }
            return .json(200, .object(members))
        }
    }

    private struct Claim {
        var audience: String
        var subject: String
        var nonce: String
        var expiresAt: UInt64
    }

    private func claim(_ fields: JsonFields, _ check: inout BodyCheck) throws -> Claim {
        let claim = try AdminBody.shaped {
            Claim(
                audience: try fields.string("audience"), subject: try fields.string("subject"),
                nonce: try fields.string("nonce"), expiresAt: try fields.unsigned("expiresAtMs"))
        }
        check.text("audience", claim.audience, max: 256)
        check.text("subject", claim.subject, max: 512)
        if !claim.nonce.count.isMultiple(of: 2) {
            check.fail("nonce", "nonce hex string must have even length")
        } else if !(32...128).contains(claim.nonce.count) || Hex.decode(claim.nonce) == nil {
            check.fail("nonce", "nonce must be hex-encoded, 32..=128 characters")
        }
        if claim.expiresAt <= UInt64(clamping: milliseconds) { check.fail("expiresAtMs", "must be in the future") }
        try check.finish()
        for (name, text) in [("audience", claim.audience), ("subject", claim.subject)] {
            guard text.utf8.count <= Self.longestFieldBytes else {
                throw NodeRefusal(400, "\(name) has more than \(Self.longestFieldBytes) bytes")
            }
            guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw NodeRefusal(400, "\(name) contains control characters")
            }
        }
        return claim
    }

    private func place(
        _ call: RouteCall, _ check: (GroupState, String) throws -> Void
    ) throws -> (String, GroupRecord) {
        let id = try Self.groupId(call)
        let actor = try actor(call)
        return try groups.read { state in
            guard let group = state[id] else { throw RelayService.unknownGroup }
            guard group.members[actor]?.role == .admin else {
                throw NodeRefusal(403, "\(actor) is not a direct admin of group \(id)")
            }
            try check(state, id)
            return (id, group)
        }
    }

    private func sign(_ claim: Claim, group: String, context: String) throws -> [JsonMember] {
        let now = UInt64(clamping: milliseconds)
        let payload: JsonTree = [
            "v": 1, "audience": .string(claim.audience), "group_id": .string(group),
            "issuer_identity": .string(identity.nodeKey), "context_id": .string(context),
            "subject": .string(claim.subject), "nonce": .string(claim.nonce), "issued_at_ms": JsonTree(now),
            "expires_at_ms": JsonTree(min(claim.expiresAt, now + Self.longestLifeMilliseconds)),
        ]
        let signature = try identity.keys.sign(Data(Self.domain.utf8) + [0] + payload.data)
        return [
            JsonMember(name: "signerPublicKey", value: .string(identity.nodeKey)),
            JsonMember(name: "signedPayload", value: .string(payload.data.base64EncodedString())),
            JsonMember(name: "signature", value: .string(signature.base64EncodedString())),
        ]
    }
}

extension NodeCore {
    /// What the owner of a group does with it.
    static func ownerRoutes(_ admin: GroupAdmin) -> [NodeRoute] {
        [
            adminRoute("POST", "/namespaces/{group}/admin") { await admin.changeNamespaceAdmin($0) },
            adminRoute("POST", "/groups/{group}/transfer-ownership") { await admin.transferOwnership($0) },
            adminRoute("POST", "/groups/{group}/owner-delete") { await admin.ownerDelete($0) },
            adminRoute("PUT", "/groups/{group}/settings/tee-admission-policy") { await admin.setTeeAdmission($0) },
            adminRoute("PUT", "/groups/{group}/settings/tee-authoring-policy") { await admin.setTeeAuthoring($0) },
            adminRoute("DELETE", "/groups/{group}/settings/tee-authoring-policy") {
                await admin.disableTeeAuthoring($0)
            },
            adminRoute("POST", "/groups/{group}/issue-ownership-proof") { await admin.issueOwnershipProof($0) },
            adminRoute("POST", "/groups/{group}/issue-namespace-ownership-proof") {
                await admin.issueNamespaceOwnershipProof($0)
            },
        ]
    }
}
