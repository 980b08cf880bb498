import Foundation
import MeroDevNode
import MeroKit

/// A person with a wallet, without a browser: opens the page that an app shows, and comes back as `DevWallet` says.
///
/// ```swift
/// let person = WalletAuthenticator()
/// person.wallet.next(.deny)
/// let client = MeroClient(cloud: signIn, webAuthenticator: person)
/// ```
public final class WalletAuthenticator: WebAuthenticating {
    /// Certifies the devices.
    public let wallet: DevWallet
    private let closes = Locked(0)
    private let asked = Locked<[URL]>([])

    /// A person with this wallet.
    public init(_ wallet: DevWallet = DevWallet()) { self.wallet = wallet }

    /// The next page that is shown is closed without an answer.
    public func closeNext() { closes.withLock { $0 += 1 } }

    /// The pages that were shown, oldest first.
    public var pages: [URL] { asked.withLock { $0 } }

    /// Throws `WebAuthenticationCancelled` when the page is closed.
    public func authenticate(url: URL, callback: CloudCallback) async throws -> URL {
        asked.withLock { $0.append(url) }
        let isClosed = closes.withLock { closes in
            guard closes > 0 else { return false }
            closes -= 1
            return true
        }
        if isClosed { throw WebAuthenticationCancelled() }
        return try wallet.visit(url)
    }
}
