import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Opens sessions of an account at a relay: the device signs a statement, and the relay answers with tokens.
///
/// Such a session reads what the account may read and brings its events; it writes nothing. Spec: 60, section 9.1.
public enum RelayLogin {
    /// Seconds that a statement is valid for.
    public static let defaultTTLSeconds: UInt64 = 300

    /// Logs in with the device's keys.
    ///
    /// Throws `MeroError.http` when the relay refuses: a 401 means a wrong node key or audience, a stale challenge, or a
    /// device that the account has not certified, and does not say which. `AccountError.protocolViolation` for an answer
    /// without challenge or token, `.invalidInput` for arguments that cannot be signed.
    ///
    /// - Parameters:
    ///   - relayURL: The relay's origin.
    ///   - nodeKey: The key that the relay signs with, 64 hex characters: pinned or attested, never the relay's own
    ///     word.
    ///   - credential: The device's certificate, in hex.
    ///   - keys: The device's keys.
    ///   - audience: Who asks. Compared by the node byte by byte.
    ///   - clientName: A label; nil takes the relay's URL.
    ///   - ttlSeconds: How long the statement is valid.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - timeout: Seconds without progress before a request fails; as a whole it may take three times as long.
    ///   - now: When the statement is issued.
    ///   - options: Limits and trust of the HTTP stack.
    public static func login(
        relayURL: String, nodeKey: String, credential: String, keys: DeviceKeys, audience: LoginAudience = .current,
        clientName: String? = nil, ttlSeconds: UInt64 = defaultTTLSeconds, session: URLSession? = nil,
        timeout: TimeInterval = 10, now: Date = Date(),
        options: HttpOptions = HttpOptions()
    ) async throws -> TokenData {
        try await login(
            relayURL: relayURL, nodeKey: nodeKey, credential: credential, signer: keys, audience: audience,
            clientName: clientName, ttlSeconds: ttlSeconds, session: session, timeout: timeout, now: now,
            options: options)
    }

    /// Logs in with a signer. Throws also what the signer throws.
    public static func login(
        relayURL: String, nodeKey: String, credential: String, signer: any DeviceSigner,
        audience: LoginAudience = .current, clientName: String? = nil, ttlSeconds: UInt64 = defaultTTLSeconds,
        session: URLSession? = nil, timeout: TimeInterval = 10, now: Date = Date(), options: HttpOptions = HttpOptions()
    ) async throws -> TokenData {
        let http = URLSessionHttpClient(
            baseURL: RelayOrigin.url(RelayOrigin.trimmed(relayURL)), timeout: timeout, session: session,
            options: options)
        return try await login(
            http: http, relayURL: relayURL, nodeKey: nodeKey, credential: credential, signer: signer,
            audience: audience, clientName: clientName, ttlSeconds: ttlSeconds, now: now)
    }

    /// Ends a session at the relay. Best effort: errors are ignored, and an empty token sends nothing.
    public static func logout(
        relayURL: String, refreshToken: String, session: URLSession? = nil, timeout: TimeInterval = 10,
        options: HttpOptions = HttpOptions()
    ) async {
        guard !refreshToken.isEmpty else { return }
        let http = URLSessionHttpClient(
            baseURL: RelayOrigin.url(RelayOrigin.trimmed(relayURL)), timeout: timeout, session: session,
            options: options)
        _ = try? await AuthApi(http: http).logout(LogoutRequest(refreshToken: refreshToken))
    }

    static func login(
        http: any HttpClient, relayURL: String, nodeKey: String, credential: String, signer: any DeviceSigner,
        audience: LoginAudience, clientName: String?, ttlSeconds: UInt64, now: Date
    ) async throws -> TokenData {
        _ = try RelayOrigin.base(RelayOrigin.trimmed(relayURL))
        _ = try Hex.id(nodeKey, "nodeKey")
        guard try !Hex.decodeUnsized(credential, label: "credential").isEmpty else {
            throw AccountError.invalidInput("credential is empty")
        }
        guard let issuedAt = UInt64(sinceEpoch: now.timeIntervalSince1970) else {
            throw AccountError.invalidInput("now is no date that a statement can carry")
        }
        let challenge = try await challenge(http)
        // Lives as long as this session; only its public half is ever needed.
        let sessionKey = Hex.encode(try Ed25519.publicKey(seed: SecretBytes(random: 32)))
        let (expiresAt, overflow) = issuedAt.addingReportingOverflow(ttlSeconds)
        let statement = try await LoginStatement.sign(
            node: nodeKey, audience: audience, challenge: challenge, sessionKey: sessionKey, issuedAt: issuedAt,
            expiresAt: overflow ? .max : expiresAt, signer: signer)
        let request = TokenRequest(
            authMethod: "account_proof", publicKey: sessionKey,
            clientName: clientName ?? RelayOrigin.trimmed(relayURL), permissions: nil,
            timestamp: Int(clamping: issuedAt),
            providerData: [
                "challenge": .string(challenge), "login_statement": .string(statement),
                "account_proof": .string(credential),
            ])
        var call = try AuthEndpoints.token.request(body: .encoding(request))
        call.retriesWhenThrottled = false
        // Its first success spends the challenge.
        call.sendOnce = true
        let answer = try await http.sendRaw(call).0
        guard let access = text("access_token", of: answer), !access.isEmpty else {
            throw AccountError.protocolViolation("the relay's login brought no access token")
        }
        let refresh = text("refresh_token", of: answer) ?? ""
        guard isSendable(access), isSendable(refresh) else {
            throw AccountError.protocolViolation("the relay's login brought a token that no header can carry")
        }
        return TokenData(
            accessToken: access, refreshToken: refresh,
            expiresAt: expiresAtFromJWT(access, fallback: Date(timeIntervalSinceNow: TokenData.assumedLifetime)))
    }

    private static func challenge(_ http: any HttpClient) async throws -> String {
        var request = HttpRequest(path: "/auth/challenge", headers: ["Accept": "application/json"])
        request.retriesWhenThrottled = false
        request.isBrief = true
        guard let challenge = text("challenge", of: try await http.sendRaw(request).0), !challenge.isEmpty else {
            throw AccountError.protocolViolation("the relay issued no challenge")
        }
        guard Hex.is32(challenge) else {
            throw AccountError.protocolViolation("the relay's challenge is not 64 hex characters")
        }
        return challenge
    }

    /// Whether a token can go out in a header as it is: printable ASCII without blanks.
    private static func isSendable(_ token: String) -> Bool { token.utf8.allSatisfy { 0x21...0x7e ~= $0 } }

    /// A text of an answer, in its envelope or without.
    private static func text(_ name: String, of body: Data) -> String? {
        guard let answer = try? JSONValue(jsonBytes: body) else { return nil }
        return (answer["data"]?[name] ?? answer[name])?.stringValue
    }
}
