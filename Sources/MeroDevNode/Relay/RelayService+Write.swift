import Foundation
import MeroKit

/// `GET` and `POST /contexts/{id}/intents`.
///
/// Spec: 60, sections 1.1 and 1.2.
extension RelayService {
    func describe(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let raw = call.parameters["context"] ?? ""
            let id: String
            do {
                id = try ContextRuntime.checkedId(raw)
            } catch {
                throw NodeRefusal(400, "context id '\(raw)' is not valid: \(error.localizedDescription)")
            }
            guard let box = contexts[id], let group = groups.group(ofContext: id) else { throw Self.noGroup }
            guard hasIdentity(in: group, box) else { throw Self.noIdentity }
            guard let target = groups.read({ $0[group]?.target }) else {
                throw NodeRefusal(
                    404, "the group owning this context names no release yet, so no warrant can pin the one it is for")
            }
            let standing = standing(in: group, box)
            var members = [
                JsonMember(name: "executorAccount", value: .string(identity.accountId)),
                JsonMember(name: "canAuthorOnBehalf", value: .bool(standing.refusal == nil)),
                JsonMember(name: "groupId", value: .string(group)),
            ]
            if let granted = standing.grantedOn {
                members.append(JsonMember(name: "grantedOnGroupId", value: .string(granted)))
            }
            if options.describesExecutorKey {
                members.append(JsonMember(name: "executorKey", value: spelled(key: box.executor)))
            }
            if options.describesRelease {
                members.append(JsonMember(name: "releaseBytecodeId", value: .string(target.bytecodeId)))
                members.append(JsonMember(name: "releaseVersion", value: .string(target.version)))
            }
            return Self.data(.object(members))
        }
    }

    func write(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call.request, ["method", "argsJson", "warrant", "authorProof"])
            let (method, arguments, warrantText, proofText) = try Self.shaped {
                (
                    try fields.string("method"), try fields.value("argsJson"), try fields.string("warrant"),
                    try fields.string("authorProof")
                )
            }
            let warrant: WriteWarrant = try Self.warrant(
                warrantText, "statement", domain: "calimero.warrant.v2")
            let credential = try Self.credential(proofText)
            let prefix = "delegation does not verify"
            try Self.verify(warrant, account: warrant.authorAccount, credential, prefix)
            let (box, group) = try governed(call)
            try checkExecutor(warrant, box, prefix)
            guard Hex.encode(warrant.context) == box.id else {
                throw NodeRefusal(
                    403, "this warrant authorises a different context than the one it was presented in")
            }
            guard warrant.method == method, Self.covers(warrant.intentHash, method, arguments) else {
                throw NodeRefusal(
                    403,
                    "this warrant does not cover the intent presented with it: it commits to a different method or "
                        + "arguments")
            }
            try checkExpiry(warrant.tail, "this warrant")
            guard let target = groups.read({ $0[group]?.target }),
                Hex.encode(warrant.releaseBytecodeId) == target.bytecodeId
            else {
                throw NodeRefusal(
                    403, "this warrant pins another release than the one that runs in this context; sign it anew")
            }
            if let refusal = standing(in: group, box).refusal { throw refusal }
            try checkAuthor(credential.statement, in: group, box)
            let account = NonceLedger.Account(
                scope: .context, id: box.id, device: Hex.encode(warrant.deviceKey))
            guard ledger.reserve(warrant.tail.nonce, account) else {
                throw NodeRefusal(403, "this warrant's nonce has already been spent by this author device")
            }
            return try await run(warrant, box, group, arguments, credential, account)
        }
    }

    private func checkExecutor(_ warrant: WriteWarrant, _ box: ContextBox, _ prefix: String) throws {
        guard Hex.encode(warrant.executorKey) == box.executor else {
            throw NodeRefusal(403, "this warrant names another executor key than this node's in this context")
        }
        guard Hex.encode(warrant.executor) == identity.accountId else {
            throw NodeRefusal(400, "\(prefix): the executor's credential is another account's than the warrant names")
        }
    }

    /// A node keeps the members of an object either as they came or sorted, and a client cannot know which: a warrant has
    /// to stand for both.
    private static func covers(_ hash: Data, _ method: String, _ arguments: JsonTree) -> Bool {
        [JsonTree.MemberOrder.read, .bytes].allSatisfy { order in
            arguments.rewritten(order).map {
                Warrants.intentHash(method: method, canonicalArguments: $0) == hash
            } ?? false
        }
    }

    /// The author's side of the group. Throws `NodeRefusal`.
    private func checkAuthor(_ certificate: DeviceCertificate, in group: String, _ box: ContextBox) throws {
        try checkDevices(certificate, in: group)
        let role = groups.role(of: Hex.encode(certificate.account), in: group)
        guard let role, box.read({ $0.condition != .notMember }) else {
            throw NodeRefusal(403, "the author's account is not a member of the group owning this context")
        }
        guard role == .admin || role == .member else {
            throw NodeRefusal(403, "the author's role in this context is read-only")
        }
        if box.read({ $0.condition == .membershipCheckFailed }) {
            throw NodeRefusal(503, "the author's authority cannot be decided yet")
        }
    }

    /// Runs what a reserved nonce pays for, and spends it when something was written.
    private func run(
        _ warrant: WriteWarrant, _ box: ContextBox, _ group: String, _ arguments: JsonTree, _ credential: Credential,
        _ account: NonceLedger.Account
    ) async throws -> DevHttpResponse {
        let nonce = warrant.tail.nonce
        let author = Hex.encode(credential.statement.account)
        do {
            guard groups.knows(heads: warrant.tail.governanceFloor.map { Hex.encode($0) }, of: group) else {
                throw NodeRefusal(
                    403,
                    "the delta's governance cut does not reach the governance floor its warrant was signed against; "
                        + "the relay must sync and re-execute at a later cut")
            }
            let run = try await box.run(warrant.method, arguments, as: author)
            groups.learn(credential.statement)
            let isWrite = box.isReadOnly(warrant.method) == false
            if isWrite { try ledger.spend(nonce, account) } else { ledger.release(nonce, account) }
            log.add(
                DevDelegatedWrite(
                    contextId: box.id, account: author, device: Hex.encode(credential.statement.device),
                    deviceKey: account.device, method: warrant.method, argsJson: arguments.text, nonce: nonce,
                    isWrite: isWrite, rootHash: run.root))
            return Self.data(["rootHash": .string(run.root), "returns": run.output])
        } catch let failure as RpcFailure {
            ledger.release(nonce, account)
            let refusal = Self.refusal(failure)
            if refusal.method != nil, !options.tellsMethodErrors {
                return Self.data(["rootHash": .string(box.read { Hex.encode($0.root) }), "returns": .null])
            }
            throw refusal
        } catch {
            ledger.release(nonce, account)
            throw error
        }
    }
}
