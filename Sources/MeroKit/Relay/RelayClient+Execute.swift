import Foundation

extension RelayClient {
    /// Runs a method in a context, as one write.
    ///
    /// A method that answers with an error of its own is `MeroError.http` with a `refusal` in it, as it is on a node. A
    /// warrant whose number turns out to be spent is replaced by one with a new number, once, and only when the first one
    /// left exactly once. Spec: 60, sections 4.3 and 5.3.
    public func execute(
        contextId: String, method: String, argsJson: JSONValue = [:]
    ) async throws -> IntentResult {
        try await write(contextId, method, Self.arguments(argsJson)).result()
    }

    /// Runs a method and decodes what it returns.
    ///
    /// `null` decodes as nil, `.null` or an empty type; for any other `T` it is `MeroError.emptyResponse`.
    public func execute<T: Decodable>(
        _ type: T.Type, contextId: String, method: String, argsJson: JSONValue = [:]
    ) async throws -> T {
        try RelayAnswer.returns(try await write(contextId, method, Self.arguments(argsJson)).returns)
    }

    /// Runs a method whose arguments are a JSON text: all digits of its integers survive.
    public func execute<T: Decodable>(
        _ type: T.Type, contextId: String, method: String, argsJson: RawJSON
    ) async throws -> T {
        try RelayAnswer.returns(try await write(contextId, method, Self.arguments(argsJson)).returns)
    }
}

/// What a relay answered to a write: the return value in its own bytes, so that no digit is lost.
struct IntentAnswer: Sendable {
    let rootHash: String?
    let returns: Data

    func result() throws -> IntentResult {
        let value: JSONValue = try RelayAnswer.returns(returns)
        return IntentResult(rootHash: rootHash, returns: value.unlessNull)
    }
}

extension RelayClient {
    /// The one text of the arguments that the warrant commits to and that is sent.
    static func arguments(_ value: JSONValue) throws -> Data {
        // Refuses what JSON cannot express, as calls to a node do.
        _ = try RequestEncoding.encode(value)
        return CanonicalJSON.data(value)
    }

    /// The same for a text.
    static func arguments(_ json: RawJSON) throws -> Data {
        do {
            return try CanonicalJSON.data(ofText: Data(json.text.utf8))
        } catch {
            throw MeroError.network("Cannot be written as JSON: \(error.localizedDescription)")
        }
    }

    /// - Parameter arguments: In canonical form.
    func write(_ contextId: String, _ method: String, _ arguments: Data) async throws -> IntentAnswer {
        let first = await attempt(contextId, method, arguments)
        guard case .failure(let error) = first.result else { return try first.result.get() }
        guard case AccountError.intentRefused(_, true, _) = error, first.sends == 1 else { throw error }
        try await catchUp(contextId)
        return try await attempt(contextId, method, arguments).result.get()
    }

    /// How one warrant went, and how often it was sent.
    private struct Attempt: Sendable {
        let result: Result<IntentAnswer, any Error>
        let sends: Int

        static func unsent(_ error: any Error) -> Attempt { Attempt(result: .failure(error), sends: 0) }
    }

    private func attempt(_ contextId: String, _ method: String, _ arguments: Data) async -> Attempt {
        let request: HttpRequest
        let notAfter: UInt64
        do {
            try checkAuthor()
            (request, notAfter) = try await intent(contextId, method, arguments)
        } catch {
            return .unsent(error)
        }
        let outcome = await http.exchange(request, notAfter: notAfter)
        let result = Result<IntentAnswer, any Error> {
            let body: Data
            do {
                body = try outcome.result.get()
            } catch {
                let refusal = RelayRefusal.of(error)
                guard outcome.wasResent, case AccountError.intentRefused(let reason, true, let status) = refusal else {
                    throw refusal
                }
                // The first copy may have been carried out, and be what made the second one come too late.
                throw AccountError.intentRefused(reason: reason, retryable: false, status: status)
            }
            let rootHash = try? MeroJSON.decode(String.self, from: RelayAnswer.member("rootHash", of: body))
            return IntentAnswer(rootHash: rootHash, returns: try RelayAnswer.member("returns", of: body))
        }
        return Attempt(result: result, sends: outcome.sends)
    }

    /// Asks the relay who it is, and signs a warrant for it.
    private func intent(
        _ contextId: String, _ method: String, _ arguments: Data
    ) async throws -> (HttpRequest, notAfter: UInt64) {
        let relay = try await describe(contextId)
        let executor = try checkedExecutor(account: relay.executorAccount, key: relay.executorKey)
        guard Hex.is32(relay.releaseBytecodeId) else {
            throw AccountError.protocolViolation(
                "the relay named no release of 64 hex characters: it cannot be signed for")
        }
        var input = Warrants.WarrantInput(
            context: contextId, authorAccount: authorAccount, executor: executor.executorAccount,
            executorKey: executor.executorKey, releaseBytecodeId: relay.releaseBytecodeId,
            releaseVersion: relay.releaseVersion, method: method, argsJson: .null, nonce: 0, notAfter: 0)
        input.canonicalArguments = arguments
        // Whatever cannot be signed must not cost a number.
        _ = try Warrants.warrantPreimage(input, devicePublicKey: signer.signPublicKeyBytes)
        input.nonce = try await NonceDesk.next(nonces, relayURL)
        input.notAfter = expiry
        let warrant = try await Warrants.signWarrant(input, signer: signer)
        let body = IntentBody.write(method: method, arguments: arguments, warrant: warrant, authorProof: authorProof)
        return (try AdminEndpoints.performIntent.request([contextId], body: .json(body)), input.notAfter)
    }

    /// Finds out where the device's numbers have come to, after one turned out to be spent. Spec: 60, section 4.3.
    private func catchUp(_ contextId: String) async throws {
        do {
            try await recoverNonce(contextId: contextId)
        } catch let error where error is CancellationError || error is AccountError {
            throw error
        } catch {
            try Task.checkCancellation()
            // Nobody could tell, as on all current nodes. The clock is above every counter that began at 1.
            try await NonceDesk.advance(nonces, relayURL, to: http.clock.milliseconds)
        }
    }
}

/// Writes the bodies of intents, arguments as the very text that was signed for.
enum IntentBody {
    static func write(method: String, arguments: Data, warrant: String, authorProof: String) -> Data {
        object([
            ("method", quoted(method)), ("argsJson", arguments), ("warrant", quoted(warrant)),
            ("authorProof", quoted(authorProof)),
        ])
    }

    static func query(method: String, arguments: Data) -> Data {
        object([("method", quoted(method)), ("argsJson", arguments)])
    }

    static func creation(arguments: Data, warrant: String, authorProof: String) -> Data {
        object([("warrant", quoted(warrant)), ("authorProof", quoted(authorProof)), ("initArgs", arguments)])
    }

    private static func object(_ members: [(String, Data)]) -> Data {
        var text = Data("{".utf8)
        for (index, member) in members.enumerated() {
            text += Data("\(index == 0 ? "" : ",")\"\(member.0)\":".utf8) + member.1
        }
        return text + Data("}".utf8)
    }

    private static func quoted(_ text: String) -> Data {
        var writer = JSONWriter()
        writer.write(string: text)
        return Data(writer.bytes)
    }
}
