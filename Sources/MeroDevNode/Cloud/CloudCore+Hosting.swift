import Foundation
import MeroKit

/// Claims of namespaces, and where they are hosted.
///
/// Spec: 70, sections 3.4 and 5.
extension CloudCore {
    static func hostingRoutes(_ core: CloudCore) -> [NodeRoute] {
        [
            session("POST", "/api/cloud/namespaces/claim", core) { try $0.claim($1, by: $2.email) },
            session("POST", "/api/cloud/namespaces/{namespace}/enable-ha", core) {
                try $0.enableOwned($1, by: $2.email)
            },
            session("POST", "/api/cloud/namespaces/{namespace}/disable-ha", core) {
                try $0.disable($1, by: $2.email)
            },
            session("POST", "/api/cloud/me/namespaces/{namespace}/enable-ha", core) {
                try $0.enableFounded($1, by: $2.email)
            },
            open("POST", "/api/cloud/accounts/{account}/namespaces/{namespace}/enable-ha", core) {
                try $0.enableAsAccount($1)
            },
        ]
    }

    // MARK: - By a node's proof

    private func claim(_ call: RouteCall, by email: String) throws -> DevHttpResponse {
        let body = try CloudBody(call.request)
        let id = try body.id("namespace_id")
        let proof = try NodeOwnershipProof(body)
        try proof.verify(namespace: id, subject: email, nowMs: nowMs)
        let now = nowMs
        try state.withLock { state in
            if let owner = state.namespaces[id]?.owner, owner != email {
                throw CloudProblem(409, "This namespace is claimed by another user")
            }
            guard !state.isSpent(proof.spentName) else { throw CloudProblem.proof("the nonce has been used") }
            state.spend(proof.spentName, until: proof.expiresAtMs, nowMs: now)
            state.changeNamespace(id) { $0.owner = email }
        }
        return .json(200, ["status": "claimed", "namespace_id": .string(id)])
    }

    private func enableOwned(_ call: RouteCall, by email: String) throws -> DevHttpResponse {
        let id = try call.cloudId("namespace")
        let addresses = try CloudBody(call.request).optionalStrings("admitter_addrs")
        for address in addresses ?? [] where !address.hasPrefix("/") {
            throw CloudProblem.invalid(
                ["body", "admitter_addrs"], type: "value_error", "Not a multiaddr", input: .string(address))
        }
        let now = clock.now
        try state.withLock { state in
            guard state.namespaces[id]?.owner == email else { throw CloudProblem.unknownNamespace }
            try Self.checkRoom(for: id, of: email, in: state)
            if let addresses { state.changeNamespace(id) { $0.admitterAddrs = addresses } }
            Self.enable(id, preferred: nil, in: &state, now: now)
        }
        beginHosting(id)
        return Self.enabled(id)
    }

    private func disable(_ call: RouteCall, by email: String) throws -> DevHttpResponse {
        let id = try call.cloudId("namespace")
        _ = try CloudBody(call.request)
        let assigned = try state.withLock { state in
            guard state.namespaces[id]?.owner == email else { throw CloudProblem.unknownNamespace }
            let assigned = state.nodes(hosting: id)
            state.changeNamespace(id) { record in
                record.hosting = .disabled
                record.enabledAt = nil
                record.relays = []
            }
            return assigned
        }
        // Outside the lock: theirs are other locks.
        for node in assigned { node.core.endHosting(id) }
        return .json(200, ["status": "disabled", "namespace_id": .string(id)])
    }

    // MARK: - By the founder's claim

    private func enableFounded(_ call: RouteCall, by email: String) throws -> DevHttpResponse {
        let id = try call.cloudId("namespace")
        let body = try CloudBody(call.request)
        _ = try body.optionalStrings("groups")
        let claim = try FounderClaim(body, audience: .session(email: email), namespace: id, account: nil, core: self)
        let (now, nowMs) = (clock.now, nowMs)
        try state.withLock { state in
            guard state.accounts[claim.account]?.links[email] != nil else {
                throw CloudProblem(409, code: "account_not_linked", "This login is not linked to the account")
            }
            if let owner = state.namespaces[id]?.owner, owner != email {
                throw CloudProblem(409, "This namespace is claimed by another user")
            }
            try Self.checkRoom(for: id, of: email, in: state)
            try claim.spend(in: &state, nowMs: nowMs)
            state.changeNamespace(id) { record in
                record.owner = email
                record.founder = claim.account
            }
            Self.enable(id, preferred: nil, in: &state, now: now)
        }
        beginHosting(id)
        return Self.enabled(id)
    }

