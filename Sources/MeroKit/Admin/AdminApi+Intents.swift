import Foundation

/// Delegated reads and writes, as the bare routes.
///
/// `RelayClient` signs, counts and falls back on top of them. Here a relay's refusal is `MeroError.http`, like every other
/// answer that is no success; the four intents are sent once, whatever the retry policy. Spec: 60, section 1, and 20,
/// sections 6.4 to 6.7.
extension AdminApi {
    /// What a warrant for this node must name. Against nodes before rc.83, which do not say it all, `MeroError.decoding`.
    public func getIntentRelay(_ contextId: String) async throws -> IntentRelayInfo {
        try await http.call(AdminEndpoints.intentRelay, contextId).payload(orThrow: "getIntentRelay")
    }

    /// Runs a method under a warrant. `argsJson` must be what the warrant commits to.
    public func performIntent(
        _ contextId: String, request: PerformIntentRequest
    ) async throws -> PerformIntentResponseData {
        // In the order that was hashed: a node that keeps the order it reads would hash another text.
        let body = IntentBody.write(
            method: request.method, arguments: try RelayClient.arguments(request.argsJson), warrant: request.warrant,
            authorProof: request.authorProof)
        let reply: ApiResponse<PerformIntentResponseData> = try await http.send(
            AdminEndpoints.performIntent.request([contextId], body: .json(body)))
        return try reply.payload(orThrow: "performIntent")
    }

    /// What the node remembers of a device's numbers. Needs the `admin` permission; current nodes answer 404.
    public func getWarrantNonce(_ contextId: String, authorDeviceKey: String) async throws -> WarrantNonceState {
        try await http.call(AdminEndpoints.warrantNonce, contextId, authorDeviceKey)
            .payload(orThrow: "getWarrantNonce")
    }

    /// The same, asked by the device itself. Needs an account's session; current nodes answer 404.
    public func getWarrantNonceAsAuthor(_ contextId: String, authorProof: String) async throws -> WarrantNonceState {
        try await http.call(AdminEndpoints.warrantNonceAsAuthor, contextId, json: ["authorProof": authorProof])
            .payload(orThrow: "getWarrantNonceAsAuthor")
    }

    /// Publishes a signed presence statement.
    public func postPresenceIntent(_ contextId: String, request: PresenceIntentRequest) async throws {
        try await http.sendVoid(AdminEndpoints.presenceIntent.request([contextId], body: .encoding(request)))
    }

    /// What a warrant for a new context must name.
    ///
    /// - Parameters:
    ///   - groupId: The group, 64 hex characters.
    ///   - author: An account, to learn whether it may have contexts made.
    public func getContextIntentRelay(
        _ groupId: String, author: String? = nil
    ) async throws -> ContextIntentRelayInfo {
        let query = author.map { [(name: "author", value: $0)] } ?? []
        return try await http.call(AdminEndpoints.contextIntentRelay, groupId, query: query)
            .payload(orThrow: "getContextIntentRelay")
    }

    /// Makes a context under a warrant.
    public func createContextIntent(
        _ groupId: String, request: CreateContextIntentRequest
    ) async throws -> CreateContextIntentResponseData {
        let body = IntentBody.creation(
            arguments: try RelayClient.arguments(request.initArgs), warrant: request.warrant,
            authorProof: request.authorProof)
        let reply: ApiResponse<CreateContextIntentResponseData> = try await http.send(
            AdminEndpoints.createContextIntent.request([groupId], body: .json(body)))
        return try reply.payload(orThrow: "createContextIntent")
    }

    /// What a warrant for a change to the group must name.
    public func getGovernanceIntentRelay(_ groupId: String) async throws -> GovernanceIntentRelayInfo {
        try await http.call(AdminEndpoints.governanceIntentRelay, groupId).payload(orThrow: "getGovernanceIntentRelay")
    }

    /// Changes a group, or founds a namespace, under a warrant.
    public func governanceIntent(
        _ groupId: String, request: GovernanceIntentRequest
    ) async throws -> GovernanceIntentResponseData {
        try await http.call(AdminEndpoints.governanceIntent, groupId, json: request)
            .payload(orThrow: "governanceIntent")
    }

    /// Reads as the session's account. A method that writes is refused with an untyped 409.
    public func queryContext(
        _ contextId: String, request: QueryContextRequest
    ) async throws -> QueryContextResponseData {
        try await http.call(AdminEndpoints.queryContext, contextId, json: request).payload(orThrow: "queryContext")
    }
}
