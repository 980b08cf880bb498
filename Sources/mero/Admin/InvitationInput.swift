import Foundation
import MeroKit

/// An invitation that a person has: a link, a token, or JSON.
enum InvitationInput {
    /// - Parameter word: The invitation, or `-` for what standard input holds.
    static func read(_ word: String, _ invocation: Invocation) async throws -> SignedGroupOpenInvitation {
        try await payload(word, invocation).invitation
    }

    /// The same, with what an app put around it.
    static func payload(_ word: String, _ invocation: Invocation) async throws -> InvitationPayload {
        var text = word
        if text == "-" {
            text = String(decoding: try await invocation.surroundings.input.everything(limit: 1 << 20), as: UTF8.self)
        }
        guard let payload = try? InvitationPayload.read(pasted: text, expectedSlug: nil) else {
            throw Failure(
                code: .usage, message: "That is no invitation: neither a link, nor a token, nor JSON",
                hint: "Nothing was sent")
        }
        return payload
    }
}

extension SignedGroupOpenInvitation {
    /// The group or namespace that the invitation is for, 64 hex. Throws when it names none.
    func groupId() throws -> String {
        do {
            return try namespaceId()
        } catch {
            throw Failure(code: .usage, message: "The invitation names no namespace", hint: "Nothing was sent")
        }
    }

    /// Nil for one that does not expire.
    var expires: Date? { expiresAt }

    var roleWord: String {
        switch invitation.invitedRole ?? 1 {
        case 0: return "admin"
        case 1: return "member"
        case 2: return "reader"
        default: return "unknown"
        }
    }
}
