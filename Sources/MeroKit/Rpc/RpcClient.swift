import Foundation

/// Calls contract methods on a node, over JSON-RPC.
///
/// Reach it as `mero.rpc`.
///
/// ```swift
/// try await rpc.execute(contextId: id, method: "set", argsJson: ["key": "colour", "value": "blue"]) as Empty
/// let colour: String? = try await rpc.execute(contextId: id, method: "get", argsJson: ["key": "colour"])
/// ```
///
/// A contract's own error, and every other error inside the JSON-RPC answer, is `MeroError.rpc`; a refusal on the HTTP
/// level is `MeroError.http`. Cancellation of the calling task is `CancellationError`. Spec: 40, section 1.
public struct RpcClient: ExecuteTransport {
    private let http: any HttpClient

    /// Calls contracts on the node that this client is for; `Mero.rpc` is one.
    public init(http: any HttpClient) { self.http = http }

    /// `.node`, always.
    public var kind: RpcTransportKind { .node }
    /// True, always.
    public var canSubscribe: Bool { true }

    /// Runs a method and decodes what it returns.
    ///
    /// `null` decodes as nil, `.null` or an empty type; for any other `T` it is `MeroError.emptyResponse`. Integers of 64
    /// bits survive when `T` holds `UInt64` or `Int64`; those in `argsJson` do not beyond 2^53, see the overload that takes
    /// any `Encodable`.
    ///
    /// - Parameters:
    ///   - contextId: The context, 64 lower-case hex digits on current nodes.
    ///   - method: The contract's method.
    ///   - argsJson: Its arguments by name.
    ///   - executorPublicKey: Leave it nil. A node chooses the executor itself, and current nodes refuse a call that names
    ///     one.
    public func execute<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue] = [:], executorPublicKey: String? = nil
    ) async throws -> T {
        try await run(
            contextId, method, arguments: RequestEncoding.encode(object: argsJson), executor: executorPublicKey)
    }

    /// Runs a method and decodes what it returns.
    public func execute<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue]
    ) async throws -> T {
        try await run(contextId, method, arguments: RequestEncoding.encode(object: argsJson), executor: nil)
    }

    /// Runs a method whose arguments are a value of your own, or a `RawJSON` text: all 64 bits of an integer survive.
    public func execute<T: Decodable, Arguments: Encodable>(
        contextId: String, method: String, argsJson: Arguments
    ) async throws -> T {
        try await run(contextId, method, arguments: RequestEncoding.encode(argsJson), executor: nil)
    }

    /// Runs a method, telling also where it ran. `rootHash` is always nil on a node.
    public func executeWithMetadata<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue] = [:]
    ) async throws -> ExecuteResult<T> {
        ExecuteResult(
            returns: try await run(contextId, method, arguments: RequestEncoding.encode(argsJson), executor: nil),
            transport: kind)
    }

    /// Rewrites the caller's own entries in the context's current schema: one call, however many remain.
    public func migrateMyEntries(_ contextId: String) async throws -> MigrateMyEntriesSummary {
        try await execute(contextId: contextId, method: "migrate_my_entries", argsJson: [:])
    }

    /// How many of the caller's own entries still wait for `migrateMyEntries`.
    public func countMyPending(_ contextId: String) async throws -> Int {
        try await execute(contextId: contextId, method: "count_my_pending", argsJson: [:])
    }

    private func run<T: Decodable>(
        _ contextId: String, _ method: String, arguments: Data, executor: String?
    ) async throws -> T {
        try await post(
            JsonRpcRequest.execute(
                contextId: contextId, method: method, arguments: arguments, executorPublicKey: executor))
    }

    /// Publishes a presence slice; see `EphemeralClient`.
    func setEphemeral(contextId: String, state: Data) async throws {
        let _: Empty? = try await post(JsonRpcRequest.setEphemeral(contextId: contextId, state: state))
    }

    private func post<T: Decodable>(_ body: Data) async throws -> T {
        let request = HttpRequest(
            path: "/jsonrpc", method: .post, body: .json(body), headers: ["Accept": "application/json"])
        return try JsonRpcAnswer.output(of: try await http.sendRaw(request).0)
    }
}
