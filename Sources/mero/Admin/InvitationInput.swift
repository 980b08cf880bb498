import Foundation
import MeroKit

/// An invitation that a person has: a link, a token, or JSON.
enum InvitationInput {
    /// - Parameter word: The invitation, or `-` for what standard input holds.
    static func read(_ word: String, _ invocation: Invocation) async throws -> SignedGroupOpenInvitation {
        var text = word
        if text == "-" {
            text = String(decoding: try await invocation.surroundings.input.everything(limit: 1 << 20), as: UTF8.self)
        }
        do {
            return try SignedGroupOpenInvitation(pasted: text)
        } catch {
            throw Failure(
                code: .usage, message: "That is no invitation: neither a link, nor a token, nor JSON",
                hint: "Nothing was sent")
        }
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
    var expires: Date? {
        invitation.expirationTimestamp > 0 ? Date(timeIntervalSince1970: Double(invitation.expirationTimestamp)) : nil
    }

    var roleWord: String {
        switch invitation.invitedRole ?? 1 {
        case 0: return "admin"
        case 1: return "member"
        case 2: return "reader"
        default: return "unknown"
        }
    }
}
