import Foundation
import MeroKit

/// `POST /jsonrpc`.
///
/// Spec: 40, section 1.
struct JsonRpcService: Sendable {
    static let longestMethod = 256
    static let largestArguments = 10 << 20
    static let executeScope = DevScope(path: ["context", "execute"])
    static let notGranted = "this caller's token does not grant context:execute for this call"

    let contexts: ContextRuntime
    let authority: EventAuthority
    let bodyLimit: Int

    func handle(_ call: RouteCall) async -> DevHttpResponse {
        let tree: JsonTree
        switch call.request.jsonBody(limit: bodyLimit) {
        case .tree(let body): tree = body
        case .refused(let answer): return answer
        }
        let envelope: Envelope
        do {
            envelope = try Envelope(tree)
        } catch {
            return .text(422, "Failed to deserialize the JSON body into the target type: \(error)")
        }
        do {
            let result = try await dispatch(envelope, call)
            return .json(200, ["jsonrpc": "2.0", "id": envelope.id, "result": result])
        } catch let failure as RpcFailure {
            return .json(200, ["jsonrpc": "2.0", "id": envelope.id, "error": failure.tree])
        } catch let early as EarlyReply {
            return early.response
        } catch {
            return .json(200, ["jsonrpc": "2.0", "id": envelope.id, "error": RpcFailure("InternalError", [:]).tree])
        }
    }

    // MARK: - Dispatch

    private func dispatch(_ envelope: Envelope, _ call: RouteCall) async throws -> JsonTree {
        if let problem = envelope.problem { throw RpcFailure.parse(problem) }
        switch envelope.method {
        case "execute":
            return try await execute(envelope.params, caller: call.caller, bodyLength: call.request.bodyLength)
        case "sync_status": return try syncStatus(envelope.params, caller: call.caller)
        case "set_ephemeral": return try setEphemeral(envelope.params, caller: call.caller)
        default:
            throw RpcFailure.parse(
                "unknown variant `\(envelope.method)`, expected one of `execute`, `sync_status`, `set_ephemeral`")
        }
    }

    /// Throws `RpcFailure`, or `EarlyReply` when a client key leaves what it is bound to.
    func execute(_ params: JsonTree, caller: Caller?, bodyLength: UInt64) async throws -> JsonTree {
        let (contextId, method, arguments) = try Self.parsing {
            let fields = try JsonFields(
                params, allowed: ["contextId", "method", "argsJson"], what: "struct ExecutionRequest")
            return (
                try Self.contextId(fields), try fields.string("method"), try fields.value("argsJson")
            )
        }
        try Self.validate(method: method, arguments: arguments, bodyLength: bodyLength)
        guard let caller else { throw RpcFailure("InternalError", [:]) }
        let box = contexts[contextId]
        try Self.requireBinding(caller, contextId: contextId, box: box)
        let required = DevScope(path: Self.executeScope.path, resource: contextId, method: method)
        guard caller.scopes.allows(required) else { throw RpcFailure.functionCall(Self.notGranted) }
        guard let box else { throw RpcFailure.contextNotFound }
        guard authority.isMember(caller, ofContext: box.id) else { throw RpcFailure.notMember }
        if box.isReadOnly(method) == false, !authority.mayNodeWrite(inContext: box.id) {
            throw RpcFailure("ReadOnlyWriteRefused", ["context_id": .string(box.id)])
        }
        return ["output": try await box.run(method, arguments)]
    }

    private func syncStatus(_ params: JsonTree, caller: Caller?) throws -> JsonTree {
        let contextId = try Self.parsing {
            try Self.contextId(try JsonFields(params, allowed: ["contextId"], what: "struct SyncStatusRequest"))
        }
        let box = contexts[contextId]
        if let caller { try Self.requireBinding(caller, contextId: contextId, box: box) }
        guard let box else { throw RpcFailure.contextNotFound }
        let isInitialized = box.read { $0.condition != .uninitialized }
        return [
            "contextId": .string(box.id), "isInitialized": .bool(isInitialized),
            "syncState": ["state": isInitialized ? "idle" : "waitingForPeers"], "failureCount": 0,
        ]
    }

