import Foundation
import MeroKit

/// Logins of cloud users.
///
/// Spec: 70, section 3.1.
extension CloudCore {
    static func loginRoutes(_ core: CloudCore) -> [NodeRoute] {
        [
            open("POST", "/api/auth/google", core) { try $0.googleLogin($1) },
            open("GET", "/api/auth/account/challenge", core) { core, _ in core.challenge(.login) },
            open("POST", "/api/auth/account", core) { try $0.accountLogin($1) },
            session("POST", "/api/auth/refresh", rolls: false, core) { core, _, claims in
                .json(200, core.mint(email: claims.email, session: claims.session).tree)
            },
            session("POST", "/api/auth/logout", rolls: false, core) { core, _, claims in
                core.state.withLock { $0.sessions[claims.session] = nil }
                return .json(200, ["ok": true])
            },
        ]
    }

    private func googleLogin(_ call: RouteCall) throws -> DevHttpResponse {
        let token = try CloudBody(call.request).string("id_token")
        guard let claims = tokens.read(token, .google, now: clock.seconds) else {
            throw CloudProblem(401, "Invalid Google ID token")
        }
        let takesNewUsers = options.takesNewUsers
        try state.withLock { state in
            guard state.users[claims.email] == nil else { return }
            guard takesNewUsers else { throw CloudProblem(403, "Sign-up is closed") }
            state.users[claims.email] = CloudState.User(name: claims.name, picture: claims.picture)
        }
        return .json(200, mint(email: claims.email).tree)
    }

    private func accountLogin(_ call: RouteCall) throws -> DevHttpResponse {
        let body = try CloudBody(call.request)
        let (root, nonce, signature) = try (body.id("root_public_key"), body.string("nonce"), body.string("signature"))
        let expiry = try check(nonce, for: .login)
        let account = try verifyRoot(root, signature, .accountLogin, nonce: nonce)
        try spend(nonce, until: expiry)
        let users = state.withLock { state -> [String] in
            // Whoever links the account later need not prove it again.
            state.accounts[account, default: CloudState.Account()].rootPublicKey = root
            return state.accounts[account]?.links.keys.sorted() ?? []
        }
        guard let email = users.first else {
            throw CloudProblem(403, "This account is not linked to a Calimero Cloud login")
        }
        guard users.count == 1 else {
            throw CloudProblem(403, "This account is linked to several Calimero Cloud logins")
        }
        return .json(200, mint(email: email).tree)
    }

    /// The account whose root signed. Throws `CloudProblem`.
    func verifyRoot(_ root: String, _ signature: String, _ proof: CloudProof, nonce: String) throws -> String {
        guard let key = Hex.decode(root), let signature = Data(base64Encoded: signature),
            Ed25519.verify(publicKey: Data(key), signature: signature, message: proof.message(nonce: nonce)),
            let account = try? DeviceCertificates.account(forRootPublicKey: root)
        else { throw CloudProblem(403, "The signature does not verify") }
        return account
    }
}

/// A login session of the cloud.
public struct DevCloudSession: Sendable, Equatable {
    /// The bearer token.
    public let token: String
    /// Seconds since 1970.
    public let expiresAt: Int64
    /// Whose it is.
    public let email: String
    let name: String?
    let picture: String?

    var tree: JsonTree {
        var user: [JsonMember] = [JsonMember(name: "email", value: .string(email))]
        if let name { user.append(JsonMember(name: "name", value: .string(name))) }
        if let picture { user.append(JsonMember(name: "picture", value: .string(picture))) }
        return ["session_token": .string(token), "expires_at": JsonTree(expiresAt), "user": .object(user)]
    }
}
