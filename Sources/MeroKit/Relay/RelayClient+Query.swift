import Foundation

extension RelayClient {
    /// Reads as the account: with its session at the relay where there is one, else with a warrant.
    ///
    /// A method that turns out to write is run with a warrant, and is not asked for as a read again. Nil for null.
    /// Spec: 60, section 5.7.
    public func query(contextId: String, method: String, argsJson: JSONValue = [:]) async throws -> JSONValue? {
        let value: JSONValue = try RelayAnswer.returns(try await read(contextId, method, Self.arguments(argsJson)))
        return value.unlessNull
    }

    /// Reads, and decodes what the method returns. `null` is treated as by `execute`.
    public func query<T: Decodable>(
        _ type: T.Type, contextId: String, method: String, argsJson: JSONValue = [:]
    ) async throws -> T {
        try RelayAnswer.returns(try await read(contextId, method, Self.arguments(argsJson)))
    }

    /// Reads with arguments that are a JSON text: all digits of its integers survive.
    public func query<T: Decodable>(
        _ type: T.Type, contextId: String, method: String, argsJson: RawJSON
    ) async throws -> T {
        try RelayAnswer.returns(try await read(contextId, method, Self.arguments(argsJson)))
    }

    private func read(_ contextId: String, _ method: String, _ arguments: Data) async throws -> Data {
        let kinds = RelayMethodKinds.shared
        if kinds[relayURL, contextId, method] != .write, let token = await tokenProvider() {
            do {
                var request = try AdminEndpoints.queryContext.request(
                    [contextId], body: .json(IntentBody.query(method: method, arguments: arguments)))
                request.headers["Authorization"] = "Bearer \(token)"
                let returns = try RelayAnswer.member("returns", of: try await http.send(request))
                kinds.learn(.read, relayURL, contextId, method)
                return returns
            } catch {
                switch RelayMethodKinds.lesson(of: error) {
                case .answered: throw error
                case .write: kinds.learn(.write, relayURL, contextId, method)
                case .nothing: try Task.checkCancellation()
                }
            }
        }
        return try await write(contextId, method, arguments).returns
    }
}

// MARK: - Where the numbers have come to

extension RelayClient: WarrantNonceLookup {
    /// What the relay knows of this device's numbers in a context.
    ///
    /// Current nodes do not tell: `MeroError.http` with 404. Needs a token of the account's. Spec: 60, section 1.9.
    public func warrantNonce(contextId: String) async throws -> RelayWarrantNonceState {
        try checkAuthor()
        var request = try AdminEndpoints.warrantNonceAsAuthor.request(
            [contextId], body: .encoding(["authorProof": authorProof]))
        if let token = await tokenProvider() { request.headers["Authorization"] = "Bearer \(token)" }
        return try RelayWarrantNonceState.parse(try await http.send(request))
    }

    /// The same. Throws `AccountError.invalidInput` for another device than this client's, and `.protocolViolation` for a
    /// number that would leave the device with too few.
    public func warrantNonce(contextId: String, authorDeviceKey: String) async throws -> RelayWarrantNonceState {
        guard authorDeviceKey.lowercased() == signer.signPublicKey.lowercased() else {
            throw AccountError.invalidInput("a relay client can ask for the nonces of its own device only")
        }
        return try Self.checked(await warrantNonce(contextId: contextId))
    }

    /// Asks the relay for this device's numbers in a context, and goes on behind them.
    ///
    /// Throws what `warrantNonce` throws, `AccountError.intentRefused` (status 409) when every number is spent, and
    /// `.protocolViolation` for a number that would leave the device with too few.
    public func recoverNonce(contextId: String) async throws {
        guard let next = try Self.checked(await warrantNonce(contextId: contextId)).nextNonce else {
            throw NonceDesk.spent("in context \(contextId)")
        }
        try await NonceDesk.advance(nonces, relayURL, to: next)
    }

    /// Numbers are never given back, so a relay's word may not use up half of them. No device gets that far by itself: it
    /// begins at 1 or at the clock.
    private static func checked(_ state: RelayWarrantNonceState) throws -> RelayWarrantNonceState {
        guard state.nextNonce ?? 0 <= highestNextNonce else {
            throw AccountError.protocolViolation("the relay asks to skip more than half of all warrant nonces")
        }
        return state
    }

    private static let highestNextNonce: UInt64 = 1 << 63
}
