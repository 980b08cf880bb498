import Foundation
import Testing

@testable import MeroKit

/// Invitations and what apps put around them. Spec: 70, sections 10 and 11.1.
@Suite("Invitation payloads") struct InvitationPayloadTests {
    private static let group = String(repeating: "ab", count: 32)

    private static func invitation(expiresAt: Int = 1_800_000_000) throws -> SignedGroupOpenInvitation {
        try GroupInvitations.sign(
            groupId: group, inviterAccount: group, keys: .generate(), admitters: [group], validForSeconds: 60,
            now: expiresAt - 60, applicationId: group, admitterAddrs: ["https://a.example"])
    }

    private static func json(_ invitation: SignedGroupOpenInvitation) throws -> String {
        String(decoding: try MeroJSON.encode(invitation), as: UTF8.self)
    }

    @Test func bareOnesAndWrappedOnes() throws {
        let invitation = try Self.invitation()
        let inner = try Self.json(invitation)
        let bare = try InvitationPayload(json: inner)
        #expect(bare.namespaceId == Self.group && !bare.isWrapped && bare.extra.isEmpty)
        for wrapper in [
            #"{"__teamName":"Design","invitation":\#(inner)}"#,
            #"{"namespaceId":"x","spaceName":"S","invitation":\#(inner),"n":[1,null]}"#,
        ] {
            let payload = try InvitationPayload(json: wrapper)
            #expect(payload.isWrapped && payload.namespaceId == Self.group)
            #expect(payload.extra["invitation"] == nil && !payload.extra.isEmpty)
            let again = try InvitationPayload(token: payload.token())
            #expect(again.extra == payload.extra)
            #expect(
                try JSONValue(jsonBytes: Data(again.json.utf8)) == JSONValue(jsonBytes: Data(wrapper.utf8)))
        }
        let made = try InvitationPayload(invitation, extra: ["team": "Design", "invitation": "mine"])
        #expect(made.extra == ["team": "Design"])
        #expect(try InvitationPayload(token: made.token()).extra == ["team": "Design"])
        #expect(try InvitationPayload(invitation).json == bare.json)
        #expect(throws: AccountError.self) { try InvitationPayload(invitation, extra: ["x": .number(.nan)]) }
    }

    /// Digits that no double holds, unknown fields on every level, nulls and empty lists that were spelled out.
    @Test func nothingIsLostOnTheWay() throws {
        let bytes = "[\(Array(repeating: "171", count: 32).joined(separator: ","))]"
        let inner =
            #"{"invitation":{"inviter_identity":\#(bytes),"group_id":\#(bytes),"expiration_timestamp":0,"secret_salt":\#(bytes),"#
            + #""admitters":[],"later":{"a":[1.5,true]}},"inviter_signature":"00","inviter_account":null,"#
            + #""admitter_addrs":[],"new_field":[{"x":null}]}"#
        let wrapper =
            #"{"big":123456789012345678901234567890,"exact":1.10,"invitation":\#(inner),"ключ":"значение"}"#
        let payload = try InvitationPayload(json: wrapper)
        let again = try InvitationPayload(token: payload.token())
        let text = try again.json
        #expect(text.contains("123456789012345678901234567890") && text.contains("1.10"))
        var expected = JSONWriter()
        try expected.write(ExactJSON(jsonBytes: Data(wrapper.utf8)))
        #expect(text == String(decoding: expected.bytes, as: UTF8.self))
        // Where a number inside the invitation could not be kept, it is refused in place of being altered.
        let altered = inner.replacingOccurrences(of: "1.5", with: "9007199254740993")
        #expect(throws: MeroError.self) { try InvitationPayload(json: altered) }
    }

    @Test(arguments: [
        "", "[]", "null", "7", "{", "{}", #"{"invitation":{}}"#, #"{"invitation":null}"#, #"{"invitation":[1]}"#,
        #"{"inviter_signature":"00"}"#, #"{"inviter_signature":"00","invitation":{}}"#,
        #"{"invitation":{"inviter_signature":"00","invitation":{"group_id":[1]}}}"#, #"{"v":2,"payload":"…"}"#,
    ])
    func whatIsNoInvitation(json: String) {
        let error = #expect(throws: MeroError.self) { try InvitationPayload(json: json) }
        guard case .decoding? = error else { return #expect(Bool(false), "another error") }
    }

    @Test func whatIsTooDeepOrTooLarge() {
        for json in [
            "{\"a\":" + String(repeating: "[", count: 100_000) + "}", String(repeating: "x", count: 1 << 21),
            #"{"a":""# + String(repeating: "x", count: 1 << 20) + #""}"#,
        ] {
            #expect(throws: MeroError.self) { try InvitationPayload(json: json) }
        }
    }

    @Test func aGroupThatIsNoIdIsRefused() throws {
        var invitation = try Self.invitation()
        for group in [[1, 2], Array(repeating: 256, count: 32), Array(repeating: -1, count: 32), []] {
            invitation.invitation.groupId = group
            let short = invitation
            #expect(throws: AccountError.self) { try InvitationPayload(short) }
            #expect(throws: MeroError.self) { try InvitationPayload(json: Self.json(short)) }
        }
    }

    @Test func whatIsPastedIsRead() throws {
        let payload = try InvitationPayload(Self.invitation())
        let token = try payload.token()
        let link = InviteLink.invitation(token: token, slug: "com.example.notes")
        for text in [
            token, " \(token)\n", link, link + "#top",
            "HTTPS://other.example/com.example.notes/join?a=b&invitation=\(token)",
            "calimero://com.example.notes/join?invitation=\(token)", try payload.json,
        ] {
            let read = try InvitationPayload.read(pasted: text, expectedSlug: "com.example.notes")
            #expect(try read?.json == payload.json)
        }
        for text in ["", "  ", link.replacingOccurrences(of: "notes", with: "notes-ar")] {
            #expect(try InvitationPayload.read(pasted: text, expectedSlug: "com.example.notes") == nil)
        }
        for text in [
            "https://links.calimero.network/com.example.notes/join",
            "https://links.calimero.network/com.example.notes/join#invitation=\(token)",
            "https://links.calimero.network/com.example.notes/join?invitation=", "hello", String(token.dropLast(5)),
        ] {
            #expect(throws: MeroError.self) {
                try InvitationPayload.read(pasted: text, expectedSlug: "com.example.notes")
            }
        }
    }

    // MARK: Expiry

    @Test func expiryIsTheInvitationsOwnWord() throws {
        let invitation = try Self.invitation(expiresAt: 1_000_000)
        func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }
        #expect(invitation.expiresAt == date(1_000_000))
        // A minute is what clocks may differ by.
        #expect(!invitation.isExpired(at: date(1_000_060)) && invitation.isExpired(at: date(1_000_061)))
        try invitation.checkNotExpired(at: date(1_000_060))
        let error = #expect(throws: AccountError.self) { try invitation.checkNotExpired(at: date(1_000_100)) }
        #expect(error?.localizedDescription.contains("100 seconds ago") == true)
        var forever = invitation
        forever.invitation.expirationTimestamp = 0
        #expect(forever.expiresAt == nil && !forever.isExpired(at: .distantFuture))
        for odd in [Int.min, -1] {
            forever.invitation.expirationTimestamp = odd
            #expect(forever.isExpired(at: date(1)) == (odd == .min))
            let past = forever
            #expect(throws: AccountError.self) { try past.checkNotExpired(at: date(1_000_000)) }
        }
    }

    @Test(arguments: [
        (400, JoinRefusal.rejected), (500, .rejected), (401, .notAllowed), (403, .notAllowed), (409, .consumed),
        (503, .unreachable), (504, .unreachable), (418, .other),
    ])
    func refusalsOfANode(status: Int, refusal: JoinRefusal) throws {
        let invitation = try Self.invitation(expiresAt: 1_000_000)
        let error = MeroError.http(HTTPError(status: status, url: "u", headers: [:], body: Data()))
        let before = Date(timeIntervalSince1970: 1_000_000)
        #expect(JoinRefusal(error, invitation: invitation, now: before) == refusal)
        #expect(refusal.isRetryable == [503, 504].contains(status))
        // Whatever the status: the person needs a fresh one.
        let after = Date(timeIntervalSince1970: 1_000_100)
        #expect(JoinRefusal(error, invitation: invitation, now: after) == .expired)
        #expect(JoinRefusal(MeroError.network("n"), invitation: invitation, now: before) == .other)
    }

    @Test func aNodeIsNotAskedWithAnExpiredInvitation() async throws {
        let engine = ScriptedEngine { request, _ in
            .status(
                200, [:],
                #"{"data":{"namespaceId":"\#(Self.group)","memberIdentity":"\#(Self.group)","memberAccount":"\#(Self.group)"}}"#
            )
        }
        let admin = AdminApi(
            http: URLSessionHttpClient(
                baseURL: try #require(URL(string: "https://node.example")), engine: engine))
        let invitation = try Self.invitation(expiresAt: 1_000_000)
        guard
            case AccountError.invalidInput? = await failure(of: {
                try await NodeJoin.join(invitation, admin: admin, now: Date(timeIntervalSince1970: 1_000_061))
            })
        else { return #expect(Bool(false), "sent") }
        #expect(engine.requests.isEmpty)
        try await NodeJoin.join(
            invitation, groupName: "g", admin: admin, now: Date(timeIntervalSince1970: 1_000_000))
        #expect(engine.requests.map(\.url) == ["https://node.example/admin-api/namespaces/\(Self.group)/join"])
        guard case .bytes(let body)? = engine.requests.first?.body else { return #expect(Bool(false), "no body") }
        let sent = try JSONValue(jsonBytes: body)
        #expect(sent["groupName"] == "g")
        #expect(try sent["invitation"] == JSONValue(jsonBytes: Data(Self.json(invitation).utf8)))
    }

    // MARK: Waiting for an answer

    @Test func aPendingInvitationSurvivesTheSignIn() throws {
        let folder = try TemporaryFolder()
        func store() -> PendingInvitationStore {
            PendingInvitationStore(store: AnyValueStore(FileValueStore(url: folder.file("pending.json"))))
        }
        func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }
        let payload = try InvitationPayload(Self.invitation(expiresAt: 1_000_000), extra: ["team": "Design"])
        #expect(store().current() == nil)
        try store().keep(payload, now: date(999_000))
        let kept = try #require(store().current(now: date(999_500)))
        #expect(try kept.json == payload.json && kept.extra == ["team": "Design"])
        // Expired meanwhile: dropped.
        #expect(store().current(now: date(1_000_061)) == nil)
        #expect(store().current(now: date(999_500)) == nil)
        #expect(throws: AccountError.self) { try store().keep(payload, now: date(1_000_061)) }
        try store().keep(payload, now: date(999_000))
        store().clear()
        #expect(store().current(now: date(999_000)) == nil)
        try Data(#"{"json":"{}","receivedAt":0}"#.utf8).write(to: folder.file("pending.json"))
        #expect(store().current() == nil)
    }
}
