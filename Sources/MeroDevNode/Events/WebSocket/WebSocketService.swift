import Foundation
import MeroKit

/// `GET /ws`.
///
/// Spec: 40, section 4.
struct WebSocketService: Sendable {
    let hub: EventHub
    let rpc: JsonRpcService
    let registry: StreamRegistry
    let options: DevNodeOptions
    /// Whether requests are left without a reply, on purpose.
    let isMuted: Locked<Bool>

    func open(_ call: RouteCall) -> DevHttpResponse {
        let request = call.request
        if let refusal = Self.refusal(of: request) { return refusal }
        guard let caller = call.caller, let key = request.headers["sec-websocket-key"] else { return .refused(401) }
        guard let peer = WebSocketPeer(self, caller: caller) else { return .text(500, "out of memory") }
        let accept = Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return DevHttpResponse(
            status: 101,
            headers: [("Upgrade", "websocket"), ("Sec-WebSocket-Accept", Data(accept).base64EncodedString())],
            body: .upgrade(peer))
    }

    /// Nil when the request is an opening handshake as RFC 6455, section 4.2.1, wants it.
    private static func refusal(of request: DevHttpRequest) -> DevHttpResponse? {
        func invalid(_ text: String) -> DevHttpResponse {
            var response = DevHttpResponse.text(400, "Invalid WebSocket upgrade request: \(text)")
            response.handlerRan = false
            return response
        }
        func words(_ name: String) -> [String] {
            (request.headers[name] ?? "").lowercased().split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        guard request.method == "GET", request.headers["upgrade"] != nil else {
            var response = DevHttpResponse.text(426, "This endpoint requires WebSocket upgrade")
            response.headers += [("Upgrade", "websocket")]
            response.handlerRan = false
            return response
        }
        guard words("upgrade") == ["websocket"] else { return invalid("`Upgrade` header did not include 'websocket'") }
        guard words("connection").contains("upgrade") else {
            return invalid("`Connection` header did not include 'upgrade'")
        }
        guard request.headers["sec-websocket-version"] == "13" else {
            return invalid("`Sec-WebSocket-Version` header did not include '13'")
        }
        guard let key = request.headers["sec-websocket-key"], Data(base64Encoded: key)?.count == 16 else {
            return invalid("`Sec-WebSocket-Key` header missing")
        }
        // Browsers send it; of their pages only this node's own may come in.
        if let origin = request.headers["origin"] {
            let host = request.headers["host"] ?? ""
            guard ["http://\(host)", "https://\(host)"].contains(origin) else { return .refused(403) }
        }
        return nil
    }

    // MARK: - Requests

    /// The reply's text, nil for none: what is no request with an id that counts is dropped without a word.
    func answer(_ text: [UInt8], caller: Caller, subscription: EventSubscription) async -> [UInt8]? {
        guard let tree = try? JsonParser.parse(text), case .object = tree else { return nil }
        let id = tree["id"] ?? .null
        guard id == .null || id.integer(UInt64.self) != nil else { return nil }
        let outcome: JsonMember
        do {
            let result = try await run(tree, size: text.count, caller: caller, subscription)
            outcome = JsonMember(name: "result", value: result)
        } catch let failure as RpcFailure {
            outcome = JsonMember(name: "error", value: failure.tree)
        } catch is EarlyReply {
            outcome = JsonMember(name: "error", value: RpcFailure.functionCall(JsonRpcService.notGranted).tree)
        } catch {
            outcome = JsonMember(name: "error", value: RpcFailure("InternalError", [:]).tree)
        }
        return isMuted.withLock { $0 } ? nil : JsonTree.object([JsonMember(name: "id", value: id), outcome]).bytes
    }

    private func run(
        _ tree: JsonTree, size: Int, caller: Caller, _ subscription: EventSubscription
    ) async throws -> JsonTree {
        let method: String
        let params: JsonTree
        do {
            let fields = try JsonFields(tree, allowed: ["id", "method", "params"])
            method = try fields.string("method")
            params = try fields.value("params")
        } catch {
            throw RpcFailure.parse("\(error)")
        }
        switch method {
        case "execute": return try await rpc.execute(params, caller: caller, bodyLength: UInt64(size))
        case "subscribe":
            let (contexts, groups) = try Self.ids(params)
            let granted = subscription.subscribe(contextIds: contexts, groupIds: groups)
            return Self.ids(granted.contexts, granted.groups)
        case "unsubscribe":
            let (contexts, groups) = try Self.ids(params)
            _ = subscription.unsubscribe(contextIds: contexts, groupIds: groups)
            return Self.ids(contexts, groups)
        default:
            throw RpcFailure.parse(
                "unknown variant `\(method)`, expected one of `subscribe`, `unsubscribe`, `execute`")
        }
    }

    private static func ids(_ contexts: [String], _ groups: [String]) -> JsonTree {
        groups.isEmpty
            ? ["contextIds": JsonTree(contexts)] : ["contextIds": JsonTree(contexts), "groupIds": JsonTree(groups)]
    }

    private static func ids(_ params: JsonTree) throws -> (contexts: [String], groups: [String]) {
        do {
            let fields = try JsonFields(params, allowed: ["contextIds", "groupIds"])
            func ids(_ name: String, _ kind: String) throws -> [String] {
                try (fields.optionalStrings(name) ?? []).map { id in
                    guard let checked = try? ContextRuntime.checkedId(id) else {
                        throw JsonShapeProblem(
                            description: "invalid \(kind) id `\(id)`: expected 64 hexadecimal characters")
                    }
                    return checked
                }
            }
            return (try ids("contextIds", "context"), try ids("groupIds", "group"))
        } catch {
            throw RpcFailure.parse("\(error)")
        }
    }
}
