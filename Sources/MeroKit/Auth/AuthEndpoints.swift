/// Every call of the auth service that the SDK makes. Spec: 10, section 9.1.
enum AuthEndpoints {
    static let health = Endpoint<ApiResponse<HealthResponse>>(.get, "/auth/health", isBrief: true)
    static let identity = Endpoint<ApiResponse<IdentityResponse>>(.get, "/admin/identity", isBrief: true)
    static let providers = Endpoint<ApiResponse<ProvidersResponse>>(.get, "/auth/providers", isBrief: true)
    static let token = Endpoint<TokenResponse>(.post, "/auth/token", isBrief: true)
    /// A resend would replay a refresh token that the node has already consumed.
    static let refresh = Endpoint<TokenResponse>(.post, "/auth/refresh", sendOnce: true, isBrief: true)
    static let mockToken = Endpoint<TokenResponse>(.post, "/auth/mock-token", isBrief: true)
    static let validate = Endpoint<Empty>(.head, "/auth/validate", isBrief: true)
    static let logout = Endpoint<ApiResponse<LogoutResponse>>(.post, "/auth/logout", sendOnce: true, isBrief: true)
    static let revoke = Endpoint<ApiResponse<RevokeTokenResponse>>(.post, "/admin/revoke", isBrief: true)
    static let listRootKeys = Endpoint<ApiResponse<[RootKey]>>(.get, "/admin/keys")
    static let createRootKey = Endpoint<ApiResponse<CreateKeyResponse>>(.post, "/admin/keys", isBrief: true)
    static let deleteRootKey = Endpoint<DeleteKeyResponse>(.delete, "/admin/keys/{keyId}", isBrief: true)
    static let listClientKeys = Endpoint<ApiResponse<[ClientKey]>>(.get, "/admin/keys/clients")
    static let generateClientKey = Endpoint<TokenResponse>(.post, "/admin/client-key", isBrief: true)
    static let deleteClientKey = Endpoint<DeleteClientResponse>(
        .delete, "/admin/keys/{keyId}/clients/{clientId}", isBrief: true)
    static let keyPermissions = Endpoint<PermissionResponse>(.get, "/admin/keys/{keyId}/permissions", isBrief: true)
    static let updateKeyPermissions = Endpoint<PermissionResponse>(
        .put, "/admin/keys/{keyId}/permissions", isBrief: true)

    static let all: [any EndpointDescription] = [
        health, identity, providers, token, refresh, mockToken, validate, logout, revoke, listRootKeys, createRootKey,
        deleteRootKey, listClientKeys, generateClientKey, deleteClientKey, keyPermissions, updateKeyPermissions,
    ]
}
