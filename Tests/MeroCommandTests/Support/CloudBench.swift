import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A workbench with a cloud, whose relay is the workbench's node.
struct CloudBench: Sendable {
    let bench: Workbench
    let cloud: DevCloud
    let peer: String
    /// On the node; the cloud has it hosted there.
    let namespace: String
    let context: String

    static func with(_ body: (CloudBench) async throws -> Void) async throws {
        try await Workbench.with { bench in
            let namespace = try bench.node.createNamespace(contract: KeyValueContract())
            let context = try bench.node.createContext(KeyValueContract(), inGroup: namespace)
            let cloud = try await DevCloud.start()
            do {
                let peer = cloud.add(bench.node)
                try cloud.assign(peer, toNamespace: namespace)
                try await body(
                    CloudBench(bench: bench, cloud: cloud, peer: peer, namespace: namespace, context: context))
            } catch {
                await cloud.stop()
                throw error
            }
            await cloud.stop()
        }
    }

    var folder: TemporaryFolder { bench.folder }

    func profileFile(_ name: String, profile: String = "default") -> URL {
        folder.file("config/mero/profiles/\(profile)/\(name)")
    }

    func mero(_ words: String..., input: String = "") async throws -> Program.Outcome {
        try await bench.start(words, input: input).outcome()
    }

    /// Starts a login of the device, and waits until it shows where to go.
    func startLogin(_ words: String...) async throws -> (running: RunningProgram, page: URL) {
        let all = ["cloud", "login", "--no-browser", "--json", "--cloud", cloud.url.absoluteString] + words
        let running = try bench.start(all)
        #expect(try await eventually { running.hasEnded || !running.documents.isEmpty })
        let page = running.documents.first?["url"]?.stringValue.flatMap(URL.init(string:))
        return (running, try #require(page, "\(running.errorsSoFar)"))
    }

    /// Signs a device in from beginning to end.
    @discardableResult
    func login(_ words: String..., profile: String = "default") async throws -> JSONValue {
        let (running, page) = try await startLogin("--profile", profile)
        _ = try await Web.deliver(try cloud.wallet.visit(page))
        let outcome = await running.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(outcome.documents.last)
    }

    /// The invitation that the node makes, as a token.
    func invitation(role: DevRole = .member) throws -> String {
        try #require(InviteCodec.encode(json: try bench.node.createInvitation(namespace: namespace, role: role)))
    }
}

/// What a browser does with the page that the wallet returns to.
enum Web {
    struct Reply: Sendable {
        let status: Int
        let text: String
        let headers: [String: String]
    }

    /// Opens the page, and hands over the fragment as the page's script does.
    static func deliver(_ callback: URL, origin: String? = nil) async throws -> Reply {
        let parts = callback.absoluteString.split(separator: "#", maxSplits: 1).map(String.init)
        let page = try #require(URL(string: parts[0]))
        let shown = try await send("GET", page)
        #expect(shown.status == 200 && shown.text.contains("location.hash"))
        return try await send("POST", page, body: parts.count > 1 ? parts[1] : "", origin: origin)
    }

    static func send(_ method: String, _ url: URL, body: String? = nil, origin: String? = nil) async throws -> Reply {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        if let origin { request.setValue(origin, forHTTPHeaderField: "Origin") }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        let headers = http.allHeaderFields.map { (("\($0.key)").lowercased(), "\($0.value)") }
        return Reply(
            status: http.statusCode, text: String(decoding: data, as: UTF8.self),
            headers: Dictionary(headers) { first, _ in first })
    }

    /// The head of an answer, without following where it leads; the `Host` header is the caller's.
    static func head(_ url: URL, host: String? = nil, in folder: TemporaryFolder) async throws -> String {
        let port = try #require(url.port)
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            printf 'GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' "$1" "$2" >&3
            cat <&3
            """
        let parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
        let target = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
        let words = ["-c", script, "bash", target, host ?? "127.0.0.1:\(port)"]
        return try await Program("/bin/bash", words).run(in: folder).output
    }
}
