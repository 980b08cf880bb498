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
        var components = URLComponents()
        components.scheme = "http"
        components.host = "localhost"
        components.port = port
        return components.url ?? URL(fileURLWithPath: "/")
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
    ///   - timeout: Seconds.
    ///   - session: Nil takes the platform's default HTTP stack.
    public static func probeHealth(
        _ baseURL: URL, timeout: TimeInterval = 2, session: URLSession? = nil
    ) async -> Bool {
        let http = URLSessionHttpClient(baseURL: baseURL, timeout: timeout, session: session, retryPolicy: .never)
        let path = endpoint(baseURL, path: "admin-api/health").absoluteString
        guard let (body, _) = try? await http.sendRaw(HttpRequest(path: path)) else { return false }
        return isHealthy(body)
    }

    /// The local nodes that are healthy, in the order of the ports given.
    ///
    /// - Parameters:
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

    /// Judges the body of a 2xx health answer: anything without a status counts as healthy.
    static func isHealthy(_ body: Data) -> Bool {
        guard let value = try? MeroJSON.decode(JSONValue.self, from: body) else { return true }
        guard let status = value["data"]?["status"] ?? value["status"] else { return true }
        return status.stringValue?.lowercased() == "alive"
    }
}
