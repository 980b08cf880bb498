import Foundation
import MeroKit

/// What arrived and how often. Records are bounded in number and in bytes; counters are exact whatever was dropped.
final class RequestLog: Sendable {
    /// Together the bodies of all records keep to this many bytes.
    private static let bodyBudget = 64 << 20
    static let bodyCap = 64 << 10
    /// Requests for further routes are counted together, so that a load with an id in every path stays bounded.
    private static let routeLimit = 100_000
    private static let otherRoutes = Route(method: "", path: "")

    private struct Route: Hashable {
        let method: String
        let path: String
    }

    private struct Count {
        var requests = 0
        var handlerRuns = 0
    }

    private struct State {
        var records: [DevRequestRecord] = []
        /// Records at the front of `records` that were dropped already: removing each by itself would cost a move of all.
        var dropped = 0
        var bodyBytes = 0
        var nextNumber = 0
        var counts: [Route: Count] = [:]

        mutating func count(_ route: Route, _ change: (inout Count) -> Void) {
            let isKnown = counts.count < RequestLog.routeLimit || counts[route] != nil
            change(&counts[isKnown ? route : RequestLog.otherRoutes, default: Count()])
        }

        mutating func dropOldest() {
            bodyBytes -= records[dropped].body.count
            records[dropped].body = Data()
            records[dropped].headers = [:]
            dropped += 1
            if dropped > 4096, dropped > records.count / 2 {
                records.removeFirst(dropped)
                dropped = 0
            }
        }
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) { self.limit = max(1, limit) }

    /// - Returns: the record's number.
    func append(_ request: DevHttpRequest, bodyPrefix: Data, isComplete: Bool) -> Int {
        state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.count(Route(method: request.method, path: request.path)) { $0.requests += 1 }
            state.records.append(
                DevRequestRecord(
                    number: number, method: request.method, path: request.path, query: request.query,
                    headers: request.headers, body: bodyPrefix, bodyLength: request.bodyLength,
                    isComplete: isComplete, peer: request.peer, status: nil))
            state.bodyBytes += bodyPrefix.count
            while state.records.count - state.dropped > limit
                || (state.bodyBytes > Self.bodyBudget && state.records.count - state.dropped > 1)
            {
                state.dropOldest()
            }
            return number
        }
    }

    func setStatus(_ status: Int, of number: Int) {
        state.withLock { state in
            // Numbers in `records` are consecutive; a record that was cleared or dropped has no place any more.
            guard let first = state.records.first?.number, number >= first + state.dropped else { return }
            state.records[number - first].status = status
        }
    }

    func countHandlerRun(method: String, path: String) {
        state.withLock { $0.count(Route(method: method, path: path)) { $0.handlerRuns += 1 } }
    }

    var records: [DevRequestRecord] { state.withLock { Array($0.records[$0.dropped...]) } }

    func requestCount(_ route: DevRouteMatch) -> Int { sum(route) { $0.requests } }

    func handlerRuns(_ route: DevRouteMatch) -> Int { sum(route) { $0.handlerRuns } }

    func clear() {
        state.withLock { state in
            state.records = []
            state.dropped = 0
            state.bodyBytes = 0
            state.counts = [:]
        }
    }

    private func sum(_ route: DevRouteMatch, _ value: (Count) -> Int) -> Int {
        state.withLock { state in
            if let method = route.method, route.isExact {
                return state.counts[Route(method: method, path: route.path)].map(value) ?? 0
            }
            return state.counts.reduce(0) { total, entry in
                route.matches(method: entry.key.method, path: entry.key.path) ? total + value(entry.value) : total
            }
        }
    }
}
