import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Finds nodes on this machine. Nothing here throws. Spec: 10, section 5.7.
public enum NodeDiscovery {
    /// The ports that locally started nodes use by convention.
    public static let defaultLocalPorts = [2428, 2429, 2528, 2529]

    /// `http://localhost:<port>`.
    public static func localNodeURL(port: Int) -> URL {
        URL(string: "http://localhost:\(port)") ?? URL(fileURLWithPath: "/")
    }

    /// A route below a base URL, whose own path prefix is kept. `path` is relative, without a leading slash.
    public static func endpoint(_ baseURL: URL, path: String) -> URL {
        let base = baseURL.absoluteString
        let directory = URL(string: base.hasSuffix("/") ? base : base + "/") ?? baseURL
        return URL(string: path, relativeTo: directory)?.absoluteURL ?? directory.appendingPathComponent(path)
    }

    /// Whether a healthy node answers there. False for every failure, cancellation included.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of the node.
    ///   - timeout: Seconds.
    ///   - session: Nil takes the platform's default HTTP stack.
    public static func probeHealth(
        _ baseURL: URL, timeout: TimeInterval = 2, session: URLSession? = nil
    ) async -> Bool {
        let http = URLSessionHttpClient(baseURL: baseURL, timeout: timeout, session: session, retryPolicy: .never)
        let path = endpoint(baseURL, path: healthPath).absoluteString
        guard let (body, head) = try? await http.sendRaw(HttpRequest(path: path)) else { return false }
        return isHealthy(status: head.status, body: body)
    }

    /// The local nodes that are healthy, in the order of the ports given.
    ///
    /// - Parameters:
    ///   - ports: Ports of this machine.
    ///   - timeout: Seconds for each probe; all run at once.
    ///   - session: Nil takes the platform's default HTTP stack.
    public static func discoverLocalNodes(
        ports: [Int] = defaultLocalPorts, timeout: TimeInterval = 2, session: URLSession? = nil
    ) async -> [URL] {
        await withTaskGroup(of: (Int, Bool).self) { group in
            for (index, port) in ports.enumerated() {
                group.addTask {
                    (index, await probeHealth(localNodeURL(port: port), timeout: timeout, session: session))
                }
            }
            var healthy = Set<Int>()
            for await (index, isHealthy) in group where isHealthy { healthy.insert(index) }
            return ports.indices.filter(healthy.contains).map { localNodeURL(port: ports[$0]) }
        }
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
