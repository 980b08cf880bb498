import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct CloudLinkTests {
    private static let path = "/api/cloud/me/accounts"
    private static let challenge = "/api/cloud/me/accounts/challenge"

    @Test func linksAnAccountOnceAndAgain() async throws {
        try await withCloud { fixture in
            let session = fixture.session()
            var answers: [Answer] = []
            for _ in 0..<2 {
                let nonce = try await fixture.nonce(Self.challenge, token: session)
                answers.append(try await fixture.post(Self.path, try fixture.linkBody(nonce: nonce), token: session))
            }
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers.map { $0.json["already_linked"] } == [false, true])
            #expect(answers.allSatisfy { $0.json["account_id"]?.stringValue == fixture.ada.accountId })
            let list = try await fixture.call("GET", Self.path, token: session)
            #expect(list.json["limit"] == .null)
            let row = list.json["accounts"]?.arrayValue?.first
            #expect(row?["account_id"]?.stringValue == fixture.ada.accountId)
            #expect(row?["has_recovery_envelope"] == false && row?["linked_at"]?.stringValue?.hasSuffix("Z") == true)
        }
    }

    @Test func eachPartOfALinkCounts() async throws {
        try await withCloud { fixture in
            let session = fixture.session()
            let nonce = try await fixture.nonce(Self.challenge, token: session)
            let strangers = try await fixture.nonce(Self.challenge, token: fixture.session("bob@example.com"))
            let login = try await fixture.nonce("/api/auth/account/challenge")
            let good = try fixture.linkBody(nonce: nonce)
            let signature = good["signature"]?.stringValue ?? ""
            let other = try DevAccount()
            let cases: [(JsonTree, String)] = [
                (good.replacing("signature", .string(signature.flipping(at: 7))), "The signature does not verify"),
                (good.replacing("root_public_key", .string(other.root.publicKey)), "The signature does not verify"),
                (good.replacing("account_id", .string(other.accountId)), "The key is that of another account"),
                (try fixture.linkBody(nonce: nonce, domain: "account-login"), "The signature does not verify"),
                (try fixture.linkBody(nonce: strangers), "The nonce is for something else"),
                (try fixture.linkBody(nonce: login), "The nonce is for something else"),
            ]
            for (body, reason) in cases {
                let answer = try await fixture.post(Self.path, body, token: session)
                #expect(answer.status == 403 && answer.detail == reason)
            }
            #expect(try await fixture.post(Self.path, good, token: session).status == 200)
            let spent = try await fixture.post(Self.path, good, token: session)
            #expect(spent.status == 403 && spent.detail == "The nonce has been used")
            let late = try fixture.linkBody(nonce: try await fixture.nonce(Self.challenge, token: session))
            fixture.cloud.clock.advance(by: 121)
            #expect(try await fixture.post(Self.path, late, token: session).detail == "The nonce has expired")
        }
    }

    @Test func anAccountBelongsToOneLoginAndAPlanHasRoomForSoMany() async throws {
        try await withCloud { fixture in
            fixture.cloud.addUser(CloudFixture.email, accountLimit: 1)
            let session = fixture.session()
            let other = try DevAccount()
            try fixture.cloud.link(account: other.accountId, to: "bob@example.com")
            let foreign = try fixture.linkBody(
                other, nonce: try await fixture.nonce(Self.challenge, token: session))
            #expect(try await fixture.post(Self.path, foreign, token: session).status == 409)
            let own = try fixture.linkBody(nonce: try await fixture.nonce(Self.challenge, token: session))
            #expect(try await fixture.post(Self.path, own, token: session).status == 200)
            let third = try fixture.linkBody(
                DevAccount(), nonce: try await fixture.nonce(Self.challenge, token: session))
            let full = try await fixture.post(Self.path, third, token: session)
            #expect(full.status == 402 && full.code == "account_limit_reached")
            #expect(try await fixture.call("GET", Self.path, token: session).json["limit"] == 1)
        }
    }

    // MARK: - Grants

    @Test func aGrantOfThePortalLinksWithoutALogin() async throws {
        try await withCloud { fixture in
            fixture.cloud.portalUser = CloudFixture.email
            let target = "/?link-account=\(fixture.ada.accountId)&callback-url=https%3A%2F%2Fapp.example%2Fback"
            let page = try await fixture.call("GET", target)
            let location = page.headers["location"] ?? ""
            #expect(page.status == 303 && location.hasPrefix("https://app.example/back#grant="))
            let fields = MeroDevNode.FormEncoding.decode(String(location.split(separator: "#").last ?? ""))
            let grant = fields.first { $0.0 == "grant" }?.1 ?? ""
            #expect(fields.first { $0.0 == "account" }?.1 == fixture.ada.accountId)
            let body: JsonTree = [
                "grant": .string(grant), "root_public_key": .string(fixture.ada.root.publicKey),
                "signature": .string(try CloudFixture.signature(fixture.ada, "account-link", grant)),
            ]
            let answer = try await fixture.post("/api/cloud/accounts/link", body)
            #expect(answer.status == 200 && answer.json["already_linked"] == false)
            #expect(fixture.cloud.users(ofAccount: fixture.ada.accountId) == [CloudFixture.email])
            let again = try await fixture.post("/api/cloud/accounts/link", body)
            #expect(again.status == 403 && again.detail == "The nonce has been used")
        }
    }

    @Test func grantsAreForOneAccountAndForFiveMinutes() async throws {
        try await withCloud { fixture in
            let grant = try fixture.cloud.grant(account: fixture.ada.accountId, to: CloudFixture.email)
            func body(_ account: DevAccount, _ grant: String) throws -> JsonTree {
                [
                    "grant": .string(grant), "root_public_key": .string(account.root.publicKey),
                    "signature": .string(try CloudFixture.signature(account, "account-link", grant)),
                ]
            }
            let foreign = try await fixture.post("/api/cloud/accounts/link", try body(DevAccount(), grant))
            #expect(foreign.status == 403 && foreign.detail == "The key is that of another account")
            let forged = try await fixture.post("/api/cloud/accounts/link", try body(fixture.ada, grant + "0"))
            #expect(forged.status == 403 && forged.detail == "The grant was not issued here")
            let nonce = try await fixture.nonce(Self.challenge, token: fixture.session())
            #expect(try await fixture.post("/api/cloud/accounts/link", try body(fixture.ada, nonce)).status == 403)
            fixture.cloud.clock.advance(by: 301)
            let late = try await fixture.post("/api/cloud/accounts/link", try body(fixture.ada, grant))
            #expect(late.status == 403 && late.detail == "The nonce has expired")
        }
    }

    @Test func thePortalDeclinesAndRefusesCallbacks() async throws {
        try await withCloud { fixture in
            let account = fixture.ada.accountId
            let declined = try await fixture.call(
                "GET", "/?link-account=\(account)&callback-url=https%3A%2F%2Fapp.example%2Fback")
            #expect(declined.headers["location"] == "https://app.example/back#error=denied")
            for callback in ["javascript%3Aalert(1)", "https%3A%2F%2Fa.example%2F%23x", ""] {
                let answer = try await fixture.call("GET", "/?link-account=\(account)&callback-url=\(callback)")
                #expect(answer.status == 400 && answer.headers["location"] == nil)
            }
            let noId = try await fixture.call("GET", "/?link-account=x&callback-url=https%3A%2F%2Fa.example")
            #expect(noId.status == 400)
        }
    }
}
