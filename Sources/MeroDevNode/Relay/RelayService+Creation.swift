import Foundation
import MeroKit

/// `GET` and `POST /groups/{id}/context-intents`.
///
/// Spec: 60, sections 1.3 and 1.4.
extension RelayService {
    func describeCreation(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let group = try Self.groupId(call)
            let author = try call.request.query.first { $0.0 == "author" }.map { try Self.id($0.1 ?? "", "author") }
            guard groups.read({ $0[group] }) != nil else { throw Self.unknownGroup }
            var members = executor
            members.append(JsonMember(name: "groupId", value: .string(group)))
            members.append(
                JsonMember(name: "canCreateOnBehalf", value: .bool(standing(in: group).refusal == nil)))
            if let author {
                let may = groups.read { $0.holds(GroupCapability.createContext, author, in: group) }
                members.append(JsonMember(name: "authorMayCreate", value: .bool(may)))
            }
            return Self.data(.object(members))
        }
    }

    /// How the node wants to be named by warrants about groups.
    var executor: [JsonMember] {
        var members = [JsonMember(name: "executorAccount", value: .string(identity.accountId))]
        if options.describesExecutorKey {
            members.append(JsonMember(name: "executorKey", value: spelled(key: identity.nodeKey)))
        }
        return members
    }

    func createContext(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call.request, ["warrant", "authorProof", "initArgs"])
            let (warrantText, proofText) = try Self.shaped {
                (try fields.string("warrant"), try fields.string("authorProof"))
            }
            let arguments = fields.optional("initArgs") ?? [:]
            let group = try Self.groupId(call)
            let warrant: CreationWarrant = try Self.warrant(
                warrantText, "context creation warrant", domain: "calimero.context-creation-warrant.v1")
            let credential = try Self.credential(proofText)
            guard Hex.encode(warrant.group) == group else {
                throw NodeRefusal(
                    403, "this creation warrant authorises a different group than the one it was presented in")
            }
            guard Self.covers(warrant.initHash, arguments) else {
                throw NodeRefusal(
                    403, "this creation warrant does not cover the init arguments presented with it")
            }
            try checkExpiry(warrant.tail, "this creation warrant")
            guard Hex.encode(warrant.executorKey) == identity.nodeKey else {
                throw NodeRefusal(403, "this creation warrant names another executor key than this node's")
            }
            let prefix = "creation delegation does not verify"
            try Self.verify(warrant, account: warrant.authorAccount, credential, prefix)
            guard Hex.encode(warrant.executor) == identity.accountId else {
                throw NodeRefusal(
                    400, "\(prefix): the executor's credential is another account's than the warrant names")
            }
            guard groups.read({ $0[group] }) != nil else { throw Self.unknownGroup }
            try checkCreator(credential.statement, in: group)
            let id = Hex.encode(
                domainHash("dev.context.id", [warrant.group, warrant.seed]))
            let account = NonceLedger.Account(scope: .context, id: id, device: Hex.encode(warrant.deviceKey))
            guard ledger.reserve(warrant.tail.nonce, account) else {
                throw NodeRefusal(403, "this creation warrant has already been spent")
            }
            do {
                let box = try await make(id, warrant, arguments, in: group, credential.statement)
                try ledger.spend(warrant.tail.nonce, account)
                groups.learn(credential.statement)
                hub.recheck()
                return Self.data([
                    "contextId": .string(id), "groupId": .string(group), "memberPublicKey": .string(box.executor),
                ])
            } catch {
                ledger.release(warrant.tail.nonce, account)
                throw error
            }
        }
    }

    private static func covers(_ hash: Data, _ arguments: JsonTree) -> Bool {
        [JsonTree.MemberOrder.read, .bytes].allSatisfy { order in
            arguments.rewritten(order).map { Warrants.creationInitHash(canonicalArguments: $0) == hash } ?? false
        }
    }

    private func checkCreator(_ certificate: DeviceCertificate, in group: String) throws {
        let author = Hex.encode(certificate.account)
        try checkDevices(certificate, in: group)
        guard let role = groups.role(of: author, in: group) else {
            throw NodeRefusal(403, "the author's account is not a member of this group")
        }
        guard role == .admin || role == .member else {
            throw NodeRefusal(403, "the author's role in this group is read-only")
        }
        guard groups.read({ $0.holds(GroupCapability.createContext, author, in: group) }) else {
            throw NodeRefusal(
                403,
                "the author may not create contexts in this group (not an admin and CAN_CREATE_CONTEXT is not set)")
        }
        if let refusal = standing(in: group).refusal {
            throw NodeRefusal(403, "the executor may not act for members in this group: \(refusal.text)")
        }
    }

    /// Runs the application's `init` if it has one; a context that it refuses never was.
    private func make(
        _ id: String, _ warrant: CreationWarrant, _ arguments: JsonTree, in group: String,
        _ certificate: DeviceCertificate
    ) async throws -> ContextBox {
        let application = Hex.encode(warrant.applicationId)
        let target = groups.read { $0[group]?.target }
        let named = target.flatMap { $0.applicationId == application ? $0 : nil }
        let contract =
            named.flatMap { contexts.applications.contract(of: $0) } ?? contexts.contract(ofApplication: application)
        guard let contract else {
            throw NodeRefusal(404, "application \(application) is not installed on this node")
        }
        guard target?.applicationId == application else {
            throw NodeRefusal(409, "this group no longer targets the application that the member signed")
        }
        let collision = NodeRefusal(409, "a context of this seed exists already in this group; pick a fresh seed")
        let program = ContextProgram(
            applicationId: application, contract: contract.name, version: target?.version)
        let box: ContextBox
        do {
            box = try contexts.newBox(contract, id: id, role: .member, program: program)
        } catch DevNodeError.contextExists {
            throw collision
        }
        do {
            if box.isReadOnly("init") != nil {
                _ = try await box.run("init", arguments, as: Hex.encode(certificate.account))
            }
            try contexts.add(box)
        } catch {
            contexts.discard(box)
            guard let failure = error as? RpcFailure else { throw error }
            throw NodeRefusal(400, "the application's init refused: \(failure.data?.stringValue ?? failure.type)")
        }
        try groups.change { state in
            _ = state.attach(context: id, to: group)
            if let name = warrant.name, !name.isEmpty {
                state.groups[group]?.contextMetadata[id] = GroupMetadata(
                    name: name, data: [], updatedAt: milliseconds, updatedBy: Hex.encode(certificate.account))
            }
        }
        return box
    }

    /// Milliseconds since 1970.
    var milliseconds: Int64 { Int64(clock.now.timeIntervalSince1970 * 1000) }
}
