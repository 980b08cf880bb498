import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension EngineError {
    static let timedOut = EngineError(
        kind: .timedOut, mayHaveReachedNode: true, message: "The request timed out")
    static let notHttp = EngineError(
        kind: .connectionLost, mayHaveReachedNode: true, message: "Non-HTTP response")

    static func tooLarge(limit: Int) -> EngineError {
        EngineError(
            kind: .tooLarge, mayHaveReachedNode: true, message: "The answer is larger than the limit of \(limit) bytes")
    }

    static func invalidRequest(_ message: String) -> EngineError {
        EngineError(kind: .invalidRequest, mayHaveReachedNode: false, message: message)
    }

    /// What Foundation reports about a task that was not cancelled by its caller.
    init(foundation error: Error) {
        guard let error = error as? URLError else {
            self.init(kind: .connectionLost, mayHaveReachedNode: true, message: error.localizedDescription)
            return
        }
        let message = error.localizedDescription
        switch error.code {
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
            .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self.init(kind: .unreachable, mayHaveReachedNode: false, message: message)
        case .unknown where Self.namesFailedHandshake(message):
            self.init(kind: .unreachable, mayHaveReachedNode: false, message: message)
        case .timedOut:
            self = .timedOut
        case .cancelled:
            self.init(kind: .closed, mayHaveReachedNode: true, message: "The session ended the request")
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotOpenFile:
            self.init(kind: .file, mayHaveReachedNode: true, message: message)
        default:
            // Also `.unsupportedURL`: on Linux it stands for an answer that is not HTTP.
            self.init(kind: .connectionLost, mayHaveReachedNode: true, message: message)
        }
    }

    /// Foundation on Linux has no code for a failed TLS handshake, only libcurl's text. A text that is not recognised
    /// errs on the careful side: the request may have been sent.
    private static func namesFailedHandshake(_ message: String) -> Bool {
        ["SSL certificate problem", "SSL: ", "OpenSSL/"].contains { message.hasPrefix($0) }
    }
}
