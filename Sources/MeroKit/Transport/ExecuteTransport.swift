/// Where a call ran.
public enum RpcTransportKind: String, Sendable, Equatable {
    /// On a node the caller is logged in to.
    case node
    /// On somebody else's node, under a warrant.
    case relay
}

/// What a method returned, and where it ran.
public struct ExecuteResult<T> {
    /// The method's return value.
    public let returns: T
    /// Where the method ran.
    public let transport: RpcTransportKind
    /// The context's root hash after a write through a relay. Nil means unknown, never "nothing changed".
    public let rootHash: String?

    /// A result, for transports of your own.
    public init(returns: T, transport: RpcTransportKind, rootHash: String? = nil) {
        self.returns = returns
        self.transport = transport
        self.rootHash = rootHash
    }
}

extension ExecuteResult: Sendable where T: Sendable {}

/// The name that earlier releases gave to `ExecuteResult`.
public typealias RpcExecuteResult<T> = ExecuteResult<T>

/// Runs contract methods, on a node or through a relay: code written against this protocol runs on either.
///
/// All methods throw `MeroError`, or `CancellationError` when the calling task is cancelled. Spec: 60, section 7.
public protocol ExecuteTransport: Sendable {
    /// Where calls run.
    var kind: RpcTransportKind { get }
    /// Whether events work as configured.
    var canSubscribe: Bool { get }
    /// Runs a method and decodes what it returns. A `null` return decodes as nil, `.null` or an empty type, and is
    /// `MeroError.emptyResponse` for any other `T`.
    func execute<T: Decodable>(contextId: String, method: String, argsJson: [String: JSONValue]) async throws -> T
    /// The same, telling also where it ran.
    func executeWithMetadata<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue]
    ) async throws -> ExecuteResult<T>
    /// Rewrites the caller's own entries in the current schema: one call of the method `migrate_my_entries`.
    func migrateMyEntries(_ contextId: String) async throws -> MigrateMyEntriesSummary
    /// How many of the caller's own entries still wait for `migrateMyEntries`.
    func countMyPending(_ contextId: String) async throws -> Int
}

extension ExecuteTransport {
    /// Runs a method that takes no arguments.
    public func execute<T: Decodable>(contextId: String, method: String) async throws -> T {
        try await execute(contextId: contextId, method: method, argsJson: [:])
    }

    /// Runs a method that takes no arguments, telling also where it ran.
    public func executeWithMetadata<T: Decodable>(
        contextId: String, method: String
    ) async throws -> ExecuteResult<T> {
        try await executeWithMetadata(contextId: contextId, method: method, argsJson: [:])
    }
}

/// What `migrateMyEntries` did.
public struct MigrateMyEntriesSummary: Codable, Sendable, Equatable {
    /// Entries rewritten by this call.
    public let converted: Int
    /// Entries still in an older schema.
    public let remaining: Int

    /// A summary, as a context method returns it.
    public init(converted: Int, remaining: Int) {
        self.converted = converted
        self.remaining = remaining
    }
}
