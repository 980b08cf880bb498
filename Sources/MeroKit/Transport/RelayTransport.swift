import Foundation

/// A relay as a transport: every call is one warranted write, reads included.
///
/// Errors are those of a node as far as both can have them; in addition a relay that takes no action on a warrant is
/// `AccountError.intentRefused`. Spec: 60, section 7.
public struct RelayTransport: ExecuteTransport {
    /// The client that it adapts.
    public let client: RelayClient
    private let observer: RelayObserver?

    /// - Parameters:
    ///   - relay: The client by which the account writes.
    ///   - observer: Brings events; nil means that nobody told the relay's node key.
    public init(_ relay: RelayClient, observer: RelayObserver? = nil) {
        client = relay
        self.observer = observer
    }

    /// `.relay`, always.
    public var kind: RpcTransportKind { .relay }
    /// Whether there is an observer.
    public var canSubscribe: Bool { observer != nil }

    /// Runs a method and decodes what it returns.
    public func execute<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue]
    ) async throws -> T {
        try RelayAnswer.returns(
            try await client.write(contextId, method, RelayClient.arguments(.object(argsJson))).returns)
    }

    /// Runs a method whose arguments are a value of your own, or a `RawJSON` text: all 64 bits of an integer survive.
    public func execute<T: Decodable, Arguments: Encodable>(
        contextId: String, method: String, argsJson: Arguments
    ) async throws -> T {
        let json = try RawJSON(String(decoding: try RequestEncoding.encode(argsJson), as: UTF8.self))
        return try RelayAnswer.returns(
            try await client.write(contextId, method, RelayClient.arguments(json)).returns)
    }

    /// Runs a method, telling also the root of the context's state after it.
    public func executeWithMetadata<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue]
    ) async throws -> ExecuteResult<T> {
        let answer = try await client.write(contextId, method, RelayClient.arguments(.object(argsJson)))
        return ExecuteResult(
            returns: try RelayAnswer.returns(answer.returns), transport: .relay, rootHash: answer.rootHash)
    }

    /// Rewrites the caller's own entries in the current schema.
    public func migrateMyEntries(_ contextId: String) async throws -> MigrateMyEntriesSummary {
        try await execute(contextId: contextId, method: "migrate_my_entries", argsJson: [:])
    }

    /// How many of the caller's own entries still wait for `migrateMyEntries`.
    public func countMyPending(_ contextId: String) async throws -> Int {
        try await execute(contextId: contextId, method: "count_my_pending", argsJson: [:])
    }
}
