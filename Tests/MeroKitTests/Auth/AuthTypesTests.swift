import Foundation
import Testing

@testable import MeroKit

@Suite("Auth types")
struct AuthTypesTests {
    private func json(_ value: some Encodable) throws -> NSDictionary {
        let data = try JSONEncoder().encode(value)
        return try #require(JSONSerialization.jsonObject(with: data) as? NSDictionary)
    }

    private func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONDecoder().decode(T.self, from: Data(text.utf8))
    }

    private func decode<T: Decodable>(_ text: String) throws -> T { try decode(T.self, text) }

    @Test("A password login has exactly the documented keys")
    func tokenRequest() throws {
        let request = TokenRequest(
            authMethod: "user_password", publicKey: "alice", clientName: "mero-swift-sdk", permissions: ["admin"],
            timestamp: 1_796_000_000, providerData: ["username": "alice", "password": "s3cr3t"])
        #expect(
            try json(request) == [
                "auth_method": "user_password", "public_key": "alice", "client_name": "mero-swift-sdk",
                "permissions": ["admin"], "timestamp": 1_796_000_000,
                "provider_data": ["username": "alice", "password": "s3cr3t"],
            ])
    }

    @Test("A nil permissions list is left out, never sent as null")
    func tokenRequestWithoutPermissions() throws {
        let request = TokenRequest(
            authMethod: "account_proof", publicKey: "ab", clientName: "x", permissions: nil, timestamp: 1,
            providerData: [:])
        #expect(try json(request)["permissions"] == nil)
    }

    @Test("Refresh, logout and revoke bodies have exactly their keys")
    func smallBodies() throws {
        #expect(
            try json(RefreshTokenRequest(accessToken: "a", refreshToken: "r"))
                == ["access_token": "a", "refresh_token": "r"])
        #expect(try json(LogoutRequest(refreshToken: "r")) == ["refresh_token": "r"])
        #expect(try json(RevokeTokenRequest(clientId: "k")) == ["client_id": "k"])
        #expect(try json(UpdateKeyPermissionsRequest(add: ["blob"])) == ["add": ["blob"]])
        #expect(try json(UpdateKeyPermissionsRequest()) == [:])
        #expect(try json(MockTokenRequest(clientName: "c")) == ["client_name": "c"])
        #expect(
            try json(
                MockTokenRequest(
                    clientName: "c", permissions: ["admin"], nodeUrl: "n", accessTokenExpiry: 5, refreshTokenExpiry: 6))
                == [
                    "client_name": "c", "permissions": ["admin"], "node_url": "n", "access_token_expiry": 5,
                    "refresh_token_expiry": 6,
                ])
    }

    @Test("A client-key request sends only what is set, and 64-bit lifetimes whole")
    func clientKeyRequest() throws {
        let request = GenerateClientKeyRequest(
            contextId: "c", permissions: ["context:execute"], applicationId: "app", ttlSecs: 3600)
        #expect(
            try json(request) == [
                "context_id": "c", "permissions": ["context:execute"], "application_id": "app", "ttl_secs": 3600,
            ])
        let huge = try JSONEncoder().encode(GenerateClientKeyRequest(ttlSecs: .max))
        #expect(String(decoding: huge, as: UTF8.self) == #"{"ttl_secs":18446744073709551615}"#)
    }

    @Test("A root-key request has its keys and leaves out a nil node URL")
    func createKeyRequest() throws {
        let request = CreateKeyRequest(
            publicKey: "bob", authMethod: "user_password", providerData: ["username": "bob", "password": "p4ssw0rd"])
        #expect(
            try json(request) == [
                "public_key": "bob", "auth_method": "user_password",
                "provider_data": ["username": "bob", "password": "p4ssw0rd"],
            ])
    }

    @Test("Token answers decode, with and without the inner error key")
    func tokenResponse() throws {
        let full: TokenResponse = try decode(
            #"{"data":{"access_token":"a","refresh_token":"r","error":null},"error":null}"#)
        #expect(full.data.accessToken == "a" && full.data.refreshToken == "r" && full.data.error == nil)
        let bare: TokenResponse = try decode(#"{"data":{"access_token":"a","refresh_token":"r"}}"#)
        #expect(bare.data.refreshToken == "r" && bare.error == nil)
        #expect(throws: DecodingError.self) { try decode(TokenResponse.self, #"{"data":{"access_token":"a"}}"#) }
    }

    @Test("Health, identity and providers decode as the node writes them")
    func serviceAnswers() throws {
        let health: HealthResponse = try decode(#"{"status":"not_alive","storage":false,"uptime_seconds":42}"#)
        #expect(health.status == "not_alive" && !health.storage && health.uptimeSeconds == 42)
        let identity: IdentityResponse = try decode(
            #"{"service":"calimero-auth","version":"0.1.2","authentication_mode":"forward","providers":["user_password"]}"#
        )
        #expect(identity.authenticationMode == "forward" && identity.providers == ["user_password"])
        let providers: ProvidersResponse = try decode(
            """
            {"providers":[{"name":"account_proof","type":"credentials","description":"d","configured":true,
             "config":{"enabled":true,"challenge_ttl_secs":60,"allowed_audiences":[]}}],"count":1}
            """)
        #expect(providers.count == 1)
        #expect(
            providers.providers.first?.config == [
                "enabled": true, "challenge_ttl_secs": 60, "allowed_audiences": [],
            ])
    }

    @Test("A root key without a public key or method reads as empty text")
    func rootKey() throws {
        let key: RootKey = try decode(
            """
            {"key_id":"k","public_key":null,"auth_method":null,"created_at":1796000000,"revoked_at":null,
             "permissions":["admin"]}
            """)
        #expect(key.publicKey == "" && key.authMethod == "" && key.revokedAt == nil && key.createdAt == 1_796_000_000)
        #expect(throws: DecodingError.self) { try decode(RootKey.self, #"{"key_id":"k","created_at":1e30}"#) }
    }

    @Test("A client key decodes")
    func clientKey() throws {
        let key: ClientKey = try decode(
            """
            {"client_id":"c","root_key_id":"r","name":"n","permissions":[],"created_at":1,"revoked_at":2,
             "is_valid":false}
            """)
        #expect(key.clientId == "c" && key.rootKeyId == "r" && key.revokedAt == 2 && !key.isValid)
    }

    @Test(
        "Both deletions read every shape a node sends",
        arguments: [
            (#"{"data":{"key_id":"k","revoked_at":1796000000},"error":null}"#, true, ""),
            (
                #"{"data":{"status":false,"message":"Cannot delete the last active root key"},"error":null}"#, false,
                "Cannot delete the last active root key"
            ),
            (
                #"{"data":{"message":"Client key revoked successfully","revoked_at":1}}"#, true,
                "Client key revoked successfully"
            ),
            (#"{"success":true,"message":"m"}"#, true, "m"),
            (#"{"data":{"success":false,"status":true,"message":"m"}}"#, false, "m"),
            (#"{"data":null,"success":false}"#, false, ""),
            (#"{"data":"x","message":"m"}"#, true, "m"),
            (#"{}"#, true, ""),
        ])
    func deletions(text: String, success: Bool, message: String) throws {
        let root: DeleteKeyResponse = try decode(text)
        #expect(root.success == success && root.message == message)
        let client: DeleteClientResponse = try decode(text)
        #expect(client.success == success && client.message == message)
    }

    @Test("An answer that is no object is not taken for a deletion")
    func deletionOfNothing() {
        #expect(throws: DecodingError.self) { try decode(DeleteKeyResponse.self, "[1]") }
    }

    @Test("The envelope looks at data only")
    func envelope() throws {
        let answer: ApiResponse<LogoutResponse> = try decode(#"{"data":{"success":true},"error":{"code":1}}"#)
        #expect(answer.data?.success == true && answer.error == nil)
        let none: ApiResponse<LogoutResponse> = try decode(#"{"data":null,"error":"no"}"#)
        #expect(none.data == nil && none.error == "no")
        #expect(throws: DecodingError.self) { try decode(ApiResponse<LogoutResponse>.self, #"{"data":{}}"#) }
    }

    @Test("Nothing that holds a secret shows it in print", arguments: AuthTypesTests.secretHolders)
    func redaction(_ holder: SecretHolder) {
        var dumped = ""
        dump(holder.value, to: &dumped)
        for text in ["\(holder.value)", String(reflecting: holder.value), "\([holder.value])", dumped] {
            #expect(!text.contains("S3CRET"), "\(text)")
            #expect(text.contains(holder.visible), "\(text)")
        }
    }

    struct SecretHolder: Sendable {
        let value: any Sendable
        let visible: String
    }

    static let secretHolders: [SecretHolder] = [
        SecretHolder(
            value: TokenRequest(
                authMethod: "m", publicKey: "alice", clientName: "c", permissions: nil, timestamp: 7,
                providerData: ["password": "S3CRET"]), visible: "alice"),
        SecretHolder(
            value: RefreshTokenRequest(accessToken: "S3CRET", refreshToken: "S3CRET"), visible: "RefreshTokenRequest"),
        SecretHolder(value: LogoutRequest(refreshToken: "S3CRET"), visible: "redacted"),
        SecretHolder(
            value: TokenResponse(data: .init(accessToken: "S3CRET", refreshToken: "S3CRET"), error: "visible"),
            visible: "visible"),
        SecretHolder(
            value: CreateKeyRequest(publicKey: "bob", authMethod: "m", providerData: ["password": "S3CRET"]),
            visible: "bob"),
    ]
}
