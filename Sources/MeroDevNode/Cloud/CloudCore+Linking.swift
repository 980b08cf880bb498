import Foundation
import MeroKit

/// Accounts of a cloud user.
///
/// Spec: 70, section 3.3.
extension CloudCore {
    static func linkRoutes(_ core: CloudCore) -> [NodeRoute] {
        [
            session("GET", "/api/cloud/me/accounts", core) { core, _, claims in core.accounts(of: claims.email) },
            session("GET", "/api/cloud/me/accounts/challenge", core) { core, _, claims in
                core.challenge(.link(email: claims.email))
            },
            session("POST", "/api/cloud/me/accounts", core) { core, call, claims in
                let body = try CloudBody(call.request)
                let account = try body.id("account_id")
                let nonce = try body.string("nonce")
                return try core.link(body, nonce: nonce, purpose: .link(email: claims.email), named: account)
            },
            open("POST", "/api/cloud/accounts/link", core) { core, call in
                let body = try CloudBody(call.request)
                let grant = try body.string("grant")
                guard let purpose = core.nonces.open(grant)?.purpose, case .grant(_, let account) = purpose else {
                    throw CloudProblem(403, "The grant was not issued here")
                }
                return try core.link(body, nonce: grant, purpose: purpose, named: account)
            },
        ]
    }

    private func accounts(of email: String) -> DevHttpResponse {
        let limit = options.accountLimit
        return state.withLock { state in
            let rows = state.accounts.compactMap { id, account in account.links[email].map { (id, account, $0) } }
                .sorted { ($0.2, $0.0) < ($1.2, $1.0) }
            return .json(
                200,
                [
                    "accounts": .array(
                        rows.map { id, account, date in
                            [
                                "account_id": .string(id), "linked_at": Self.time(date),
                                "has_recovery_envelope": .bool(account.hasRecoveryEnvelope),
                            ]
                        }),
                    "limit": (state.users[email]?.accountLimit ?? limit).map { JsonTree($0) } ?? .null,
                ])
        }
    }

    private func link(
        _ body: CloudBody, nonce: String, purpose: CloudNonces.Purpose, named: String
    ) throws -> DevHttpResponse {
        let email: String
        switch purpose {
        case .link(let address), .grant(let address, _): email = address
        case .login, .account, .namespace: throw CloudProblem(403, "The nonce is for something else")
        }
        let (root, signature) = try (body.id("root_public_key"), body.string("signature"))
        let expiry = try check(nonce, for: purpose)
        let account = try verifyRoot(root, signature, .accountLink, nonce: nonce)
        guard account == named else { throw CloudProblem(403, "The key is that of another account") }
        let now = clock.now
        let (nowMs, limit) = (nowMs, options.accountLimit)
        return try state.withLock { state in
            guard !state.isSpent(nonce) else { throw CloudProblem(403, "The nonce has been used") }
            let known = state.accounts[account]?.links ?? [:]
            if let date = known[email] {
                state.spend(nonce, until: expiry, nowMs: nowMs)
                return Self.linked(account, date, already: true)
            }
            guard known.isEmpty else { throw CloudProblem(409, "This account is linked to another login") }
            let count = state.accounts.values.filter { $0.links[email] != nil }.count
            if let limit = state.users[email]?.accountLimit ?? limit, count >= limit {
                throw CloudProblem(402, code: "account_limit_reached", "Your plan has room for \(limit) account(s)")
            }
            state.spend(nonce, until: expiry, nowMs: nowMs)
            state.accounts[account, default: CloudState.Account()].rootPublicKey = root
            state.accounts[account]?.links[email] = now
            return Self.linked(account, now, already: false)
        }
    }

    private static func linked(_ account: String, _ date: Date, already: Bool) -> DevHttpResponse {
        .json(
            200,
            ["account_id": .string(account), "linked_at": time(date), "already_linked": .bool(already)])
    }
}