    private func setEphemeral(_ params: JsonTree, caller: Caller?) throws -> JsonTree {
        let (contextId, state) = try Self.parsing {
            let fields = try JsonFields(params, allowed: ["contextId", "state"], what: "struct SetEphemeralRequest")
            let value = try fields.value("state")
            guard let items = value.arrayValue else { throw JsonShapeProblem.type(value, expected: "a sequence") }
            let bytes = try items.map { item -> UInt8 in
                guard let byte = item.integer(UInt8.self) else { throw JsonShapeProblem.type(item, expected: "u8") }
                return byte
            }
            return (try Self.contextId(fields), bytes)
        }
        let box = contexts[contextId]
        if let caller { try Self.requireBinding(caller, contextId: contextId, box: box) }
        guard let box, let caller, authority.isMember(caller, ofContext: box.id) else {
            throw RpcFailure("Unauthorized")
        }
        try box.setPresence(state)
        return [:]
    }

    // MARK: - Checks

    private static func parsing<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw RpcFailure.parse("\(error)") }
    }

    private static func contextId(_ fields: JsonFields) throws -> String {
        let text = try fields.string("contextId")
        do {
            return try ContextRuntime.checkedId(text)
        } catch {
            throw JsonShapeProblem(description: "invalid context id `\(text)`: expected 64 hexadecimal characters")
        }
    }

    private static func validate(method: String, arguments: JsonTree, bodyLength: UInt64) throws {
        var problems: [String] = []
        let length = method.utf8.count
        if length == 0 {
            problems.append("Field 'method' is required but was empty")
        } else if length > longestMethod {
            problems.append("Field 'method' exceeds maximum length of \(longestMethod) characters (got \(length))")
        }
        if method.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
            problems.append("Field 'method' contains invalid characters: ASCII control characters are not allowed")
        }
        // Written out it is never longer than it came, so a smaller body needs no counting.
        let size = bodyLength > largestArguments ? arguments.bytes.count : 0
        if size > largestArguments {
            problems.append("Field 'argsJson' exceeds maximum size of \(largestArguments) bytes (got \(size))")
        }
        guard let first = problems.first else { return }
        throw RpcFailure.parse(problems.count == 1 ? first : "Validation errors: \(problems.joined(separator: "; "))")
    }

    /// A client key never leaves the context and the application it is bound to. Throws `EarlyReply`.
    private static func requireBinding(_ caller: Caller, contextId: String, box: ContextBox?) throws {
        let refusal = EarlyReply(.refused(403, authError: "permission_denied"))
        if let bound = caller.scopes.contextBinding?.resource, bound.lowercased() != contextId { throw refusal }
        if let bound = caller.scopes.applicationBinding?.resource, bound.lowercased() != box?.applicationId {
            throw refusal
        }
    }
}

/// The envelope of a request. What makes it another shape is thrown, what the dispatcher refuses is kept as `problem`.
private struct Envelope {
    var id: JsonTree
    var method = ""
    var params: JsonTree = .null
    var problem: String?

    init(_ tree: JsonTree) throws {
        guard case .object(let members) = tree else { throw JsonShapeProblem.type(tree, expected: "struct Request") }
        var version: JsonTree?
        var id: JsonTree?
        var method: JsonTree?
        var params: JsonTree?
        var problem: String?
        for member in members {
            switch member.name {
            case "jsonrpc":
                guard version == nil else { throw JsonShapeProblem.duplicate(member.name) }
                version = member.value
            case "id":
                guard id == nil else { throw JsonShapeProblem.duplicate(member.name) }
                id = member.value
            case "method":
                if method != nil { problem = problem ?? "\(JsonShapeProblem.duplicate(member.name))" }
                method = member.value
            case "params":
                if params != nil { problem = problem ?? "\(JsonShapeProblem.duplicate(member.name))" }
                params = member.value
            default:
                problem =
                    problem
                    ?? "\(JsonShapeProblem.unknown(member.name, expected: ["jsonrpc", "id", "method", "params"]))"
            }
        }
        guard let version else { throw JsonShapeProblem.missing("jsonrpc") }
        guard version == "2.0" else {
            throw JsonShapeProblem(description: "invalid JSON-RPC version, expected \"2.0\"")
        }
        guard let id else { throw JsonShapeProblem.missing("id") }
        guard id == .null || id.stringValue != nil || id.integer(UInt64.self) != nil else {
            throw JsonShapeProblem.type(id, expected: "a string, an unsigned integer or null")
        }
        self.id = id
        if let text = method?.stringValue {
            self.method = text
        } else {
            problem =
                problem ?? method.map { "\(JsonShapeProblem.type($0, expected: "a string"))" }
                ?? "missing field `method`"
        }
        if let params {
            self.params = params
        } else {
            problem = problem ?? "missing field `params`"
        }
        self.problem = problem
    }
}
