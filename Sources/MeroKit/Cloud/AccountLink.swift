import Foundation

/// Has the person agree at the cloud's portal that an account belongs to their login: build the page's URL, open it, read
/// what comes back.
///
/// It takes the account's root, so it is for wallets; an app that only has a device cannot link. Show the account first.
///
/// ```swift
/// let url = try AccountLink.url(accountId: root.accountId, callbackURL: "https://wallet.example/linked")
/// // … open it; later, with the URL that the page navigated to:
/// if let callback = try AccountLink.readCallback(returned) {
///     try await cloud.completeAccountLink(callback, root: root)
/// }
/// ```
///
/// Spec: 70, section 6.2.
public enum AccountLink {
    /// The portal for people. It is not the host of the API.
    public static let defaultPortalURL = RelayOrigin.url("https://cloud.calimero.network")

    /// The URL of the page that asks.
    ///
    /// Throws `AccountError.invalidInput` for what is no account, or no callback that can be returned to.
    ///
    /// - Parameters:
    ///   - portalURL: The cloud's page for people.
    ///   - accountId: The account, 64 hex characters.
    ///   - callbackURL: Where the page returns to; absolute, without a fragment, and of an origin that the cloud knows,
    ///     else it refuses.
    public static func url(
        portalURL: URL = defaultPortalURL, accountId: String, callbackURL: String
    ) throws -> URL {
        let account = Hex.encode(try Hex.id(accountId, "accountId"))
        try CallbackURL.check(callbackURL)
        let text =
            "\(RelayOrigin.trimmed(portalURL.absoluteString))/?link-account=\(account)"
            + "&callback-url=\(FormEncoding.encode(callbackURL))"
        guard let url = URL(string: text) else { throw AccountError.invalidInput("portalURL cannot be used") }
        return url
    }

    /// Reads the fragment of a callback URL. See `readCallback(fragment:)`.
    public static func readCallback(_ url: URL) throws -> AccountLinkCallback? {
        try CallbackURL.fragment(of: url).flatMap(readCallback(fragment:))
    }

    /// Reads what the portal returned, with or without the leading `#`; nil when it is no answer of the portal's.
    ///
    /// Throws `AccountError.enrolmentDeclined` when the person, or the cloud, did not agree.
    public static func readCallback(fragment: String) throws -> AccountLinkCallback? {
        let fields = CallbackURL.fields(in: fragment)
        if let error = fields["error"] {
            throw AccountError.enrolmentDeclined(
                CallbackURL.isDecline(error)
                    ? "the account link was declined at the cloud" : "the cloud refused this link: \(error)")
        }
        guard let grant = fields["grant"], let account = fields["account"] else { return nil }
        return AccountLinkCallback(grant: grant, account: account)
    }
}

/// What the portal came back with, unchecked: leave to link one account, once, within five minutes.
///
/// Of no use without the signature of the account's root. Printing it never shows the grant. Spec: 70, section 6.2.
public struct AccountLinkCallback: Sendable, Equatable {
    /// Signed in place of a nonce.
    public let grant: String
    /// The account that it is for, as the portal reports it.
    public let account: String

    /// Makes a value of its parts.
    public init(grant: String, account: String) {
        self.grant = grant
        self.account = account
    }
}

extension AccountLinkCallback: Redacting {
    var printedFields: [PrintedField] { [.secret("grant"), .shown("account", account)] }
}
