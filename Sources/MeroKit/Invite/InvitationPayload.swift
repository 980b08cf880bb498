import Foundation

/// What an invitation's token holds: the invitation, and whatever the app that made it put around it.
///
/// Apps pass on either the bare invitation or an object of their own with the invitation in it, e.g.
/// `{"__teamName":"Design","invitation":{…}}`. Nothing is lost on the way through, fields that nobody knows included.
///
/// ```swift
/// guard let payload = try InvitationPayload.read(pasted: text, expectedSlug: "com.example.notes") else { return }
/// if payload.invitation.isExpired() { return tell("This invitation has expired.") }
/// // … show who invites, to what and until when; once the person agrees:
/// try await signIn.join(namespaceId: payload.namespaceId, invitation: payload.invitation)
/// ```
///
/// Spec: 70, section 10.2.
public struct InvitationPayload: Sendable {
    /// The invitation.
    public let invitation: SignedGroupOpenInvitation
    /// The group or namespace that it invites to, 64 hex characters.
    public let namespaceId: String
    /// The members around the invitation, in their order and to the last digit; nil for a bare one.
    private let wrapper: [ExactJSON.Member]?

    private static let key = "invitation"
    private static let mark = "inviter_signature"

    /// A bare invitation. Throws `AccountError.invalidInput` for one whose group is no id.
    public init(_ invitation: SignedGroupOpenInvitation) throws {
        try self.init(invitation, wrapper: nil)
    }

    /// An invitation with fields around it. Throws `AccountError.invalidInput` for one whose group is no id, and for numbers
    /// that JSON cannot express.
    public init(_ invitation: SignedGroupOpenInvitation, extra: [String: JSONValue]) throws {
        guard let bytes = try? JSONWriter.bytes(of: .object(extra)),
            case .object(let members)? = try? ExactJSON(jsonBytes: bytes)
        else { throw AccountError.invalidInput("the fields around the invitation cannot be written as JSON") }
        try self.init(invitation, wrapper: members.filter { $0.key != Self.key })
    }

    /// Reads a JSON text. Throws `MeroError.decoding` for what holds no invitation.
    public init(json: String) throws {
        guard json.utf8.count <= InviteCodec.jsonLimit, let tree = try? ExactJSON(jsonBytes: Data(json.utf8)),
            case .object(let members) = tree
        else { throw MeroError.decoding("the invitation is no JSON object") }
        let isBare = tree[Self.mark] != nil
        guard let found = isBare ? tree : tree[Self.key], found[Self.mark] != nil else {
            throw MeroError.decoding("the JSON object holds no signed invitation")
        }
        var writer = JSONWriter()
        let invitation: SignedGroupOpenInvitation
        do {
            try writer.write(found)
            invitation = try MeroJSON.decode(SignedGroupOpenInvitation.self, from: Data(writer.bytes))
        } catch let error as MeroError {
            throw error
        } catch {
            throw MeroError.decoding("the invitation has something else in it than it should")
        }
        do {
            try self.init(invitation, wrapper: isBare ? nil : members.filter { $0.key != Self.key })
        } catch {
            throw MeroError.decoding(error.localizedDescription)
        }
    }

    /// Reads a token, in any of the forms of `InviteCodec`. Throws `MeroError.decoding`.
    public init(token: String) throws {
        guard let json = InviteCodec.decode(token: token) else { throw InviteCodec.unrecognizable }
        try self.init(json: json)
    }

    private init(_ invitation: SignedGroupOpenInvitation, wrapper: [ExactJSON.Member]?) throws {
        self.invitation = invitation
        self.wrapper = wrapper
        namespaceId = try invitation.targetId
    }

    /// Reads what somebody pasted or opened: a link, or a bare token. Nil for nothing, and for a link to another app.
    ///
    /// Throws `MeroError.decoding` for what is no invitation.
    ///
    /// - Parameters:
    ///   - text: What was pasted or opened.
    ///   - expectedSlug: The app's package id. Give it: invitations of all apps look alike.
    public static func read(pasted text: String, expectedSlug: String?) throws -> InvitationPayload? {
        try InviteLink.token(fromPasted: text, expectedSlug: expectedSlug).map(InvitationPayload.init(token:))
    }

    /// Whether there is something around the invitation.
    var isWrapped: Bool { wrapper != nil }

    /// The fields around the invitation, for reading. Integers beyond 2^53 lose digits here, and only here.
    public var extra: [String: JSONValue] {
        guard let wrapper else { return [:] }
        var writer = JSONWriter()
        guard (try? writer.write(ExactJSON.object(wrapper))) != nil,
            case .object(let members)? = try? JSONValue(jsonBytes: writer.bytes)
        else { return [:] }
        return members
    }

    /// The payload as JSON, as it came.
    public var json: String {
        get throws {
            var writer = JSONWriter()
            do {
                let inner = try ExactJSON(jsonBytes: MeroJSON.encode(invitation))
                try writer.write(wrapper.map { .object($0 + [.init(key: Self.key, value: inner)]) } ?? inner)
            } catch {
                throw MeroError.decoding("the invitation cannot be written as JSON")
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    /// The payload as a token. Throws `MeroError.decoding` for one that is too large.
    public func token() throws -> String {
        guard let token = InviteCodec.encode(json: try json) else {
            throw MeroError.decoding("the invitation is too large for a token")
        }
        return token
    }
}
