/// A `Mero`'s calls as a transport: reached without `await`, the hop to the actor is made inside each call.
///
/// Spec: 60, section 7.
public struct MeroRpcTransport: ExecuteTransport {
    private let mero: Mero

    /// Calls over this session.
    public init(_ mero: Mero) { self.mero = mero }

    /// `.node`, always.
    public var kind: RpcTransportKind { .node }
    /// True, always.
    public var canSubscribe: Bool { true }

    /// Runs a method and decodes what it returns. See `RpcClient.execute`.
    public func execute<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue]
    ) async throws -> T {
        try await mero.rpc.execute(contextId: contextId, method: method, argsJson: argsJson)
    }

    /// Runs a method whose arguments are a value of your own, or a `RawJSON` text.
    public func execute<T: Decodable, Arguments: Encodable & Sendable>(
        contextId: String, method: String, argsJson: Arguments
    ) async throws -> T {
        try await mero.rpc.execute(contextId: contextId, method: method, argsJson: argsJson)
    }

    /// Runs a method, telling also where it ran.
    public func executeWithMetadata<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue]
    ) async throws -> ExecuteResult<T> {
        try await mero.rpc.executeWithMetadata(contextId: contextId, method: method, argsJson: argsJson)
    }

    /// Rewrites the caller's own entries in the current schema.
    public func migrateMyEntries(_ contextId: String) async throws -> MigrateMyEntriesSummary {
        try await mero.rpc.migrateMyEntries(contextId)
    }

    /// How many of the caller's own entries still wait for `migrateMyEntries`.
    public func countMyPending(_ contextId: String) async throws -> Int {
        try await mero.rpc.countMyPending(contextId)
    }
}
