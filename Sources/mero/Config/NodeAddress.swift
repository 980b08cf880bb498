import Foundation

/// The base address of a node, checked.
struct NodeAddress: Sendable, Equatable {
    let url: URL
    /// Without a trailing slash, as shown and stored.
    let text: String

    /// Nil when `complaint(about:)` has something to say.
    init?(_ text: String) {
        guard Self.complaint(about: text) == nil, let url = URL(string: text) else { return nil }
        self.url = url
        self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// An address as it may be shown: without the user and the password that somebody may have put into it.
    static func shown(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        // A password may hold any character, slashes included: all before the last @ could be part of it.
        let before = text[..<at]
        let scheme = ["http://", "https://"].first { before.prefix($0.count).lowercased() == $0 }
        return "\(before.prefix(scheme?.count ?? 0))***\(text[at...])"
    }

    /// What is wrong with an address, nil when nothing is.
    static func complaint(about text: String) -> String? {
        guard !text.contains(where: \.isWhitespace), let parts = URLComponents(string: text) else {
            return "it is not an address"
        }
        guard let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            return "an address starts with http:// or https://"
        }
        guard let host = parts.host, !host.isEmpty else { return "it names no host" }
        if parts.user != nil || parts.password != nil {
            return "an address never carries a user or a password (use \"mero login\")"
        }
        if parts.query != nil || parts.fragment != nil { return "an address has no ? and no #" }
        if let port = parts.port, !(1...65535).contains(port) { return "its port is out of range" }
        return nil
    }
}

extension NodeAddress {
    /// True when both name the same node: a token for one may be sent to the other.
    func isSameNode(as other: NodeAddress) -> Bool { canonical == other.canonical }

    /// True when nothing sent there leaves this machine.
    var isLoopback: Bool {
        let host = host
        return host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || Self.isLoopbackAddress(host)
    }

    /// The same, but for names that somebody else may answer for.
    var isThisMachine: Bool { isLoopback && !host.hasSuffix(".localhost") }

    var isEncrypted: Bool { url.scheme?.lowercased() == "https" }

    /// Lower case, without the brackets of an IPv6 address.
    var host: String {
        (URLComponents(string: text)?.host ?? "").lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    }

    private static func isLoopbackAddress(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil } && parts[0] == "127"
    }

    /// One spelling for all that name the same node.
    var canonical: String {
        let parts = URLComponents(string: text)
        let port = parts?.port ?? (isEncrypted ? 443 : 80)
        var path = parts?.percentEncodedPath ?? ""
        while path.hasSuffix("/") { path.removeLast() }
        return "\(isEncrypted ? "https" : "http")://\(host):\(port)\(path)"
    }
}
