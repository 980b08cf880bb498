import Foundation
import MeroKit

/// `POST /contexts/{id}/presence-intents`.
///
/// Spec: 40, section 5.2, and 60, section 1.7.
extension RelayService {
    /// Milliseconds that an update's stamp may lie before or behind the node's clock.
    private static let freshness: UInt64 = 7_000

    func showPresence(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(
                call.request, ["state", "seq", "sentAtMs", "signature", "authorProof"])
            let update = try Self.shaped { try PresenceUpdate(fields) }
            let raw = call.parameters["context"] ?? ""
            guard let id = try? ContextRuntime.checkedId(raw) else {
                throw NodeRefusal(400, "context id '\(raw)' is not valid")
            }
            let (credential, state) = try Self.verify(update, context: id)
            try checkFreshness(update.sentAt)
            guard let box = contexts[id], let group = groups.group(ofContext: id),
                groups.role(of: Hex.encode(credential.statement.account), in: group) != nil,
                box.read({ $0.condition != .notMember })
            else { throw NodeRefusal(403, "the account is not a member of this context") }
            let device = Hex.encode(credential.statement.device)
            guard !groups.read({ $0.isRevoked(device: device, in: group) }) else {
                throw NodeRefusal(403, "the device is revoked here")
            }
            return try publish(update, state, credential.statement, in: box)
        }
    }

    private struct PresenceUpdate {
        let state: String?
        let sequence: UInt64
        let sentAt: UInt64
        let signature: String
        let proof: String

        init(_ fields: JsonFields) throws {
            let state = try fields.value("state")
            if state != .null, state.stringValue == nil { throw JsonShapeProblem.type(state, expected: "a string") }
            self.state = state.stringValue
            sequence = try fields.unsigned("seq")
            sentAt = try fields.unsigned("sentAtMs")
            signature = try fields.string("signature")
            proof = try fields.string("authorProof")
        }
    }

    /// Rebuilds what the device signed. Throws `NodeRefusal`.
    private static func verify(_ update: PresenceUpdate, context: String) throws -> (Credential, state: Data?) {
        guard !update.proof.isEmpty else { throw NodeRefusal(403, "the update carries no device certificate") }
        let proofBytes = try bytes(update.proof, "authorProof")
        let credential: Credential
        do {
            credential = try Credential(proofBytes)
        } catch {
            throw NodeRefusal(400, "authorProof is not a credential: \(error)")
        }
        guard credential.handoffs.count <= CallerProof.maxPresentedHandoffs else {
            throw NodeRefusal(
                400,
                "authorProof carries \(credential.handoffs.count) root-key handoffs; at most "
                    + "\(CallerProof.maxPresentedHandoffs) are accepted")
        }
        let state = try update.state.map { try bytes($0, "state") }
        let signature = try bytes(update.signature, "signature")
        guard signature.count == 64 else { throw NodeRefusal(400, "signature is not 64 bytes") }
        let statement = try PresenceStatement(
            context: context, author: credential.statement.signPublicKey, sequence: update.sequence,
            sentAt: update.sentAt, state: state)
        guard statement.isSigned(signature) else {
            throw NodeRefusal(400, "the signature does not verify under the author")
        }
        do {
            try credential.verify()
        } catch {
            throw NodeRefusal(400, "the device certificate does not verify: \(error)")
        }
        return (credential, state)
    }

    private func checkFreshness(_ sentAt: UInt64) throws {
        let now = UInt64(max(0, clock.now.timeIntervalSince1970 * 1000))
        guard (now > sentAt ? now - sentAt : sentAt - now) <= Self.freshness else {
            throw NodeRefusal(400, "the statement is outside the freshness window")
        }
    }

    private func publish(
        _ update: PresenceUpdate, _ state: Data?, _ certificate: DeviceCertificate, in box: ContextBox
    ) throws -> DevHttpResponse {
        if let state, state.count > ContextBox.largestSlice {
            throw NodeRefusal(413, "the presence slice is too large: \(state.count) bytes")
        }
        if box.read({ $0.condition == .groupKeyPending }) {
            throw NodeRefusal(503, "this relay holds no current key for the context")
        }
        let author = Hex.encode(certificate.signPublicKey)
        switch presence.note(
            update.sequence, of: author, in: box.id, at: clock.now, interval: options.presenceInterval)
        {
        case .tooSoon: throw NodeRefusal(429, "too many presence updates; slow down")
        case .stale: break
        case .news:
            if let state {
                hub.putPresence(
                    author: author, account: Hex.encode(certificate.account), state: Array(state), isKeptAlive: false,
                    in: box.id)
            } else {
                hub.removePresence(author: author, in: box.id)
            }
            hub.link.flush()
        }
        return DevHttpResponse(status: 204)
    }
}
