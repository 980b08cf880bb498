import Foundation

/// Calls of an account that reads with its session and writes with warrants, and finds out by itself which is which.
///
/// Spec: 60, section 10.3.
struct DelegatedTransport: ExecuteTransport {
    let warrants: RelayTransport
    let admin: AdminApi

    var kind: RpcTransportKind { .relay }
    var canSubscribe: Bool { warrants.canSubscribe }

    func execute<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue]
    ) async throws -> T {
        try await executeWithMetadata(contextId: contextId, method: method, argsJson: argsJson).returns
    }

    func executeWithMetadata<T: Decodable>(
        contextId: String, method: String, argsJson: [String: JSONValue]
    ) async throws -> ExecuteResult<T> {
        if let returns = try await read(contextId, method, argsJson) {
            return ExecuteResult(returns: try RelayAnswer.returns(returns), transport: .relay)
        }
        return try await warrants.executeWithMetadata(contextId: contextId, method: method, argsJson: argsJson)
    }

    func migrateMyEntries(_ contextId: String) async throws -> MigrateMyEntriesSummary {
        try await warrants.migrateMyEntries(contextId)
    }

    func countMyPending(_ contextId: String) async throws -> Int { try await warrants.countMyPending(contextId) }

    /// What the method returned, in its own bytes; nil when a warrant is needed.
    private func read(_ contextId: String, _ method: String, _ argsJson: [String: JSONValue]) async throws -> Data? {
        let kinds = RelayMethodKinds.shared
        let relayURL = warrants.client.relayURL
        guard kinds[relayURL, contextId, method] != .write else { return nil }
        let arguments = try RelayClient.arguments(.object(argsJson))
        do {
            var request = try AdminEndpoints.queryContext.request(
                [contextId], body: .json(IntentBody.query(method: method, arguments: arguments)))
            request.isRetried = false
            let returns = try RelayAnswer.member("returns", of: try await admin.http.sendRaw(request).0)
            kinds.learn(.read, relayURL, contextId, method)
            return returns
        } catch {
            switch RelayMethodKinds.lesson(of: error) {
            case .answered: throw error
            case .write: kinds.learn(.write, relayURL, contextId, method)
            case .nothing: try Task.checkCancellation()
            }
            return nil
        }
    }
}
