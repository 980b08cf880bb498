/// The proxy variables that the HTTP stack obeys, and what they mean for one node.
struct ProxySettings: Sendable {
    let variables: [String: String]

    /// The variable that decides for this address, nil when there is no proxy on the way.
    func variable(for node: NodeAddress) -> String? {
        // The upper-case form of http_proxy is not read: a web server sets it from a request header.
        let names = node.isEncrypted ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        guard let name = (names + ["all_proxy", "ALL_PROXY"]).first(where: { !(variables[$0] ?? "").isEmpty }) else {
            return nil
        }
        return exempts(node.host) ? nil : name
    }

    /// Whether `no_proxy` names the host, its domain, or everything.
    private func exempts(_ host: String) -> Bool {
        let list = variables["no_proxy"] ?? variables["NO_PROXY"] ?? ""
        return list.split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
            let name = entry.lowercased().drop { $0 == "." }
            return name == "*" || host == name || host.hasSuffix("." + name)
        }
    }

    func check(for node: NodeAddress?) -> Check {
        let name = "proxy"
        let set = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
            .filter { !(variables[$0] ?? "").isEmpty }
        guard !set.isEmpty else { return .ok(name, "no proxy variable is set") }
        // Only names are shown: a value can hold a password.
        let seen = "set: \(set.joined(separator: ", "))"
        guard let node, let deciding = variable(for: node) else { return .ok(name, "\(seen); not used for the node") }
        if node.isLoopback {
            return .warn(
                name, "\(seen); \(deciding) sends calls to this very machine through a proxy",
                "Add localhost,127.0.0.1,::1 to no_proxy")
        }
        return .ok(name, "\(seen); the node is reached through \(deciding)")
    }
}
