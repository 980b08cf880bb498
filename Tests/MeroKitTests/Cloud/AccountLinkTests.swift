import Foundation
import Testing

@testable import MeroKit

/// Pages that come back with something. Spec: 70, sections 6.2 and 6.3.
@Suite("Account links and hosted logins") struct AccountLinkTests {
    private static let account = String(repeating: "c4", count: 32)

    @Test func thePage() throws {
        let url = try AccountLink.url(
            accountId: Self.account.uppercased(), callbackURL: "https://wallet.example/linked?a=1 2")
        #expect(
            url.absoluteString
                == "https://cloud.calimero.network/?link-account=\(Self.account)"
                + "&callback-url=https%3A%2F%2Fwallet.example%2Flinked%3Fa%3D1+2")
        let portal = try #require(URL(string: "http://127.0.0.1:9/portal//"))
        #expect(
            try AccountLink.url(portalURL: portal, accountId: Self.account, callbackURL: "a://b").absoluteString
                == "http://127.0.0.1:9/portal/?link-account=\(Self.account)&callback-url=a%3A%2F%2Fb")
        for (id, callback) in [
            ("me", "https://a.example"), (Self.account, "javascript:x"), (Self.account, "/x"),
            (Self.account, "https://a.example/#x"),
        ] {
            #expect(throws: AccountError.self) { try AccountLink.url(accountId: id, callbackURL: callback) }
        }
    }

    @Test func whatComesBack() throws {
        let url = try #require(URL(string: "https://w.example/?grant=no#grant=g%2B1+2&account=a&grant=x"))
        #expect(try AccountLink.readCallback(url) == AccountLinkCallback(grant: "g+1 2", account: "a"))
        for nothing in ["", "#", "grant=g", "account=a", "grant=&account=a", "error="] {
            #expect(try AccountLink.readCallback(fragment: nothing) == nil)
        }
        #expect(try AccountLink.readCallback(#require(URL(string: "https://w.example/?grant=g&account=a"))) == nil)
        for (code, text) in [
            ("denied", "the account link was declined at the cloud"),
            ("cancelled", "the account link was declined at the cloud"),
            ("limit+reached", "the cloud refused this link: limit reached"),
        ] {
            #expect(throws: AccountError.enrolmentDeclined(text)) {
                try AccountLink.readCallback(fragment: "#grant=g&account=a&error=\(code)")
            }
        }
        #expect(!"\(AccountLinkCallback(grant: "hush", account: "a"))".contains("hush"))
    }

    // MARK: Hosted logins of nodes

    private static func callback(node: String) -> String {
        "https://app.example/cb#access_token=a&refresh_token=r&node_url=\(FormEncoding.encode(node))"
    }

    @Test func tokensOfAnotherNodeAreNotTaken() throws {
        let allowed = ["https://other.example/"]
        for node in ["", "https://node.example", "https://node.example//", "https://other.example"] {
            let result = try SsoLogin.trustedCallback(
                Self.callback(node: node), startedWith: "https://node.example/", allowedNodeUrls: allowed)
            #expect(result?.accessToken == "a")
        }
        for node in [
            "https://evil.example", "http://node.example", "https://node.example.evil", "https://node.example/x",
        ] {
            let error = #expect(throws: AccountError.self) {
                try SsoLogin.trustedCallback(
                    Self.callback(node: node), startedWith: "https://node.example", allowedNodeUrls: allowed)
            }
            guard case .protocolViolation(let text)? = error else { return #expect(Bool(false), "\(node)") }
            #expect(!text.contains("evil"))
        }
        #expect(try SsoLogin.trustedCallback("https://app.example/cb", startedWith: "https://node.example") == nil)
    }

    private static func token(issuedAt: Int?) -> String {
        let claims = issuedAt.map { #"{"iat":\#($0),"exp":4000000000}"# } ?? "{}"
        return "e30.\(Base64URL.encode(Array(claims.utf8))).\(Hex.encode(randomBytes(4)))"
    }

    @Test func newerTokensAreNotOverwritten() async throws {
        func result(_ token: String, node: String = "") -> AuthCallbackResult {
            AuthCallbackResult(
                accessToken: token, refreshToken: "r", applicationId: "", contextId: "", contextIdentity: "",
                nodeUrl: node)
        }
        let store = MemoryTokenStore()
        let mero = Mero(
            config: MeroConfig(baseURL: try #require(URL(string: "https://node.example/")), tokenStore: store))
        let old = Self.token(issuedAt: 1_000)
        #expect(try await mero.adoptTokenData(from: result(old, node: "https://node.example")))
        #expect(store.getTokens()?.accessToken == old)
        // Rotated since: the callback's pair is spent.
        let rotated = TokenData(accessToken: Self.token(issuedAt: 2_000), refreshToken: "r2", expiresAt: Date())
        await mero.setTokenData(rotated)
        #expect(try await mero.adoptTokenData(from: result(old)) == false)
        #expect(try await mero.adoptTokenData(from: result(rotated.accessToken)) == false)
        #expect(store.getTokens()?.refreshToken == "r2")
        for newer in [Self.token(issuedAt: 2_000), Self.token(issuedAt: 3_000), Self.token(issuedAt: nil)] {
            #expect(try await mero.adoptTokenData(from: result(newer)))
            #expect(store.getTokens()?.accessToken == newer)
        }
        let held = store.getTokens()
        guard
            case AccountError.protocolViolation? = await failure(of: {
                try await mero.adoptTokenData(from: result(Self.token(issuedAt: 9_000), node: "https://evil.example"))
            })
        else { return #expect(Bool(false), "another node's tokens were taken") }
        #expect(store.getTokens() == held)
    }
}
