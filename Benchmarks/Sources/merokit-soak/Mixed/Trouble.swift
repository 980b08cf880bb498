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
    /// What was injected last, by route.
    private let pending = Guarded<[DevRouteMatch: DevFaultHandle]>([:])
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
        default:
            let (fault, what) = fault()
            return inject(fault, on: routes[below(routes.count)]) ? what : "left out"
        }
    }

    private func fault() -> (DevFault, String) {
        switch below(54) {
        case 0..<8: return (.cutBeforeHandler, "cut before")
        case 8..<18: return (.cutAfterHandler, "cut after")
        case 18..<24: return (.cutMidBody(after: below(200)), "cut within")
        case 24..<30: return (.delay(Double(below(400)) / 1000), "delays")
        case 30..<36: return (.slowBody(chunk: below(60) + 1, interval: 0.002), "slow answers")
        case 36..<39: return (.tokenExpired, "single tokens expired")
        case 39..<42: return (.answer(Self.foreignAnswer, contentType: "text/html"), "foreign answers")
        default:
            let status = [429, 500, 502, 503][below(4)]
            return (.status(status, retryAfter: status == 429 ? "0" : nil), "status \(status)")
        }
    }

    /// False when the fault before is still to strike: on a route that is rarely used they would pile up, and nothing get
    /// through any more.
    private func inject(_ fault: DevFault, on route: DevRouteMatch) -> Bool {
        let isSocket = route == "GET /ws"
        if pending.with({ $0[route]?.remaining ?? 0 }) > 0 || (isSocket && node.webSockets.count == 0) { return false }
        let handle = node.inject(fault, on: route)
        pending.with { $0[route] = handle }
        if isSocket { node.webSockets.cutAll() }
        return true
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
