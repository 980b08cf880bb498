import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// What a node takes and refuses, byte by byte, from a client that sends what no proper one would. Spec: 80, sections 1.2 to
/// 1.8.
@Suite("Sealed bytes at a node") struct SealedWireTests {
    /// One session, and whatever is to be sent in it.
    private struct Peer {
        let node: DevNode
        let base: String
        let outcome: NoiseHandshake.Outcome
        private let engine: any HttpEngine

        init(_ node: DevNode, prefix: String = "") async throws {
            self.node = node
            base = node.url.absoluteString + prefix
            engine = try EngineUnderTest.allCases[0].make()
            let handshake = try NoiseHandshake(transportKey: Array(node.sealed.transportKey))
            let answer = try await engine.perform(
                Self.request(base + "/sealed/v2/handshake", Data(handshake.request)))
            #expect(answer.status == 200 && answer.body.count == 69 && answer.isSealed)
            outcome = try handshake.finish(Array(answer.body))
        }

        static func request(
            _ url: String, _ body: Data, method: String = "POST", headers: [(String, String)] = []
        ) -> EngineRequest {
            EngineRequest(
                url: url, method: method,
                headers: [("Content-Type", SealedSessions.contentType)] + headers.map { (name: $0.0, value: $0.1) },
                body: .bytes(body), inactivityTimeout: 20, sink: .memory(limit: 1 << 24))
        }

        func header(_ id: UInt64, version: UInt8 = 2, session: [UInt8]? = nil) -> [UInt8] {
            [version] + (session ?? outcome.sessionId) + BigEndian.bytes(id)
        }

        func envelope(_ id: UInt64, _ inner: Data, header: [UInt8]? = nil) -> Data {
            let header = header ?? self.header(id)
            let key = outcome.requestKey.withUnsafeBytes { Array($0) }
            let nonce = Array(header.suffix(8)) + [0, 0, 0, 0]
            return Data(header + (AesGcm.seal(Array(inner), key: key, nonce: nonce, aad: header) ?? []))
        }

        static func inner(_ head: String, _ body: String = "") -> Data {
            Data(BigEndian.bytes(UInt32(head.utf8.count)) + head.utf8 + body.utf8)
        }

        /// The code of the refusal that this leads to; nil when it is answered sealed.
        func code(_ envelope: Data) async throws -> String? {
            let answer = try await post(envelope)
            if answer.isSealed { return nil }
            let refusal = HTTPError(status: answer.status, url: "", headers: answer.headers, body: answer.body)
            return "\(answer.status) \(refusal.sealedRefusal?.code ?? "")"
        }

        func post(_ envelope: Data, headers: [(String, String)] = []) async throws -> EngineResponse {
            try await engine.perform(Self.request(base + "/sealed/v2", envelope, headers: headers))
        }

        func method(_ method: String, _ path: String) async throws -> EngineResponse {
            try await engine.perform(Self.request(node.url.absoluteString + path, Data(), method: method))
        }

        /// Sends a head, and reads the answer out of its seal.
        func ask(
            _ id: UInt64, _ head: String, _ body: String = "", headers: [(String, String)] = []
        ) async throws -> (status: Int, body: JSONValue) {
            let answer = try await post(envelope(id, Self.inner(head, body)), headers: headers)
            #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store")
            var reader = SealedFrameReader(
                responseKey: AesGcmKey(outcome.responseKey), header: header(id), requestId: id)
            var status = 0
            var content = Data()
            try answer.body.withUnsafeBytes { bytes in
                try reader.read(bytes) { frame in
                    switch frame {
                    case .head(let head): status = head.status
                    case .data(let bytes): content.append(contentsOf: bytes)
                    case .end: break
                    }
                }
            }
            return (status, (try? JSONValue(jsonBytes: content)) ?? .null)
        }
    }

    private static func withPeer(
        _ options: DevNodeOptions = DevNodeOptions(), _ body: (Peer) async throws -> Void
    ) async throws {
        let node = try await DevNode.start(options)
        do {
            try await body(Peer(node))
        } catch {
            await node.stop()
            throw error
        }
        await node.stop()
    }

    private static func options(_ change: (inout DevNodeOptions) -> Void) -> DevNodeOptions {
        var options = DevNodeOptions()
        change(&options)
        return options
    }

    private static let health = #"{"method":"GET","path":"/admin-api/health"}"#

