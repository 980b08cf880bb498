import Foundation

/// How a relay client sends: nothing twice, but for what the relay turned away with a 429.
///
/// Spec: 60, section 2.
struct RelayHttp: Sendable {
    let client: URLSessionHttpClient
    let rateLimitRetries: Int
    let clock: RelayClock

    /// Seconds. A relay that asks for more is not waited for.
    private static let longestWait: TimeInterval = 10
    private static let firstWait: TimeInterval = 0.25

    /// How a request went, and how often it left.
    struct Outcome: Sendable {
        let result: Result<Data, any Error>
        let sends: Int
        /// Whether something below sent it once more, so that a refusal may be that of the second copy.
        var wasResent = false
    }

    /// Sends a request, the same bytes again after a 429.
    ///
    /// - Parameters:
    ///   - notAfter: Until when the request is of use, in Unix seconds: no wait goes beyond it.
    ///   - waits: Whether a 429 is waited out at all.
    func exchange(_ request: HttpRequest, notAfter: UInt64? = nil, waits: Bool = true) async -> Outcome {
        guard client.base.origin != nil else {
            return Outcome(result: .failure(RelayOrigin.unusable), sends: 0)
        }
        var request = request
        request.isRetried = false
        // A redirect, and the sealed transport under a session that is gone, send the same once more.
        let resends = Locked(0)
        request.onResend = { resends.withLock { $0 += 1 } }
        var sends = 0
        func outcome(_ result: Result<Data, any Error>) -> Outcome {
            let resends = resends.withLock { $0 }
            return Outcome(result: result, sends: sends + resends, wasResent: resends > 0)
        }
        while true {
            do {
                sends += 1
                return outcome(.success(try await client.sendRaw(request).0))
            } catch MeroError.http(let answer)
                where answer.status == 429 && !answer.cameInTheClear && waits && sends <= rateLimitRetries
            {
                guard let wait = wait(for: answer, after: sends), isInTime(wait, notAfter) else {
                    return outcome(.failure(MeroError.http(answer)))
                }
                do {
                    try await clock.sleep(wait)
                } catch {
                    return outcome(.failure(CancellationError()))
                }
            } catch {
                return outcome(.failure(error))
            }
        }
    }

    /// The same, as a call.
    func send(_ request: HttpRequest) async throws -> Data { try await exchange(request).result.get() }

    /// Nil when the relay asks for too much.
    private func wait(for answer: HTTPError, after sends: Int) -> TimeInterval? {
        let text = answer.headers["retry-after"]?.trimmingCharacters(in: .whitespaces) ?? ""
        guard !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return min(Self.firstWait * pow(2, Double(sends - 1)), Self.longestWait)
        }
        // A number that no integer holds is a long time, too.
        guard let asked = UInt64(text), Double(asked) <= Self.longestWait else { return nil }
        return Double(asked)
    }

    private func isInTime(_ wait: TimeInterval, _ notAfter: UInt64?) -> Bool {
        guard let notAfter else { return true }
        return clock.now().timeIntervalSince1970 + wait <= Double(notAfter)
    }
}

/// How a relay says no.
///
/// Spec: 60, sections 2.7, 2.8 and 3.
enum RelayRefusal {
    /// An untyped 400 or 403 of the delegated routes is a refusal; everything else is what it was.
    static func of(_ error: any Error) -> any Error {
        guard case MeroError.http(let answer) = error, answer.status == 400 || answer.status == 403,
            // What did not come out of the seal may be anybody's, and must not lead to a second warrant.
            !answer.cameInTheClear, answer.refusal?.type == nil
        else { return error }
        return refusal(answer)
    }

    /// - Parameter retryable: nil to read it from the reason: only a spent nonce is named by that word.
    static func refusal(_ answer: HTTPError, retryable: Bool? = nil) -> AccountError {
        let reason = reason(in: answer.bodyText)
        return .intentRefused(
            reason: reason, retryable: retryable ?? reason.lowercased().contains("nonce"), status: answer.status)
    }

    static func reason(in body: String?) -> String {
        guard let body, !body.isEmpty else { return "no reason given" }
        if case .object(let members)? = try? JSONValue(jsonBytes: Data(body.utf8)) {
            for name in ["error", "message"] {
                if let text = members[name]?.stringValue, !text.isEmpty { return text }
            }
        }
        return body
    }
}

extension JSONValue {
    /// Nil for null. Spelled out, since `nil` itself is a `JSONValue`.
    var unlessNull: JSONValue? { self == .null ? Optional<JSONValue>.none : .some(self) }
}

/// Reads what a relay answers.
enum RelayAnswer {
    private static let data = JSONMembers.Paths([["data"]])

    /// What stands in the envelope. Throws `MeroError.decoding`.
    static func payload(_ body: Data) throws -> Data {
        guard let members = try? JSONMembers(body, at: data), let payload = members["data"], !members.isNull("data")
        else { throw unreadable(body) }
        return payload
    }

    /// Throws `MeroError.decoding`.
    static func decode<T: Decodable>(_ type: T.Type = T.self, from body: Data) throws -> T {
        let payload = try payload(body)
        do {
            return try MeroJSON.decode(type, from: payload)
        } catch {
            throw unreadable(body)
        }
    }

    /// A method's return value, from its own bytes. Throws `MeroError.emptyResponse` for a null that `T` cannot take, and
    /// `.decoding`.
    static func returns<T: Decodable>(_ json: Data, as type: T.Type = T.self) throws -> T {
        do {
            return try MeroJSON.decode(type, from: json)
        } catch {
            guard json.elementsEqual("null".utf8) else {
                throw MeroError.decoding("returns: \(ReplyDecoding.excerpt(of: json))")
            }
            throw MeroError.emptyResponse("The method returned null")
        }
    }

    /// The bytes of a member of the payload, `null` when it is not there.
    static func member(_ name: String, of body: Data) throws -> Data {
        let payload = try payload(body)
        guard let members = try? JSONMembers(payload, paths: [[name]]) else { throw unreadable(body) }
        return members[name] ?? Data("null".utf8)
    }

    static func unreadable(_ body: Data) -> MeroError {
        .decoding("the relay's answer: \(ReplyDecoding.excerpt(of: body))")
    }
}
