import Foundation
import MeroKit

/// Reads an invitation as people hand it on: snake case, ids as lists of numbers, accounts in hex.
///
/// What it does not know is passed over; it is not signed. Throws `JsonShapeProblem`. Spec: 50, section 15.2.
enum InvitationReader {
    static func read(_ tree: JsonTree) throws -> SignedInvitation {
        guard let body = tree["invitation"] else { throw JsonShapeProblem.missing("invitation") }
        guard let signature = tree["inviter_signature"]?.stringValue else {
            throw JsonShapeProblem.missing("inviter_signature")
        }
        var expiration: UInt64 = 0
        if let value = body["expiration_timestamp"] {
            guard let seconds = value.integer(UInt64.self) else { throw JsonShapeProblem.type(value, expected: "u64") }
            expiration = seconds
        }
        let role = body["invited_role"]?.integer(UInt8.self) ?? 1
        do {
            return try SignedInvitation(
                body: InvitationBody(
                    inviterIdentity: bytes(body, "inviter_identity"), groupId: bytes(body, "group_id"),
                    expirationTimestamp: expiration, nonce: bytes(body, "secret_salt"), invitedRole: role,
                    admitters: (body["admitters"]?.arrayValue ?? []).map { try account($0, "admitters") }),
                inviterSignature: signature,
                inviterAccount: optional(tree["inviter_account"]).map { try account($0, "inviter_account") },
                admitterAddrs: (tree["admitter_addrs"]?.arrayValue ?? []).map { address in
                    guard let text = address.stringValue else {
                        throw JsonShapeProblem.type(address, expected: "a string")
                    }
                    return text
                },
                applicationId: optional(tree["application_id"]).map { _ in try bytes(tree, "application_id") },
                appKey: optional(tree["app_key"]).map { _ in try bytes(tree, "app_key") })
        } catch let problem as JsonShapeProblem {
            throw problem
        } catch {
            throw JsonShapeProblem(description: "\(error)")
        }
    }

    private static func optional(_ value: JsonTree?) -> JsonTree? { value == .null ? nil : value }

    private static func bytes(_ tree: JsonTree, _ name: String) throws -> Data {
        guard let value = tree[name] else { throw JsonShapeProblem.missing(name) }
        guard let items = value.arrayValue, items.count == 32 else {
            throw JsonShapeProblem.type(value, expected: "an array of length 32")
        }
        return Data(
            try items.map { item in
                guard let byte = item.integer(UInt8.self) else { throw JsonShapeProblem.type(item, expected: "u8") }
                return byte
            })
    }

    private static func account(_ value: JsonTree, _ name: String) throws -> Data {
        guard let bytes = value.stringValue.flatMap({ Hex.decode($0) }), bytes.count == 32 else {
            throw JsonShapeProblem(description: "\(name): expected 64 hexadecimal characters")
        }
        return Data(bytes)
    }
}
