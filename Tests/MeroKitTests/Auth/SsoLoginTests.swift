import Foundation
import Testing

@testable import MeroKit

@Suite("Hosted login")
struct SsoLoginTests {
    @Test("The login URL is written as browsers write it, in the documented order")
    func loginURL() {
        let options = AuthLoginOptions(
            callbackUrl: "http://localhost:5173/cb", mode: "multi-context", packageName: "com.acme.app",
            permissions: ["context:list", "context:execute"], packageVersion: "1.2.3")
        let expected =
            "https://node.example/auth/login?callback-url=http%3A%2F%2Flocalhost%3A5173%2Fcb"
            + "&permissions=context%3Alist%2Ccontext%3Aexecute&mode=multi-context&package-name=com.acme.app"
            + "&package-version=1.2.3"
        for node in ["https://node.example", "https://node.example/", "https://node.example///"] {
            #expect(SsoLogin.buildAuthLoginUrl(nodeUrl: node, options: options) == expected)
        }
    }

    @Test("Empty options are left out, version and registry without a package too")
    func leftOut() {
        var options = AuthLoginOptions(
            callbackUrl: "c", mode: "login", packageName: "", permissions: [], registryUrl: "r", packageVersion: "v")
        #expect(
            SsoLogin.buildAuthLoginUrl(nodeUrl: "https://n/p", options: options)
                == "https://n/p/auth/login?callback-url=c&mode=login")
        options.packageName = "p"
        options.registryUrl = "https://r"
        options.packageVersion = ""
        #expect(
            SsoLogin.buildAuthLoginUrl(nodeUrl: "https://n", options: options)
                == "https://n/auth/login?callback-url=c&mode=login&package-name=p&registry-url=https%3A%2F%2Fr")
    }

    @Test("Every character is encoded as URLSearchParams encodes it")
    func encoding() {
        #expect(FormEncoding.encode("azAZ09*-._") == "azAZ09*-._")
        #expect(FormEncoding.encode(" +~!'()&=#%/é🎨") == "+%2B%7E%21%27%28%29%26%3D%23%25%2F%C3%A9%F0%9F%8E%A8")
    }

    @Test("The fragment of a callback is read")
    func callback() {
        let result = SsoLogin.parseAuthCallback(
            "http://localhost:5173/cb?x=1#access_token=a.b%2Bc&refresh_token=r&application_id=app&context_id=ctx"
                + "&context_identity=id&node_url=https%3A%2F%2Fn.example%2F&other=1")
        #expect(
            result
                == AuthCallbackResult(
                    accessToken: "a.b+c", refreshToken: "r", applicationId: "app", contextId: "ctx",
                    contextIdentity: "id", nodeUrl: "https://n.example/"))
    }

    @Test("Parts that are missing are empty")
    func partial() {
        #expect(
            SsoLogin.parseAuthCallback("cb#access_token=a")
                == AuthCallbackResult(
                    accessToken: "a", refreshToken: "", applicationId: "", contextId: "", contextIdentity: "",
                    nodeUrl: ""))
    }

    @Test(
        "Without an access token there is no result",
        arguments: [
            "http://localhost/cb", "", "cb#", "cb#refresh_token=r", "cb#access_token=", "cb#access_token",
            "cb?access_token=a", "cb#access_token=&access_token=a", "cb#Access_token=a",
        ])
    func none(url: String) {
        #expect(SsoLogin.parseAuthCallback(url) == nil)
    }

    @Test(
        "Odd fragments",
        arguments: [
            ("cb#access_token=a&access_token=b", "a", ""), ("cb#&&access_token=a&", "a", ""),
            ("cb#access_token=a+b%20c&refresh_token=%", "a b c", "%"), ("cb#access%5Ftoken=a=b", "a=b", ""),
            ("cb#access_token=%zz&refresh_token=%E9", "%zz", "%E9"),
            ("cb#access_token=a#refresh_token=b", "a#refresh_token=b", ""),
            ("cb#\u{301}=1&access_token=\u{301}", "\u{301}", ""),
        ])
    func odd(url: String, access: String, refresh: String) {
        let result = SsoLogin.parseAuthCallback(url)
        #expect(result?.accessToken == access && result?.refreshToken == refresh)
    }

    @Test("What is built is read again, whatever the value")
    func roundTrip() {
        let value = "a b+c&d=e#f%g/é🎨\u{301}"
        let url = "cb#access_token=\(FormEncoding.encode(value))"
        #expect(SsoLogin.parseAuthCallback(url)?.accessToken == value)
    }

    @Test("Printing a result never shows its tokens")
    func printing() throws {
        let result = try #require(
            SsoLogin.parseAuthCallback("cb#access_token=S3CRET&refresh_token=S3CRET&node_url=visible"))
        var dumped = ""
        dump(result, to: &dumped)
        for text in ["\(result)", "\(Optional(result) as Any)", dumped] {
            #expect(!text.contains("S3CRET") && text.contains("visible"), "\(text)")
        }
    }
}
