import Foundation
import MeroKit

/// Errors of the cloud in words: those of `Failure` speak of nodes.
enum CloudFailure {
    static func describing(_ error: any Error) -> any Error {
        guard let error = error as? MeroError else { return error }
        switch error {
        case .network(let text):
            return Failure(
                code: .unreachable, message: "No answer from the cloud: \(text)", hint: "Check the address (--cloud)")
        case .decoding(let text), .emptyResponse(let text):
            return Failure(
                code: .unexpectedAnswer, message: "The cloud's answer is not what was expected: \(text)",
                hint: "Check that the address (--cloud) is that of the API")
        case .http(let answer): return describing(answer)
        default: return error
        }
    }

    private static func describing(_ answer: HTTPError) -> Failure {
        let said = detail(answer.bodyText).map { ": \($0)" } ?? ""
        func failure(_ code: ExitCode, _ message: String, _ hint: String?) -> Failure {
            Failure(code: code, message: "\(message) (HTTP \(answer.status))\(said)", hint: hint, status: answer.status)
        }
        switch answer.status {
        case 401:
            return failure(
                .notSignedIn, "The cloud did not accept the login",
                "Run \"mero cloud login --owner\" or \"mero cloud login --google-stdin\" again")
        case 402: return failure(.refused, "The plan does not cover this", nil)
        case 403: return failure(.refused, "The cloud did not accept the proof", nil)
        case 404: return failure(.refused, "The cloud knows no such thing of yours", "Check the id")
        case 409: return failure(.refused, "It is somebody else's at the cloud, or in another state", nil)
        case 500...: return failure(.refused, "The cloud failed", "Try again in a while")
        default: return failure(.refused, "The cloud refused", nil)
        }
    }

    /// What the cloud says about it, in one of its forms.
    private static func detail(_ body: String?) -> String? {
        guard let body, let json = try? JSONValue(jsonBytes: Array(body.utf8)) else { return nil }
        let detail = json["detail"]
        return [json["error"], detail?["message"], detail?["error"], detail].lazy
            .compactMap { $0?.stringValue }.first { !$0.isEmpty }
    }
}
