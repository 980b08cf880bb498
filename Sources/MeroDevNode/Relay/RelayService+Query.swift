import Foundation
import MeroKit

/// `POST /contexts/{id}/query`, and what older nodes told about nonces.
///
/// Spec: 60, sections 1.8 and 1.9.
extension RelayService {
    static let accountOnly = NodeRefusal(401, "this endpoint requires an account-authenticated session")

    func query(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            guard let account = call.caller?.account else { throw Self.accountOnly }
            let fields = try fields(call.request, ["method", "argsJson"])
            let (method, arguments) = try Self.shaped { (try fields.string("method"), try fields.value("argsJson")) }
            guard let id = try? ContextRuntime.checkedId(call.parameters["context"] ?? "") else {
                throw NodeRefusal.hidden
            }
            guard let box = contexts[id] else { throw Self.contextNotFound }
            let group = groups.group(ofContext: box.id)
            guard let group, groups.role(of: account, in: group) != nil, box.read({ $0.condition != .notMember }) else {
                throw NodeRefusal(403, "account is not a member of the group owning this context")
            }
            if let device = call.caller?.device, groups.read({ $0.isRevoked(device: device, in: group) }) {
                throw NodeRefusal(403, "this device is no longer authorized in the namespace owning this context")
            }
            guard hasIdentity(in: group, box) else { throw NodeRefusal.hidden }
            guard box.isReadOnly(method) == true else {
                throw NodeRefusal(
                    409,
                    "method '\(method)' is not declared read-only; a session authorizes reads only, so this call needs "
                        + "a warrant")
            }
            do {
                return Self.data(["returns": try await box.run(method, arguments, as: account).output])
            } catch let failure as RpcFailure {
                let refusal = Self.refusal(failure)
                throw refusal.method != nil && !options.tellsMethodErrors ? .hidden : refusal
            }
        }
    }

    /// A device asks where its own nonces are.
    func ownNonce(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            guard let account = call.caller?.account else { throw Self.accountOnly }
            let fields = try fields(call.request, ["authorProof"])
            let text = try Self.shaped { try fields.string("authorProof") }
            guard let credential = try? Self.credential(text), (try? credential.verify()) != nil,
                Hex.encode(credential.statement.account) == account
            else {
                throw NodeRefusal(403, "authorProof is not a valid credential for the authenticated account")
            }
            return try nonce(call, device: Hex.encode(credential.statement.signPublicKey))
        }
    }

    /// The owner asks for any device.
    func nonce(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            try nonce(call, device: try Self.id(call.parameters["device"] ?? "", "device key"))
        }
    }

    private func nonce(_ call: RouteCall, device: String) throws -> DevHttpResponse {
        let raw = call.parameters["context"] ?? ""
        guard let id = try? ContextRuntime.checkedId(raw) else {
            throw NodeRefusal(400, "context id '\(raw)' is not valid")
        }
        let window = ledger.window(NonceLedger.Account(scope: .context, id: id, device: device))
        var members = [
            JsonMember(name: "contextId", value: .string(id)),
            JsonMember(name: "authorDeviceKey", value: .string(device)),
            JsonMember(name: "seen", value: .bool(window.highest != nil)),
            JsonMember(name: "windowWidth", value: JsonTree(NonceWindow.width)),
        ]
        if let highest = window.highest {
            members.append(JsonMember(name: "highWaterNonce", value: JsonTree(highest)))
        }
        if let next = window.next { members.append(JsonMember(name: "nextNonce", value: JsonTree(next))) }
        return Self.data(.object(members))
    }
}