    private func enableAsAccount(_ call: RouteCall) throws -> DevHttpResponse {
        let account = try call.cloudId("account")
        let id = try call.cloudId("namespace")
        let claim = try FounderClaim(
            CloudBody(call.request), audience: .account, namespace: id, account: account, core: self)
        let (now, nowMs, delay) = (clock.now, nowMs, options.assignmentDelay)
        try state.withLock { state in
            let users = state.accounts[account]?.links.keys.sorted() ?? []
            guard let email = users.first else {
                throw CloudProblem(409, code: "account_not_linked", "Link the account to a cloud user first")
            }
            guard users.count == 1 else {
                throw CloudProblem(
                    409, code: "account_linked_to_several_users", "The account is linked to several cloud users")
            }
            if let owner = state.namespaces[id]?.owner, owner != email {
                throw CloudProblem(409, "This namespace is claimed by another user")
            }
            let isWaiting = state.namespaces.contains { other, record in
                other != id && record.founder == account && record.hosting == .enabled
                    && !record.relays.contains { now >= $0.since.addingTimeInterval(delay) }
            }
            guard !isWaiting else {
                throw CloudProblem(409, code: "ha_request_pending", "Another namespace waits for its first node")
            }
            let relay = try Self.relay(named: claim.relayURL, in: state)
            try Self.checkRoom(for: id, of: email, in: state)
            try claim.spend(in: &state, nowMs: nowMs)
            state.changeNamespace(id) { record in
                record.owner = email
                record.founder = account
            }
            Self.enable(id, preferred: relay, in: &state, now: now)
        }
        beginHosting(id)
        return Self.enabled(id)
    }

    private static func relay(named url: String?, in state: CloudState) throws -> String? {
        guard let url else { return nil }
        func trimmed(_ text: String) -> Substring {
            var text = Substring(text)
            while text.hasSuffix("/") { text.removeLast() }
            return text
        }
        guard let relay = state.relays.first(where: { $0.facts.url.map(trimmed) == trimmed(url) }) else {
            throw CloudProblem(422, code: "unknown_relay", "The cloud does not run that relay")
        }
        guard relay.facts.isDialable else {
            throw CloudProblem(422, code: "relay_not_dialable", "That relay has no address yet")
        }
        return relay.facts.peerId
    }

    // MARK: - Both

    private static func checkRoom(for id: String, of email: String, in state: CloudState) throws {
        guard let limit = state.users[email]?.namespaceLimit, state.namespaces[id]?.hosting != .enabled else { return }
        let count = state.namespaces.values.filter { $0.owner == email && $0.hosting == .enabled }.count
        guard count < limit else {
            throw CloudProblem(402, code: "namespace_limit_reached", "Your plan hosts \(limit) namespace(s)")
        }
    }

    private static func enable(_ id: String, preferred: String?, in state: inout CloudState, now: Date) {
        let isRepeat = state.namespaces[id]?.hosting == .enabled
        state.changeNamespace(id) { record in
            record.hosting = .enabled
            if record.enabledAt == nil { record.enabledAt = now }
        }
        if preferred != nil || !isRepeat { assign(preferred, to: id, in: &state, now: now) }
    }

    /// Has the relays that a namespace was assigned to come in. Also those that were turned away before: the policy may let
    /// them in by now.
    private func beginHosting(_ id: String) {
        for node in state.withLock({ $0.nodes(hosting: id) }) { node.core.beginHosting(id) }
    }

    private static func enabled(_ id: String) -> DevHttpResponse {
        .json(200, ["status": "enabled", "namespace_id": .string(id)])
    }
}
