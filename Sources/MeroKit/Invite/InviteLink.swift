import Foundation

/// Links that carry an invitation to the app that it is for.
///
/// `https://links.calimero.network/<package id>/join?invitation=<token>`, or `calimero://` on the same device. Never join
/// because a link was opened: show first who invites to what, and ask. Spec: 50, section 17, and 70, section 10.3.
public enum InviteLink {
    /// Where links point to.
    public static let defaultHost = "https://links.calimero.network"
    /// What an invitation asks for.
    public static let joinAction = "join"
    /// The parameter that holds the token.
    public static let invitationParam = "invitation"

    private static let schemes = ["http://", "https://", "calimero://"]

    /// A link of any kind.
    ///
    /// - Parameters:
    ///   - slug: the package id of the app, e.g. `com.example.notes`.
    ///   - action: what the link is to do, e.g. `join`.
    ///   - params: further parameters of the link.
    ///   - host: the site that the link points to.
    public static func create(
        slug: String, action: String = joinAction, params: [String: String] = [:], host: String = defaultHost
    ) -> String {
        let base = host.hasSuffix("/") ? String(host.dropLast()) : host
        let query = params.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { "\(escape($0.key))=\(escape($0.value))" }.joined(separator: "&")
        return "\(base)/\(escape(slug))/\(escape(action))" + (query.isEmpty ? "" : "?\(query)")
    }

    /// A link that invites.
    public static func invitation(token: String, slug: String, host: String = defaultHost) -> String {
        create(slug: slug, params: [invitationParam: token], host: host)
    }

    /// The token in what somebody pasted or opened.
    ///
    /// What is no link comes back as it is, trimmed: it may be a bare token. Nil for nothing, and for a link to another app
    /// than `expectedSlug`: invitations of all apps look alike, and this one would lead to the wrong place.
    public static func token(fromPasted input: String, expectedSlug: String? = nil) -> String? {
        let text = input.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return nil }
        let start = text.prefix(12).lowercased()
        guard schemes.contains(where: start.hasPrefix) else { return text }
        // By hand: a URL's host is not what stands there when the scheme is not a web one.
        let link = text.prefix { $0 != "#" }
        let parts = link.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if let expectedSlug {
            let segments = parts[0].split(separator: "/").map { $0.lowercased() }
            guard segments.contains(expectedSlug.lowercased()) else { return nil }
        }
        guard parts.count == 2 else { return text }
        for parameter in parts[1].split(separator: "&") {
            let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair[0] == invitationParam else { continue }
            let value = pair.count == 2 ? String(pair[1]) : ""
            return value.removingPercentEncoding ?? value
        }
        return text
    }

    /// Leaves the unreserved characters of RFC 3986 alone.
    private static func escape(_ text: String) -> String {
        var output = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            if character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character)) {
                output.append(character)
            } else {
                output += "%" + Hex.encode(CollectionOfOne(byte)).uppercased()
            }
        }
        return output
    }
}
