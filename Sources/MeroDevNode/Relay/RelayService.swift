import Foundation
import MeroKit

/// What a node does for accounts that have none: it carries out what their devices signed.
///
/// Spec: 60, section 1, and 50, section 22.
struct RelayService: Sendable {
    typealias Credential = AccountProof<DeviceCertificate>

    let contexts: ContextRuntime
    let groups: GroupRegistry
    let identity: NodeIdentity
    let hub: EventHub
    let clock: DevClock
    let ledger: NonceLedger
    let presence: PresenceSequences
    let log: RelayLog
    let catalog: ReleaseCatalog
    let options: DevRelayOptions
    let bodyLimit: Int

    static let noIdentity = NodeRefusal(
        404, "this node holds no identity in this context, so it can spend no warrant here")
    static let noGroup = NodeRefusal(
        404, "this context belongs to no group, so a delegated write has no group to be authorized in")
    static let unknownGroup = NodeRefusal(404, "this node knows no such group")
    static let contextNotFound = NodeRefusal(404, "context not found")
    static let catchingUp = NodeRefusal(503, "this node is still catching up with this context")

    // MARK: - Reading requests

    /// A closed body. Throws `EarlyReply` with the framework's own texts.
    func fields(_ request: DevHttpRequest, _ names: [String]) throws -> JsonFields {
        let tree: JsonTree
        switch request.jsonBody(limit: bodyLimit) {
        case .tree(let body): tree = body
        case .refused(let answer): throw EarlyReply(answer)
        }
        return try Self.shaped { try JsonFields(tree, allowed: names, what: "a request") }
    }

