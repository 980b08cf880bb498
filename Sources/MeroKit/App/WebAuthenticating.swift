import Foundation

/// Shows a page to the person and tells where it returned to.
///
/// On Apple systems `SystemWebAuthenticator` of MeroKitUI is the one to use. Tests bring a wallet without a browser.
/// Throw `WebAuthenticationCancelled` when the person closes the page. Spec: 70, section 13.1.
public protocol WebAuthenticating: Sendable {
    /// - Parameters:
    ///   - url: The page.
    ///   - callback: What it returns to.
    /// - Returns: The whole URL that it returned to, with the fragment.
    func authenticate(url: URL, callback: CloudCallback) async throws -> URL
}

/// Where the wallet's page returns to.
///
/// The hosted wallet returns to `https` callbacks only, for the time being. Spec: 70, sections 6.1 and 13.1.
public enum CloudCallback: Sendable, Equatable {
    /// A scheme of the app's own: `scheme://path`.
    case scheme(String, path: String = "enrol")
    /// An address of the app's own domain (Associated Domains): `https://host/path`.
    case https(host: String, path: String)

    /// The callback as a URL.
    public var url: String {
        switch self {
        case .scheme(let scheme, let path): return "\(scheme)://\(path)"
        case .https(let host, let path): return "https://\(host)\(path.hasPrefix("/") ? "" : "/")\(path)"
        }
    }
}

/// The person closed the page. No failure: nothing changes and nothing is shown.
public struct WebAuthenticationCancelled: Error, LocalizedError, Sendable {
    /// The person closed the page.
    public init() {}

    /// One sentence for a person.
    public var errorDescription: String? { "Sign-in was cancelled." }
}

/// Where the system has no page to show.
struct NoWebAuthenticator: WebAuthenticating {
    func authenticate(url: URL, callback: CloudCallback) async throws -> URL {
        throw AccountError.notSignedIn("no system web authentication on this platform")
    }
}
