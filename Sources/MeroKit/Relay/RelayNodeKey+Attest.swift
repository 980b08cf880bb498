import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension RelayNodeKey {
    /// Asks a relay to attest itself, and has a verifier say which key it signs with: 64 hex characters.
    ///
    /// Throws `AccountError.relayKeyUnavailable`, what the verifier throws, and `CancellationError`. Spec: 80, section 2.6.
    ///
    /// - Parameters:
    ///   - relayURL: The relay's origin.
    ///   - verifier: Decides whether the quote is trusted, and which key it tells.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - timeout: Seconds without progress before the request fails; as a whole it may take three times as long.
    ///   - options: Limits and trust. What attests itself is not sealed to yet: sealing plays no part.
    public static func attest(
        relayURL: String, verifier: any RelayKeyVerifier = TLSRelayKeyVerifier(), session: URLSession? = nil,
        timeout: TimeInterval = 15, options: HttpOptions = HttpOptions()
    ) async throws -> String {
        let attempt = try await attempt(
            relayURL: relayURL, verifier: verifier, session: session, timeout: timeout, options: options)
        switch attempt {
        case .learned(let key): return key
        case .unavailable(let error), .refused(let error): throw error
        }
    }

    /// One attempt, telling whether another one makes sense.
    ///
    /// Throws `CancellationError` only. Spec: 60, section 9.5.
    public static func attempt(
        relayURL: String, verifier: any RelayKeyVerifier = TLSRelayKeyVerifier(), session: URLSession? = nil,
        timeout: TimeInterval = 15, options: HttpOptions = HttpOptions()
    ) async throws -> RelayKeyAttempt {
        try await attempt(
            relayURL: relayURL, verifier: verifier, engine: EngineChoice.carrier(session: session, options: options),
            timeout: timeout)
    }

    static func attempt(
        relayURL: String, verifier: any RelayKeyVerifier, engine: any HttpEngine, timeout: TimeInterval
    ) async throws -> RelayKeyAttempt {
        let relayURL = RelayOrigin.trimmed(relayURL)
        guard let base = try? RelayOrigin.base(relayURL) else { return .refused(RelayOrigin.unusable) }
        let http = URLSessionHttpClient(baseURL: base, timeout: timeout, engine: engine)
        let nonce = Hex.encode(randomBytes(32))
        let body: Data
        do {
            var request = HttpRequest(
                path: "/admin-api/tee/attest", method: .post,
                body: .json(Data(#"{"bindNodeKey":true,"includeCollateral":true,"nonce":"\#(nonce)"}"#.utf8)),
                headers: ["Accept": "application/json"])
            request.isRetried = false
            request.isBrief = true
            body = try await http.sendRaw(request).0
        } catch let error as CancellationError {
            throw error
        } catch {
            return .unavailable(.relayKeyUnavailable("the relay did not attest: \(error.localizedDescription)"))
        }
        guard let answer = try? JSONValue(jsonBytes: body), case let data = answer["data"] ?? answer,
            let quote = data["quoteB64"]?.stringValue, let key = data["boundPublicKey"]?.stringValue
        else {
            return .refused(.relayKeyUnavailable("the relay's attestation has no quote, or binds no key"))
        }
        let collateral = data["collateral"]?.unlessNull
        let attestation = RelayAttestation(
            relayURL: relayURL, nonce: nonce, quoteB64: quote, boundPublicKey: key, collateral: collateral)
        do {
            return .learned(try await verifier.verify(attestation))
        } catch let error as CancellationError {
            throw error
        } catch let error as AccountError {
            return .refused(error)
        } catch let error as MeroError {
            // The verifier asks others, too, and one of them did not answer.
            return .unavailable(.relayKeyUnavailable(error.localizedDescription))
        } catch {
            return .refused(.relayKeyUnavailable(error.localizedDescription))
        }
    }
}

/// How an attempt to learn a relay's key ended.
///
/// Spec: 60, section 9.5.
public enum RelayKeyAttempt: Sendable, Equatable {
    /// The key, 64 hex characters.
    case learned(String)
    /// Somebody did not answer. Try again after `delay(beforeRetry:)`.
    case unavailable(AccountError)
    /// The relay answered and its answer does not hold. Trying again changes nothing.
    case refused(AccountError)

    /// Seconds to wait before the given repetition, counted from 1: 1, 2, 5, 10, and then 30.
    public static func delay(beforeRetry number: Int) -> TimeInterval {
        switch number {
        case ...1: return 1
        case 2: return 2
        case 3: return 5
        case 4: return 10
        default: return 30
        }
    }
}