    @Test func headsThatMeanNothing() async throws {
        try await Self.withPeer { peer async throws in
            let bad = [
                "", "{}", "[]", "nonsense", #"{"method":"GET"}"#, #"{"path":"/"}"#, #"{"method":"GET","path":"x"}"#,
                #"{"method":"GET","path":""}"#, #"{"method":"","path":"/"}"#, #"{"method":"G T","path":"/"}"#,
                #"{"method":"GET","path":"/a b"}"#, #"{"method":"GET","path":"/","extra":1}"#,
                #"{"method":"GET","path":"/","headers":{}}"#, #"{"method":"GET","path":"/","headers":[["a"]]}"#,
                #"{"method":"GET","path":"/","headers":[["a","b","c"]]}"#,
                #"{"method":"GET","path":"/","headers":[["a","ü"]]}"#,
                #"{"method":"GET","path":"/","headers":[["a","b\n"]]}"#,
                #"{"method":"GET","path":"/sealed/v2"}"#, #"{"method":"POST","path":"/sealed/v2/handshake"}"#,
                #"{"method":"GET","path":"/sealed/v2?x=1"}"#,
            ]
            for (index, head) in bad.enumerated() {
                let code = try await peer.code(peer.envelope(UInt64(index + 1), Peer.inner(head)))
                #expect(code == "400 malformed", "\(head)")
            }
            // Lengths that do not fit what is there, or are over the limit.
            for (index, inner) in [
                Data(), Data([0, 0, 0]), Data([0, 0, 0, 1]), Data(BigEndian.bytes(UInt32.max)),
                Peer.inner(
                    #"{"method":"GET","path":"/admin-api/health","headers":[["a","\#(String(repeating: "x", count: 65_536))"]]}"#
                ),
            ].enumerated() {
                #expect(try await peer.code(peer.envelope(UInt64(100 + index), inner)) == "400 malformed")
            }
            #expect(peer.node.handlerRuns("GET", "/admin-api/health") == 0)
            #expect(try await peer.ask(200, Self.health).status == 200)
        }
    }

