import Foundation
import MeroKit

/// `GET /sse`, `POST /sse/subscription` and `GET /sse/session/{id}`.
///
/// Spec: 40, section 2.
struct SseService: Sendable {
    let sessions: SseSessionTable
    let clock: DevClock
    let registry: StreamRegistry
    let options: DevNodeOptions

    private static let internalError: JsonTree = ["error": ["type": "InternalError", "data": [:]]]

    private static func error(_ status: Int, _ text: String) -> DevHttpResponse {
        .json(status, ["error": .string(text)])
    }

    private static let notTheOwner = error(403, "Forbidden: not the session owner")
    private static let invalidId = error(400, "Invalid Session Id")

    // MARK: - The stream

    func open(_ call: RouteCall) -> DevHttpResponse {
        guard let caller = call.caller else { return .refused(401) }
        let principal = EventPrincipal(caller)
        let session: SseSession
        let isReconnect: Bool
        do {
            let asked = call.request.headers["last-event-id"].flatMap { UInt64($0.prefix { $0 != "-" }) }
            let known = try asked.flatMap { try sessions.resume($0, principal) }
            isReconnect = known != nil
            session = try known ?? sessions.create(principal)
        } catch {
            return .json(500, Self.internalError)
        }
        let frames = max(1, options.eventQueueLength) + max(0, options.eventBacklog)
        let connection = SseConnection(sessionNumber: session.number, frames: frames) { session.nextNumber() }
        let number = registry.add(connection)
        session.bind(connection, isReconnect: isReconnect, retry: options.eventRetryMilliseconds)
        registry.tend(number, by: tend(connection, number, session))
        return DevHttpResponse(
            status: 200,
            headers: [
                ("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"),
                ("X-SSE-Session-ID", String(session.number)), ("X-SSE-Reconnect", isReconnect ? "true" : "false"),
            ], body: .stream(connection.stream))
    }

    /// Keeps the connection alive until it ends, then lets the session go on without it.
    private func tend(_ connection: SseConnection, _ number: Int, _ session: SseSession) -> Task<Void, Never> {
        let interval = max(0.01, options.eventKeepAlive)
        return Task { [registry] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled {
                        let rest = interval - connection.silence
                        if rest > 0 {
                            do { try await Task.sleep(nanoseconds: UInt64(min(rest, 1e9) * 1e9)) } catch { return }
                        } else {
                            connection.keepAlive()
                        }
                    }
                }
                if await connection.stream.waitForEnd() == nil { connection.stream.close(.serverStopped) }
                group.cancelAll()
            }
            session.unbind(connection)
            registry.remove(number)
        }
    }

    // MARK: - Subscriptions

    func change(_ call: RouteCall) -> DevHttpResponse {
        guard let caller = call.caller else { return .refused(401) }
        let tree: JsonTree
        switch call.request.jsonBody() {
        case .tree(let body): tree = body
        case .refused(let answer): return answer
        }
        let id: String
        do {
            guard case .object(let members) = tree else {
                throw JsonShapeProblem.type(tree, expected: "struct Request")
            }
            let ids = members.filter { $0.name == "id" }
            guard let value = ids.first?.value else { throw JsonShapeProblem.missing("id") }
            guard ids.count == 1 else { throw JsonShapeProblem.duplicate("id") }
            guard let text = value.stringValue else { throw JsonShapeProblem.type(value, expected: "a string") }
            id = text
        } catch {
            return .text(422, "Failed to deserialize the JSON body into the target type: \(error)")
        }
        guard let number = UInt64(id) else { return Self.invalidId }
        guard case .live(let session) = sessions.standing(number) else {
            return Self.error(404, "Session not found. Please reconnect to SSE endpoint first.")
        }
        guard session.principal == EventPrincipal(caller) else { return Self.notTheOwner }
        let order: SseOrder
        do {
            order = try SseOrder(tree)
        } catch {
            return .json(400, ["error": ["type": "ParseError", "data": .string("\(error)")]])
        }
        return carryOut(order, session)
    }

    private func carryOut(_ order: SseOrder, _ session: SseSession) -> DevHttpResponse {
        guard let subscription = session.subscription else { return .json(500, Self.internalError) }
        session.touch(at: clock.seconds)
        let result: JsonTree
        switch order.method {
        case .subscribe:
            let granted = subscription.subscribe(contextIds: order.contexts, groupIds: order.groups)
            result = [
                "status": "subscribed", "contexts": JsonTree(granted.contexts), "groups": JsonTree(granted.groups),
            ]
        case .unsubscribe:
            let gone = subscription.unsubscribe(contextIds: order.contexts, groupIds: order.groups)
            result = [
                "status": "unsubscribed", "unsubscribed": JsonTree(gone), "requested": JsonTree(order.contexts),
            ]
        }
        do {
            try sessions.store(session)
        } catch {
            return .json(500, Self.internalError)
        }
        return .json(200, ["result": result])
    }

    // MARK: - Inspection

    func inspect(_ call: RouteCall) -> DevHttpResponse {
        guard let caller = call.caller else { return .refused(401) }
        guard let number = UInt64(call.parameters["id"] ?? "") else { return Self.invalidId }
        let record: SseRecord
        let status: JsonTree
        switch sessions.standing(number) {
        case .unknown: return Self.error(404, "Session not found")
        case .expired: return Self.error(410, "Session expired")
        case .live(let session):
            record = session.record
            status = "active"
        case .stored(let stored):
            record = stored
            status = "persisted"
        }
        guard record.principal == EventPrincipal(caller) else { return Self.notTheOwner }
        return .json(
            200,
            [
                "result": [
                    "session_id": JsonTree(number), "subscriptions": JsonTree(record.contexts),
                    "event_counter": JsonTree(record.counter), "status": status,
                ]
            ])
    }
}

/// What a subscription request asks for. Throws `JsonShapeProblem`.
private struct SseOrder {
    enum Method {
        case subscribe
        case unsubscribe
    }

    let method: Method
    let contexts: [String]
    let groups: [String]

    init(_ tree: JsonTree) throws {
        let fields = try JsonFields(tree, allowed: ["id", "method", "params"])
        switch try fields.string("method") {
        case "subscribe": method = .subscribe
        case "unsubscribe": method = .unsubscribe
        case let other:
            throw JsonShapeProblem(
                description: "unknown variant `\(other)`, expected `subscribe` or `unsubscribe`")
        }
        let params = try JsonFields(try fields.value("params"), allowed: ["contextIds", "groupIds"])
        func ids(_ name: String, _ kind: String) throws -> [String] {
            try (params.optionalStrings(name) ?? []).map { id in
                guard let checked = try? ContextRuntime.checkedId(id) else {
                    throw JsonShapeProblem(
                        description: "invalid \(kind) id `\(id)`: expected 64 hexadecimal characters")
                }
                return checked
            }
        }
        contexts = try ids("contextIds", "context")
        groups = try ids("groupIds", "group")
    }
}
