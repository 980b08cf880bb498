import Foundation
import MeroKit

/// What whoever holds a device's key may read without a login.
///
/// Spec: 70, sections 3.5 and 4.
extension CloudCore {
    static func keyholderRoutes(_ core: CloudCore) -> [NodeRoute] {
        [
            open("GET", "/api/cloud/accounts/{account}/challenge", core) { core, call in
                let id = try call.cloudId("account")
                return core.challenge(.account(id), [JsonMember(name: "account_id", value: .string(id))])
            },
            open("GET", "/api/cloud/accounts/{account}/relays", core) { core, call in
                let id = try call.cloudId("account")
                guard let certificate = try core.routingProof(call.request, for: .account(id)) else {
                    throw CloudProblem(401, "A routing proof is required")
                }
                guard Hex.encode(certificate.account) == id else {
                    throw CloudProblem(403, "The credential is that of another account")
                }
                return core.accountRelays(id)
            },
            open("GET", "/api/cloud/namespaces/{namespace}/challenge", core) { core, call in
                let id = try call.cloudId("namespace")
                return core.challenge(.namespace(id), [JsonMember(name: "namespace_id", value: .string(id))])
            },
            open("GET", "/api/cloud/namespaces/{namespace}/admitters", core) { core, call in
                let id = try call.cloudId("namespace")
                let proof = try core.routingProof(call.request, for: .namespace(id))
                guard proof != nil || !core.options.requiresNamespaceProof else {
                    throw CloudProblem(401, "A routing proof is required")
                }
                return core.admitters(id)
            },
        ]
    }

    /// Whose device asks; nil when no proof came. One that came has to hold, wanted or not. Throws `CloudProblem`.
    private func routingProof(
        _ request: DevHttpRequest, for purpose: CloudNonces.Purpose
    ) throws -> DeviceCertificate? {
        let headers = ["credential", "nonce", "signature"].map { request.headers["x-calimero-\($0)"] }
        guard headers.contains(where: { $0 != nil }) else { return nil }
        guard let credential = headers[0], let nonce = headers[1], let signature = headers[2] else {
            throw CloudProblem(400, "A routing proof has a credential, a nonce and a signature")
        }
        let certificate = try device(credential)
        let expiry = try check(nonce, for: purpose)
        guard let bytes = Data(base64Encoded: signature),
            Ed25519.verify(
                publicKey: certificate.signPublicKey, signature: bytes,
                message: CloudProof.routingRead.message(nonce: nonce))
        else { throw CloudProblem(403, "The routing proof does not verify") }
        try spend(nonce, until: expiry)
        return certificate
    }

    /// A credential that holds. Throws `CloudProblem`.
    func device(_ credential: String) throws -> DeviceCertificate {
        guard let bytes = Hex.decode(credential) else { throw CloudProblem(400, "The credential is not hex") }
        guard let proof = try? AccountProof<DeviceCertificate>(Data(bytes)) else {
            throw CloudProblem(400, "The credential cannot be read")
        }
        guard proof.handoffs.count <= CallerProof.maxPresentedHandoffs, (try? proof.verify()) != nil else {
            throw CloudProblem(403, "The credential does not verify")
        }
        return proof.statement
    }

    private func accountRelays(_ id: String) -> DevHttpResponse {
        let given = options.givesRelaysToNewAccounts ? give(relayTo: id) : nil
        let (now, options) = (clock.now, options)
        let rows: [JsonTree] = relays(ofAccount: id).map { relay in
            var row: [JsonMember] = [
                JsonMember(name: "peer_id", value: .string(relay.facts.peerId)),
                JsonMember(name: "relay_url", value: Self.text(relay.facts.isDialable ? relay.facts.url : nil)),
                JsonMember(name: "fresh", value: .bool(Self.isFresh(relay, now: now, options: options))),
            ]
            if options.tellsRecentFields {
                row.append(JsonMember(name: "executor_account", value: Self.text(relay.facts.executorAccount)))
                row.append(JsonMember(name: "assigned", value: .bool(relay.facts.peerId == given)))
            }
            return .object(row)
        }
        return .json(200, ["account_id": .string(id), "relays": .array(rows)])
    }

    /// The relay that an account gets which has none and waits for none.
    private func give(relayTo account: String) -> String? {
        let isWaiting = state.withLock { !($0.accounts[account]?.relays ?? []).isEmpty }
        guard !isWaiting, relays(ofAccount: account).isEmpty else { return nil }
        let now = clock.now
        return state.withLock { state in
            guard let first = state.relays.first else { return nil }
            state.accounts[account, default: CloudState.Account()].relays.append(
                CloudState.Assignment(peerId: first.facts.peerId, since: now))
            return first.facts.peerId
        }
    }

    private func admitters(_ id: String) -> DevHttpResponse {
        let options = options
        let places = placements(of: id).sorted { left, right in
            func rank(_ place: Placement) -> Int {
                (place.canAdmit && place.isFresh && place.address != nil ? 0 : 2) + (place.isFresh ? 0 : 1)
            }
            return (rank(left), left.peerId) < (rank(right), right.peerId)
        }
        let rows: [JsonTree] = places.map { place in
            let admit = place.address.map { "\($0)/admin-api/namespaces/\(id)/admit" }
            var row: [JsonMember] = [
                JsonMember(name: "peer_id", value: .string(place.peerId)),
                JsonMember(name: "account", value: Self.text(place.executor)),
                JsonMember(name: "relay_url", value: Self.text(place.address)),
                JsonMember(name: "admit_url", value: Self.text(admit)),
                JsonMember(name: "status", value: Self.status(place)),
                JsonMember(name: "fresh", value: .bool(place.isFresh)),
                JsonMember(name: "can_admit", value: .bool(place.canAdmit)),
                JsonMember(name: "authorship_ready", value: .bool(place.isReady)),
            ]
            if options.tellsRecentFields {
                row.append(JsonMember(name: "tee_role", value: Self.text(place.teeRole)))
                row.append(JsonMember(name: "can_execute", value: .bool(place.canWrite && place.isFresh)))
            }
            return .object(row)
        }
        return .json(
            200,
            [
                "namespace_id": .string(id), "admitters": .array(rows),
                "servable": .bool(places.contains { $0.canAdmit && $0.isFresh && $0.address != nil }),
                "writable": .bool(places.contains { $0.canWrite && $0.isFresh }),
            ])
    }
}