    /// Throws `EarlyReply` for a member of another shape.
    static func shaped<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch {
            throw EarlyReply(.text(422, "Failed to deserialize the JSON body into the target type: \(error)"))
        }
    }

    /// Throws `NodeRefusal`.
    static func bytes(_ hex: String, _ label: String) throws -> Data {
        if let bytes = Hex.decode(hex) { return Data(bytes) }
        let digits = Set("0123456789abcdefABCDEF")
        let index = hex.enumerated().first { !digits.contains($0.element) }
        let why = index.map { "Invalid character '\($0.element)' at position \($0.offset)" } ?? "Odd number of digits"
        throw NodeRefusal(400, "\(label) is not hex: \(why)")
    }

    /// Throws `NodeRefusal`.
    static func warrant<Warrant: SignedWarrant>(
        _ hex: String, _ what: String, domain: String, as: Warrant.Type = Warrant.self
    ) throws -> Warrant {
        let bytes = try bytes(hex, "warrant")
        do {
            return try Warrant(bytes)
        } catch {
            throw NodeRefusal(
                400,
                "warrant is not a valid \(what) (\(bytes.count) bytes): \(error); it must be the layout that is signed "
                    + "under \(domain)")
        }
    }

    /// Throws `NodeRefusal`.
    static func credential(_ hex: String) throws -> Credential {
        let bytes = try bytes(hex, "authorProof")
        let credential: Credential
        do {
            credential = try Credential(bytes)
        } catch {
            throw NodeRefusal(400, "authorProof is not a valid credential: \(error)")
        }
        guard credential.handoffs.count <= CallerProof.maxPresentedHandoffs else {
            throw NodeRefusal(
                400,
                "authorProof carries \(credential.handoffs.count) root-key handoffs; at most "
                    + "\(CallerProof.maxPresentedHandoffs) are accepted")
        }
        return credential
    }

    /// The author's half: bounds and signature of the warrant, then the credential, then that the two belong together.
    /// Throws `NodeRefusal`.
    static func verify(
        _ warrant: some SignedWarrant, account: Data, _ credential: Credential, _ prefix: String
    ) throws {
        func refused(_ why: String) -> NodeRefusal { NodeRefusal(400, "\(prefix): \(why)") }
        do {
            try warrant.verify()
        } catch {
            throw refused("the warrant's \(error)")
        }
        do {
            try credential.verify()
        } catch {
            throw refused("the author's credential: \(error)")
        }
        guard credential.statement.account == account else {
            throw refused("the credential is another account's than the warrant's author")
        }
        guard credential.statement.signPublicKey == warrant.deviceKey else {
            throw refused("the credential certifies another device than the one that signed the warrant")
        }
    }

    /// Throws `NodeRefusal` unless the warrant is still live; it is in its last second.
    func checkExpiry(_ tail: WarrantTail, _ warrant: String) throws {
        let now = UInt64(clamping: clock.seconds)
        guard tail.notAfter >= now else {
            throw NodeRefusal(403, "\(warrant) expired at \(tail.notAfter) and it is now \(now); mint a fresh one")
        }
    }

    /// The id of a group as a path names it. Throws `NodeRefusal`.
    static func groupId(_ call: RouteCall) throws -> String { try id(call.parameters["group"] ?? "", "group id") }

    /// Throws `NodeRefusal`.
    static func id(_ raw: String, _ label: String) throws -> String {
        guard let bytes = Hex.decode(raw) else { throw NodeRefusal(400, "\(label) '\(raw)' is not hex") }
        guard bytes.count == 32 else { throw NodeRefusal(400, "\(label) '\(raw)' is not 32 bytes") }
        return Hex.encode(bytes)
    }

    // MARK: - Who may what

    /// How the node stands towards a group: whether it may act for members there.
    struct Standing: Sendable {
        var grantedOn: String?
        /// Why it may not.
        var refusal: NodeRefusal?
    }

    func standing(in group: String, _ box: ContextBox? = nil) -> Standing {
        let me = identity.accountId
        let (role, grant) = groups.read { ($0.role(of: me, in: group), $0.authorshipGrant(of: me, in: group)) }
        let roles = [role, box?.read { $0.role }].compactMap { $0 }
        if roles.contains(.readOnlyTee) {
            return Standing(
                grantedOn: grant,
                refusal: NodeRefusal(
                    403,
                    "this node is a TEE replica (ReadOnlyTee) and does not relay writes; the namespace must admit "
                        + "relays with mode=relay"))
        }
        if roles.contains(.readOnly) || box?.read({ $0.condition }) == .readOnlyWrites {
            return Standing(
                grantedOn: grant,
                refusal: NodeRefusal(
                    403, "this node's role in this context is read-only (ReadOnly), so it does not relay writes"))
        }
        guard grant != nil else {
            return Standing(
                refusal: NodeRefusal(
                    403,
                    "this node holds no authorship grant on the group owning this context, so it cannot act for a "
                        + "member here — an admin must grant CAN_AUTHOR_ON_BEHALF to \(me)"))
        }
        return Standing(grantedOn: grant)
    }

    /// Throws `NodeRefusal` when either device was revoked.
    func checkDevices(_ author: DeviceCertificate, in group: String) throws {
        let (authors, executors) = groups.read {
            (
                $0.isRevoked(device: Hex.encode(author.device), in: group),
                $0.isRevoked(device: identity.deviceId, in: group)
            )
        }
        if authors { throw NodeRefusal(403, "the author's device has been revoked in this group") }
        if executors { throw NodeRefusal(403, "the executor's device has been revoked in this group") }
    }

    /// The context's group, its id and box, for a warrant. Throws `NodeRefusal`.
    func governed(_ call: RouteCall) throws -> (box: ContextBox, group: String) {
        guard let id = try? ContextRuntime.checkedId(call.parameters["context"] ?? "") else { throw NodeRefusal.hidden }
        guard let box = contexts[id] else { throw Self.contextNotFound }
        guard let group = groups.group(ofContext: box.id), hasIdentity(in: group, box) else { throw NodeRefusal.hidden }
        return (box, group)
    }

    func hasIdentity(in group: String, _ box: ContextBox) -> Bool {
        groups.role(of: identity.accountId, in: group) != nil && box.read { $0.condition != .noOwnedIdentity }
    }

    // MARK: - Answers

    static func data(_ tree: JsonTree) -> DevHttpResponse { .json(200, ["data": tree]) }

    func spelled(key: String) -> JsonTree {
        guard options.spellsExecutorKeyInBase58, let bytes = Hex.decode(key) else { return .string(key) }
        return .string(InviteCodec.base58Encode(Data(bytes)))
    }

    /// What a run's failure is on these routes.
    static func refusal(_ failure: RpcFailure) -> NodeRefusal {
        switch failure.type {
        case "UpgradeInProgress": return NodeRefusal(409, "upgrade in progress")
        case "Uninitialized", "GroupKeyPending", "ApplicationNotInstalled": return catchingUp
        case "InternalError", "Unauthorized", "ReadOnlyWriteRefused": return .hidden
        case "FunctionCallError":
            return methodError(failure, "function call error: \(failure.data?.stringValue ?? "")")
        case "SerdeError":
            return methodError(failure, "serialization error: \(failure.data?["message"]?.stringValue ?? "")")
        default: return methodError(failure, failure.type)
        }
    }

    private static func methodError(_ failure: RpcFailure, _ text: String) -> NodeRefusal {
        var refusal = NodeRefusal(400, text)
        refusal.method = failure
        return refusal
    }
}
