import Foundation
import MeroDevNode

/// Makes a node fail some times a second, in every way that nodes and networks know.
final class Trouble: Sendable {
    /// What a proxy, or a page to sign in at, answers in the node's place.
    static let foreignAnswer = Data("<html>no node</html>".utf8)

    /// What is hit by what is injected.
    private static let routes: [DevRouteMatch] = [
        "POST /jsonrpc", "POST /jsonrpc", "POST /jsonrpc", "POST /auth/token", "POST /auth/refresh",
        "POST /auth/challenge", "POST /auth/logout", "GET /ws", "PUT /admin-api/blobs", "GET /admin-api/blobs/*",
        "DELETE /admin-api/blobs/*",
    ]
    private static let relayRoutes: [DevRouteMatch] = [
        "POST /admin-api/contexts/*/intents", "POST /admin-api/contexts/*/intents", "GET /admin-api/contexts/*/intents",
        "POST /admin-api/contexts/*/query", "POST /sealed/v2", "POST /sealed/v2/handshake", "POST /auth/token",
        "POST /auth/challenge", "POST /auth/logout",
    ]

    private let node: DevNode
    private let routes: [DevRouteMatch]
    private let random: Guarded<SeededGenerator>
    private let counts = Guarded<[String: Int]>([:])
    private let findings: Findings

    init(_ node: DevNode, isRelay: Bool, seed: UInt64, findings: Findings) {
        self.node = node
        routes = isRelay ? Self.relayRoutes : Self.routes
        random = Guarded(SeededGenerator(seed))
        self.findings = findings
    }

    var summary: String {
        counts.with { counts in
            counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        }
    }

    func run() async {
        while (try? await Task.sleep(nanoseconds: UInt64(below(250) + 50) * 1_000_000)) != nil {
            let what = await strike()
            counts.with { $0[what, default: 0] += 1 }
        }
        // Nothing of it outlives it.
        node.removeFaults()
    }

    private func strike() async -> String {
        let route = routes[below(routes.count)]
        switch below(60) {
        case 0:
            await restart()
            return "restarts"
        case 1:
            await refuse()
            return "refusals to connect"
        case 2:
            node.expireAccessTokens()
            return "tokens expired"
        case 3:
            node.revokeFamilies()
            return "families revoked"
        case 4:
            node.webSockets.cutAll()
            return "WebSockets cut"
        case 5:
            node.webSockets.closeAll(code: 1011, reason: "soak")
            return "WebSockets closed"
        case 6..<14:
            node.inject(.cutBeforeHandler, on: route)
            return "cut before"
        case 14..<24:
            node.inject(.cutAfterHandler, on: route)
            return "cut after"
        case 24..<30:
            node.inject(.cutMidBody(after: below(200)), on: route)
            return "cut within"
        case 30..<36:
            node.inject(.delay(Double(below(400)) / 1000), on: route)
            return "delays"
        case 36..<42:
            node.inject(.slowBody(chunk: below(60) + 1, interval: 0.002), on: route)
            return "slow answers"
        case 42..<45:
            node.inject(.tokenExpired, on: route)
            return "single tokens expired"
        case 45..<48:
            node.inject(.answer(Self.foreignAnswer, contentType: "text/html"), on: route)
            return "foreign answers"
        default:
            let status = [429, 500, 502, 503][below(4)]
            node.inject(.status(status, retryAfter: status == 429 ? "0" : nil), on: route)
            return "status \(status)"
        }
    }

    private func restart() async {
        do {
            try await node.restart()
        } catch {
            findings.add("the node does not start again: \(error)")
        }
    }

    private func refuse() async {
        do {
            try await node.refuseConnections(true)
            await pause(milliseconds: UInt64(below(300)))
            try await node.refuseConnections(false)
        } catch {
            findings.add("the node does not listen again: \(error)")
        }
    }

    private func below(_ limit: Int) -> Int { random.with { Int.random(in: 0..<limit, using: &$0) } }
}
