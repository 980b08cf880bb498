import Foundation

/// A node's auth service: logins, tokens and keys.
///
/// Reach it as `mero.auth`. Every method throws `MeroError`, or `CancellationError` when the calling task is cancelled;
/// only `validateToken` throws nothing. Spec: 10, section 9.
public struct AuthApi: Sendable {
    private let http: any HttpClient

    /// Calls the auth service of the node that this client is for; `Mero.auth` is one.
    public init(http: any HttpClient) { self.http = http }

    /// How the auth service is doing. Needs no token.
    public func getHealth() async throws -> HealthResponse {
        try await http.call(AuthEndpoints.health).payload(orThrow: "Health response data is null")
    }

    /// What the auth service calls itself and which ways of login it offers. Needs any valid token.
    public func getIdentity() async throws -> IdentityResponse {
        try await http.call(AuthEndpoints.identity).payload(orThrow: "Identity response data is null")
    }

    /// The ways of login that are switched on. Needs no token.
    public func getProviders() async throws -> ProvidersResponse {
        try await http.call(AuthEndpoints.providers).payload(orThrow: "Providers response data is null")
    }

    /// Logs in. `Mero.authenticate` does this for a user name and password, and keeps the tokens.
    ///
    /// A password login is repeated after network failures and 5xx answers, but not after a 429, whose `Retry-After`
    /// stands in the error's headers. An account login (`account_proof`) is sent once, since its first success spends the
    /// challenge.
    public func generateTokens(_ request: TokenRequest) async throws -> TokenResponse {
        var call = try AuthEndpoints.token.request(body: .encoding(request))
        call.retriesWhenThrottled = false
        call.sendOnce = request.authMethod == "account_proof"
        return try await http.send(call)
    }

    /// Exchanges an expired access token and its refresh token for a new pair. Sent once, whatever the retry policy.
    ///
    /// The node refuses this while the access token still holds. A `Mero` does it by itself when a call answers that its
    /// token expired: calling it by hand takes the refresh token away from the session.
    public func refreshToken(_ request: RefreshTokenRequest) async throws -> TokenResponse {
        try await http.call(AuthEndpoints.refresh, json: request)
    }

    /// Tokens for tests, from a debug build of a node that allows it.
    public func generateMockTokens(_ request: MockTokenRequest) async throws -> TokenResponse {
        try await http.call(AuthEndpoints.mockToken, json: request)
    }

    /// Asks the node whether a token is good. Any failure, of the network too, reads as an invalid token.
    ///
    /// The current session is neither used nor touched.
    public func validateToken(_ token: String) async -> TokenValidation {
        let headers = ["Authorization": "Bearer \(token)", "Accept": "application/json"]
        guard let answer = try? await http.head(AuthEndpoints.validate.template, headers: headers) else {
            return TokenValidation(valid: false, status: 401, headers: [:])
        }
        return TokenValidation(valid: answer.status == 200, status: answer.status, headers: answer.headers)
    }

    /// Retires a refresh token. The access token stays valid until it expires. Sent once.
    public func logout(_ request: LogoutRequest) async throws -> LogoutResponse {
        try await http.call(AuthEndpoints.logout, json: request).payload(orThrow: "Logout response data is null")
    }

    /// Revokes every token of a key.
    public func revokeTokens(_ request: RevokeTokenRequest) async throws -> RevokeTokenResponse {
        try await http.call(AuthEndpoints.revoke, json: request).payload(orThrow: "Revoke tokens response data is null")
    }

    /// The node's root keys: one for each way in.
    public func listRootKeys() async throws -> [RootKey] {
        try await http.call(AuthEndpoints.listRootKeys).payload(orThrow: "Root keys response data is null")
    }

    /// Creates a root key, or updates the one that is there: a further user with all permissions.
    public func createRootKey(_ request: CreateKeyRequest) async throws -> CreateKeyResponse {
        try await http.call(AuthEndpoints.createRootKey, json: request)
            .payload(orThrow: "Create root key response data is null")
    }

    /// Revokes a root key. The last active one stays, which the answer's `success` tells.
    public func deleteRootKey(_ keyId: String) async throws -> DeleteKeyResponse {
        try await http.call(AuthEndpoints.deleteRootKey, keyId)
    }

    /// The keys minted for apps.
    public func listClientKeys() async throws -> [ClientKey] {
        try await http.call(AuthEndpoints.listClientKeys).payload(orThrow: "Client keys response data is null")
    }

    /// Mints a key and tokens for one app, bound to a context or an application when the request names one.
    public func generateClientKey(_ request: GenerateClientKeyRequest) async throws -> TokenResponse {
        try await http.call(AuthEndpoints.generateClientKey, json: request)
    }

    /// Revokes an app's key.
    public func deleteClientKey(keyId: String, clientId: String) async throws -> DeleteClientResponse {
        try await http.call(AuthEndpoints.deleteClientKey, keyId, clientId)
    }

    /// What a key may do.
    public func getKeyPermissions(_ keyId: String) async throws -> PermissionResponse {
        try await http.call(AuthEndpoints.keyPermissions, keyId)
    }

    /// Takes permissions from a key and gives it others: first `remove`, then `add`.
    public func updateKeyPermissions(
        _ keyId: String, changes: UpdateKeyPermissionsRequest
    ) async throws -> PermissionResponse {
        try await http.call(AuthEndpoints.updateKeyPermissions, keyId, json: changes)
    }
}
