import Foundation
import MeroKit

/// Pages for people, as far as an app needs them: they ask nobody and return at once.
///
/// Spec: 70, sections 3.6 and 6.
extension CloudCore {
    static func pageRoutes(_ core: CloudCore) -> [NodeRoute] {
        [
            open("GET", "/account-enroll", core) { core, call in
                do {
                    return redirect(to: try core.wallet.answer(call.request.query))
                } catch DevNodeError.refused(let status, let text) {
                    return page(status, text)
                }
            },
            open("GET", "/", core) { try $0.portal($1) },
        ]
    }

    /// The page on which a signed-in person agrees that an account is theirs; ``DevCloud/portalUser`` plays the person.
    private func portal(_ call: RouteCall) throws -> DevHttpResponse {
        func value(_ name: String) -> String? { call.request.query.first { $0.0 == name }?.1 }
        guard let account = value("link-account") else { return Self.page(200, "Calimero Cloud") }
        guard CloudBody.isId(account), let callback = value("callback-url"), DevWallet.isUsable(callback) else {
            return Self.page(400, "link-account or callback-url cannot be used")
        }
        guard let email = state.withLock({ $0.portalUser }) else {
            return Self.redirect(to: callback + "#error=denied")
        }
        let fields = [("grant", grant(account: account, to: email)), ("account", account)]
        return Self.redirect(to: callback + "#" + FormEncoding.encode(fields))
    }

    func grant(account: String, to email: String) -> String {
        nonces.issue(
            .grant(email: email, account: account), expiresAtMs: nowMs + Int64(options.grantLifetime * 1000))
    }

    private static func redirect(to location: String) -> DevHttpResponse {
        DevHttpResponse(status: 303, headers: [("Location", location), ("Cache-Control", "no-store")])
    }

    private static func page(_ status: Int, _ text: String) -> DevHttpResponse {
        DevHttpResponse(
            status: status,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", "default-src 'none'"),
            ],
            body: .bytes(
                Data("<!doctype html><html lang=\"en\"><title>Dev cloud</title><p>\(text)</p></html>\n".utf8)))
    }
}
