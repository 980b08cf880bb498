import Foundation

/// Finds nodes on this machine.
///
/// Spec: 10, section 5.7.
public enum NodeDiscovery {
    /// The ports that local nodes listen on by default.
    public static let defaultLocalPorts: [Int] = [2428, 2429, 2528, 2529]

    /// `http://localhost:<port>`.
    public static func localNodeURL(port: Int) -> URL {
        URL(string: "http://localhost:\(port)") ?? URL(fileURLWithPath: "/")
    }

    /// A place under a node's base URL, whose own path (`https://host/node1`) is kept.
    ///
    /// - Parameter path: relative, without a slash in front.
    public static func endpoint(_ baseURL: URL, path: String) -> URL {
        let base = baseURL.absoluteString
        let folder = URL(string: base.hasSuffix("/") ? base : base + "/") ?? baseURL
        return URL(string: path, relativeTo: folder)?.absoluteURL ?? folder
    }

    /// Where a node tells whether it is alive, relative to its base URL.
    static let healthPath = "admin-api/health"

    /// What an answer to a health question means: true unless the node says, by status or in words, that it is not well.
    ///
    /// A body that is no JSON, or that names no state, leaves it at the status.
    static func isHealthy(status: Int, body: Data) -> Bool {
        guard (200..<300).contains(status) else { return false }
        guard let answer = try? JSONValue(jsonBytes: body), let state = answer["data"]?["status"] ?? answer["status"]
        else { return true }
        return state.stringValue?.lowercased() == "alive"
    }
}
