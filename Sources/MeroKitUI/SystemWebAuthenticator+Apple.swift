#if canImport(AuthenticationServices) && (os(iOS) || os(macOS))
    import AuthenticationServices
    import Foundation
    import MeroKit

    #if canImport(UIKit)
        import UIKit
    #else
        import AppKit
    #endif

    /// Shows the wallet's page in the system's web authentication sheet.
    ///
    /// Not ephemeral unless asked for: the wallet keeps its passkey-derived key in its own origin. Cancelling the task closes
    /// the sheet. Spec: 70, section 13.1.
    public final class SystemWebAuthenticator: NSObject, WebAuthenticating {
        private let isEphemeral: Bool

        /// - Parameter prefersEphemeralWebBrowserSession: Whether the page is to share nothing with the browser.
        public init(prefersEphemeralWebBrowserSession: Bool = false) {
            isEphemeral = prefersEphemeralWebBrowserSession
        }

        /// Throws `WebAuthenticationCancelled` when the person closes the sheet, `AccountError.invalidInput` for an `https`
        /// callback on a system before iOS 17.4 or macOS 14.4, and `.protocolViolation` when the sheet cannot be shown.
        public func authenticate(url: URL, callback: CloudCallback) async throws -> URL {
            try await WebSheet(isEphemeral: isEphemeral).show(url, callback)
        }
    }

    /// One sheet. Whatever ends it first decides; it ends once.
    @MainActor private final class WebSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
        private let isEphemeral: Bool
        private var session: ASWebAuthenticationSession?
        private var continuation: CheckedContinuation<URL, any Error>?

        nonisolated init(isEphemeral: Bool) { self.isEphemeral = isEphemeral }

        func show(_ url: URL, _ callback: CloudCallback) async throws -> URL {
            try await withTaskCancellationHandler {
                try Task.checkCancellation()
                let session = try makeSession(url, callback)
                self.session = session
                session.prefersEphemeralWebBrowserSession = isEphemeral
                session.presentationContextProvider = self
                return try await withCheckedThrowingContinuation { continuation in
                    self.continuation = continuation
                    if !session.start() {
                        end(.failure(AccountError.protocolViolation("the sign-in page could not be shown")))
                    }
                }
            } onCancel: {
                Task { await self.cancel() }
            }
        }

        private func makeSession(_ url: URL, _ callback: CloudCallback) throws -> ASWebAuthenticationSession {
            let finished: @Sendable (URL?, (any Error)?) -> Void = { [weak self] url, error in
                let outcome: Result<URL, any Error>
                if let url {
                    outcome = .success(url)
                } else if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
                    outcome = .failure(WebAuthenticationCancelled())
                } else {
                    outcome = .failure(
                        AccountError.protocolViolation(error?.localizedDescription ?? "the page returned nothing"))
                }
                Task { await self?.end(outcome) }
            }
            switch callback {
            case .scheme(let scheme, _):
                return ASWebAuthenticationSession(url: url, callbackURLScheme: scheme, completionHandler: finished)
            case .https(let host, let path):
                guard #available(iOS 17.4, macOS 14.4, *) else {
                    throw AccountError.invalidInput("https callbacks need iOS 17.4 or macOS 14.4")
                }
                return ASWebAuthenticationSession(
                    url: url, callback: .https(host: host, path: path.hasPrefix("/") ? path : "/" + path),
                    completionHandler: finished)
            }
        }

        private func end(_ outcome: Result<URL, any Error>) {
            guard let continuation else { return }
            self.continuation = nil
            session = nil
            continuation.resume(with: outcome)
        }

        private func cancel() {
            session?.cancel()
            end(.failure(CancellationError()))
        }

        // Asked for on the main thread. Not isolated itself, since not every SDK says so of the protocol.
        nonisolated func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            MainActor.assumeIsolated { Self.keyWindow }
        }

        private static var keyWindow: ASPresentationAnchor {
            #if canImport(UIKit)
                let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
                return scenes.flatMap(\.windows).first(where: \.isKeyWindow) ?? ASPresentationAnchor()
            #else
                return NSApplication.shared.keyWindow ?? ASPresentationAnchor()
            #endif
        }
    }
#endif
