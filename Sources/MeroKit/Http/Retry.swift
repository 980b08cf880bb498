import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// True for a failure that may be gone a moment later.
func isRetryable(_ error: any Error) -> Bool {
    switch error {
    case let error as EngineError:
        switch error.kind {
        case .unreachable, .timedOut, .connectionLost: return true
        case .tooLarge, .file, .closed, .invalidRequest: return false
        }
    case let error as MeroError:
        switch error {
        case .network: return true
        case .http(let answer):
            // Anybody on the way may have written it, behind a request that ran.
            if answer.cameInTheClear { return answer.status == 503 && answer.sealedRefusal?.code == "busy" }
            return answer.status >= 500 || answer.status == 429
        default: return false
        }
    case let error as URLError:
        return [.timedOut, .networkConnectionLost, .cannotConnectToHost, .dnsLookupFailed].contains(error.code)
    default:
        return false
    }
}

/// Seconds to wait after the given attempt (counted from 1): 0.25, 0.5, 1.0, ... with up to 20 % more or less.
func backoffDelay(attempt: Int, jitter: Double = .random(in: -0.2...0.2)) -> TimeInterval {
    0.25 * pow(2, Double(attempt - 1)) * (1 + jitter)
}

/// The longest `Retry-After` that is waited out; a longer one surfaces as the error it came with.
let longestRetryAfter: TimeInterval = 10

/// Runs the operation until it succeeds, fails for good, or has been tried `attempts` times.
///
/// Cancellation ends it at once, in the operation as in the pause before the next attempt.
func withRetry<Value>(
    attempts: Int = 3,
    sleep: (TimeInterval) async throws -> Void = { try await Task.sleep(nanoseconds: .nanoseconds($0)) },
    retryIf: (any Error) -> Bool = isRetryable,
    _ operation: () async throws -> Value
) async throws -> Value {
    var attempt = 1
    while true {
        do {
            return try await operation()
        } catch {
            try Task.checkCancellation()
            guard attempt < attempts, retryIf(error) else { throw error }
            var delay = backoffDelay(attempt: attempt)
            if let asked = retryAfter(of: error, now: Date()) {
                guard asked <= longestRetryAfter else { throw error }
                delay = max(delay, asked)
            }
            try await sleep(delay)
            attempt += 1
        }
    }
}

/// Seconds that the answer asks to wait: a number, or an HTTP date; nil when it asks nothing.
func retryAfter(of error: any Error, now: Date) -> TimeInterval? {
    guard case MeroError.http(let answer) = error,
        let text = answer.headers["retry-after"]?.trimmingCharacters(in: .whitespaces)
    else { return nil }
    if let seconds = TimeInterval(text), seconds >= 0 { return seconds }
    guard let date = httpDate(text) else { return nil }
    return max(0, date.timeIntervalSince(now))
}