    /// Length and version first, then the session, then the seal, then the id; what is forged spends none.
    @Test func checksInTheirOrder() async throws {
        try await Self.withPeer { peer async throws in
            let inner = Peer.inner(Self.health)
            #expect(try await peer.code(Data(count: 40)) == "400 malformed")
            #expect(try await peer.code(Data()) == "400 malformed")
            let other = [UInt8](repeating: 9, count: 16)
            #expect(
                try await peer.code(Data(peer.header(1, version: 1, session: other)) + Data(count: 16))
                    == "400 unsupported_version")
            #expect(
                try await peer.code(Data(peer.header(1, session: other)) + Data(count: 16)) == "409 unknown_session")
            #expect(try await peer.code(Data(peer.header(1)) + Data(count: 16)) == "400 undecryptable")
            // Of another id than the one it was sealed for.
            var moved = peer.envelope(7, inner)
            moved[24] = 8
            #expect(try await peer.code(moved) == "400 undecryptable")
            #expect(try await peer.code(peer.envelope(0, inner)) == "400 replayed_request")
            for id in [8, 1, 7, 3] as [UInt64] {
                #expect(try await peer.code(peer.envelope(id, inner)) == nil)
                #expect(try await peer.code(peer.envelope(id, inner)) == "400 replayed_request")
            }
            #expect(peer.node.handlerRuns("GET", "/admin-api/health") == 4)
        }
    }

    @Test func idsBelowTheWindowAreRefused() async throws {
        try await Self.withPeer(Self.options { $0.sealing.window = 3 }) { peer async throws in
            let inner = Peer.inner(Self.health)
            for id in [10, 20, 30] as [UInt64] { #expect(try await peer.code(peer.envelope(id, inner)) == nil) }
            #expect(try await peer.code(peer.envelope(15, inner)) == nil)
            // 10 is forgotten now.
            for id in [10, 9, 1] as [UInt64] {
                #expect(try await peer.code(peer.envelope(id, inner)) == "400 replayed_request")
            }
            #expect(try await peer.code(peer.envelope(.max, inner)) == nil)
        }
    }

    @Test func handshakesThatAreNone() async throws {
        try await Self.withPeer { peer async throws in
            let key = Array(peer.node.sealed.transportKey)
            let good = try NoiseHandshake(transportKey: key).request
            let engine = try EngineUnderTest.allCases[0].make()
            func code(_ body: [UInt8]) async throws -> String {
                let answer = try await engine.perform(Peer.request(peer.base + "/sealed/v2/handshake", Data(body)))
                let error = HTTPError(status: answer.status, url: "", headers: [:], body: answer.body)
                return "\(answer.status) \(error.sealedRefusal?.code ?? "")"
            }
            #expect(try await code([]) == "400 malformed")
            #expect(try await code(Array(good.dropLast())) == "400 malformed")
            #expect(try await code(good + [0]) == "400 malformed")
            #expect(try await code([1] + good.dropFirst()) == "400 unsupported_version")
            var bent = good
            bent[80] ^= 1
            #expect(try await code(bent) == "400 undecryptable")
            bent = good
            bent[1] ^= 1
            #expect(try await code(bent) == "409 stale_transport_key")
            // A point of low order, to which every secret is the same.
            #expect(try await code([2] + key + [UInt8](repeating: 0, count: 48)) == "400 malformed")
            // A message that is not empty has another length.
            #expect(try await code(good + [UInt8](repeating: 0, count: 16)) == "400 malformed")
            for path in ["/sealed/v2", "/sealed/v2/handshake"] {
                let answer = try await peer.method("GET", path)
                #expect(answer.status == 405 && answer.body.isEmpty)
            }
            #expect(peer.node.sealed.sessionCount == 1)
        }
    }

    /// Where the request came in says where it is served.
    @Test func whatIsTakenFromTheOuterRequest() async throws {
        try await Self.withPeer(Self.options { $0.pathPrefix = "/n" }) { root async throws in
            let peer = try await Peer(root.node, prefix: "/n")
            #expect(try await peer.ask(1, Self.health).status == 200)
            #expect(root.node.handlerRuns("GET", "/n/admin-api/health") == 1)
            // An envelope at the root is served at the root, where this node serves nothing of the kind.
            #expect(try await root.ask(1, Self.health).status == 404)
            // Below the prefix stands the endpoint itself, which takes nothing sealed.
            #expect(
                try await peer.code(peer.envelope(2, Peer.inner(#"{"method":"POST","path":"/sealed/v2"}"#)))
                    == "400 malformed")
        }
    }

    @Test func aWebSocketIsRefusedInItsSeal() async throws {
        try await Self.withPeer { peer async throws in
            let head = #"{"method":"GET","path":"/ws","headers":[["Upgrade","websocket"]]}"#
            let (status, body) = try await peer.ask(1, head)
            #expect(status == 501)
            #expect(
                body["error"]?["message"]
                    == "a WebSocket cannot be sealed; subscribe over server-sent events instead")
        }
    }

    /// Behind a proxy that checks tokens, only what needs none is served, by its exact path.
    @Test func routesBehindAProxy() async throws {
        try await Self.withPeer(
            Self.options {
                $0.sealing.reach = .unguarded
                $0.delegatedAccess = true
            }
        ) { peer async throws in
            let id = String(repeating: "ab", count: 32)
            var next: UInt64 = 0
            func isReached(_ path: String, _ method: String = "GET") async throws -> Bool {
                next += 1
                let (status, body) = try await peer.ask(next, #"{"method":"\#(method)","path":"\#(path)"}"#)
                return !(status == 403 && body["error"]?["code"] == "sealed_route_unguarded")
            }
            for path in ["health", "ready", "is-authed", "tee/info"] {
                #expect(try await isReached("/admin-api/" + path), "\(path)")
            }
            #expect(try await isReached("/admin-api/tee/attest", "POST"))
            for path in ["contexts/\(id)/intents", "groups/\(id)/context-intents", "groups/\(id)/governance-intents"] {
                #expect(try await isReached("/admin-api/" + path), "\(path)")
                #expect(try await !isReached("/admin-api/" + path + "/"), "\(path)/")
                let upper = path.replacingOccurrences(of: id, with: id.uppercased())
                #expect(try await !isReached("/admin-api/" + upper), "\(upper)")
            }
            for path in [
                "/admin-api/contexts", "/admin-api/contexts/\(id)/query", "/admin-api/namespaces/\(id)/admit",
                "/jsonrpc",
                "/auth/token", "/sse", "/admin-api/health/", "/admin-api/groups/\(id)/intents",
                "/admin-api/contexts/\(id.dropLast())/intents",
            ] {
                #expect(try await !isReached(path), "\(path)")
            }
        }
    }

    /// What a node that takes nothing else still says in the clear.
    @Test func whatIsServedUnsealed() async throws {
        try await Self.withPeer(Self.options { $0.sealing.isRequired = true }) { peer async throws in
            for path in ["health", "ready", "tee/info"] {
                let answer = try await peer.method("GET", "/admin-api/" + path)
                #expect(HTTPError(status: answer.status, url: "", headers: [:], body: answer.body).sealedRefusal == nil)
            }
            for path in ["/admin-api/contexts", "/admin-api/is-authed", "/auth/token", "/jsonrpc", "/sse"] {
                let answer = try await peer.method("GET", path)
                let error = HTTPError(status: answer.status, url: "", headers: [:], body: answer.body)
                #expect(error.status == 403 && error.sealedRefusal?.code == "sealed_required", "\(path)")
            }
            #expect(try await peer.ask(1, Self.health).status == 200)
        }
    }

    @Test func aSessionEndsByTheClock() async throws {
        try await Self.withPeer { peer async throws in
            let inner = Peer.inner(Self.health)
            for id in 1...6 as ClosedRange<UInt64> {
                peer.node.clock.advance(by: 599)
                #expect(try await peer.code(peer.envelope(id, inner)) == nil)
            }
            // An hour after the handshake, however busy it was.
            peer.node.clock.advance(by: 7)
            #expect(try await peer.code(peer.envelope(7, inner)) == "409 unknown_session")
            let idle = try await Peer(peer.node)
            #expect(idle.outcome.lifetimeSeconds == 3600)
            peer.node.clock.advance(by: 600)
            #expect(try await idle.code(idle.envelope(1, inner)) == "409 unknown_session")
        }
    }
}
