import Foundation
import MeroKit

/// `GET` and `POST /groups/{id}/governance-intents`.
///
/// Spec: 60, sections 1.5 and 1.6.
extension RelayService {
    func describeGovernance(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let group = try Self.groupId(call)
            guard groups.read({ $0[group] }) != nil else { throw Self.unknownGroup }
            return Self.data(
                .object(
                    executor + [
                        JsonMember(name: "groupId", value: .string(group)),
                        JsonMember(name: "canActOnBehalf", value: .bool(standing(in: group).refusal == nil)),
                    ]))
        }
    }

    func govern(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call.request, ["warrant", "authorProof", "op"])
            let (warrantText, proofText, opText) = try Self.shaped {
                (try fields.string("warrant"), try fields.string("authorProof"), try fields.string("op"))
            }
            let scope = try Self.groupId(call)
            let warrant: GovernanceWarrant = try Self.warrant(
                warrantText, "governance warrant", domain: "calimero.governance-warrant.v1")
            let credential = try Self.credential(proofText)
            let opBytes = try Self.bytes(opText, "op")
            guard Hex.encode(warrant.scope) == scope else {
                throw NodeRefusal(
                    403, "this governance warrant is for a different group than the one it was presented in")
            }
            let op = try DelegatedOpReader.read(warrant.kind, opBytes)
            guard Warrants.governanceOpHash(.init(kind: warrant.kind, bytes: opBytes)) == warrant.opHash else {
                throw NodeRefusal(403, "this governance warrant does not cover the op presented with it")
            }
            try checkExpiry(warrant.tail, "this governance warrant")
            try Self.verify(
                warrant, account: warrant.authorAccount, credential, "governance delegation does not verify")
            guard Hex.encode(warrant.executor) == identity.accountId else {
                throw NodeRefusal(403, "this governance warrant names an executor other than this node's account")
            }
            guard Hex.encode(warrant.executorKey) == identity.nodeKey else {
                throw NodeRefusal(403, "this governance warrant names an executor key other than this node's")
            }
            try checkPlace(op, warrant.kind, scope, credential.statement)
            return try apply(op, warrant, credential, scope)
        }
    }

    /// Whether the op belongs to this scope, and author and executor may act there at all. Throws `NodeRefusal`.
    private func checkPlace(
        _ op: DelegatedOp, _ kind: Warrants.GovernanceOp.Kind, _ scope: String, _ certificate: DeviceCertificate
    ) throws {
        let author = Hex.encode(certificate.account)
        if case .namespaceCreated(let founder, let proof, let salt) = op {
            guard founder == author, try GovernanceOps.foundedNamespaceId(founder: founder, salt: salt) == scope else {
                throw NodeRefusal(403, "this namespace id is not one the warrant's author founds")
            }
            return try Self.check(embedded: proof, is: certificate)
        }
        guard let namespace = groups.read({ $0.namespace(of: scope) }) else { throw Self.unknownGroup }
        guard kind == .group || namespace == scope else {
            throw NodeRefusal(400, "a root op is posted to the namespace, not to one of its groups")
        }
        try checkDevices(certificate, in: scope)
        guard groups.role(of: author, in: scope) != nil else {
            throw NodeRefusal(403, "the author's account is not a member of this group")
        }
        if let refusal = standing(in: scope).refusal {
            throw NodeRefusal(403, "the executor may not act for members in this group: \(refusal.text)")
        }
        if case .memberJoinedOpen(let member, _, let proof) = op {
            guard member == author else { throw NodeRefusal(403, "an account joins for itself only") }
            try Self.check(embedded: proof, is: certificate)
        }
    }

    private static func check(embedded proof: Credential, is certificate: DeviceCertificate) throws {
        guard (try? proof.verify()) != nil, proof.statement == certificate else {
            throw NodeRefusal(
                400, "governance delegation does not verify: the op carries another credential than the author's")
        }
    }

    /// Carries the op out, all or nothing, and spends its nonce when it took hold.
    private func apply(
        _ op: DelegatedOp, _ warrant: GovernanceWarrant, _ credential: Credential, _ scope: String
    ) throws -> DevHttpResponse {
        let nonce = warrant.tail.nonce
        let account = NonceLedger.Account(scope: .group, id: scope, device: Hex.encode(warrant.deviceKey))
        guard ledger.reserve(nonce, account) else {
            throw NodeRefusal(403, "this governance warrant has already been spent")
        }
        do {
            guard groups.knows(heads: warrant.tail.governanceFloor.map { Hex.encode($0) }, of: scope) else {
                throw NodeRefusal(403, "this relay has not reached the governance floor that the warrant cites")
            }
            let author = Hex.encode(credential.statement.account)
            var outcome = GovernanceOutcome(groupId: scope)
            try groups.change { outcome = try perform(op, scope, by: author, &$0) }
            try ledger.spend(nonce, account)
            groups.learn(credential.statement)
            announce(outcome)
            return Self.data(answer(op, outcome))
        } catch {
            ledger.release(nonce, account)
            throw error
        }
    }

    private func answer(_ op: DelegatedOp, _ outcome: GovernanceOutcome) -> JsonTree {
        var members = [JsonMember(name: "groupId", value: .string(outcome.groupId))]
        if case .namespaceCreated = op {
            members.append(JsonMember(name: "teeEnabled", value: .bool(options.foundingTeeError == nil)))
            if let error = options.foundingTeeError {
                members.append(JsonMember(name: "teeError", value: .string(error)))
            }
        }
        return .object(members)
    }

    /// Tells the groups what happened.
    func announce(_ outcome: GovernanceOutcome) {
        for context in outcome.deletedContexts { _ = try? contexts.remove(context) }
        hub.announce(outcome.events, namespace: groups.read { $0.namespace(of: outcome.groupId) } ?? outcome.namespace)
    }
}

/// What an op did, for those who are to hear of it.
struct GovernanceOutcome: Sendable {
    /// The group acted on.
    var groupId: String
    var events: [GroupEvent] = []
    /// Where, when the group is gone.
    var namespace: String?
    var deletedContexts: [String] = []
}
