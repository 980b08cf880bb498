import Foundation

/// Has a device certified at the wallet: build the page's URL, open it, read and check what comes back.
///
/// The hosted wallet returns to `https:` callbacks only, for the time being: an app that ships today needs one
/// (Associated Domains on Apple systems).
///
/// ```swift
/// let state = DeviceEnrolment.makeState()
/// let url = try DeviceEnrolment.url(
///     devicePublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey,
///     callbackURL: "https://app.example/enrol", state: state)
/// // … open it; later, with the URL that the page navigated to:
/// if let callback = try DeviceEnrolment.readCallback(callbackURL) {
///     let enrolled = try DeviceEnrolment.completeEnrolment(callback, keys: keys, expectState: state)
/// }
/// ```
///
/// Spec: 50, section 7, and 70, section 6.1.
public enum DeviceEnrolment {
    /// The hosted wallet's page.
    public static let defaultWalletURL: URL = {
        var components = URLComponents()
        components.scheme = "https"
        components.host = "wallet.cloud.calimero.network"
        components.path = "/account-enroll"
        return components.url ?? URL(fileURLWithPath: "/")
    }()

    /// The URL of the wallet's page for this device.
    ///
    /// - Parameters:
    ///   - walletURL: the wallet's address.
    ///   - devicePublicKey: the signing key, 64 lower-case hex characters.
    ///   - kemPublicKey: the key that nodes seal to, likewise.
    ///   - callbackURL: where the page returns to; absolute, without a fragment.
    ///   - state: comes back as it is; see `makeState()`. Left out when nil or empty.
    ///
    /// Throws `AccountError.invalidInput`.
    public static func url(
        walletURL: URL = defaultWalletURL, devicePublicKey: String, kemPublicKey: String, callbackURL: String,
        state: String?
    ) throws -> URL {
        try check(key: devicePublicKey, "devicePublicKey")
        try check(key: kemPublicKey, "kemPublicKey")
        try CallbackURL.check(callbackURL)
        var parameters = [
            ("enrol-device", devicePublicKey), ("enrol-kem", kemPublicKey), ("callback-url", callbackURL),
        ]
        if let state, !state.isEmpty { parameters.append(("state", state)) }
        let added = parameters.map { "\($0.0)=\(FormEncoding.encode($0.1))" }.joined(separator: "&")
        guard var components = URLComponents(url: walletURL, resolvingAgainstBaseURL: true) else {
            throw AccountError.invalidInput("walletURL cannot be used")
        }
        if let existing = components.percentEncodedQuery, !existing.isEmpty {
            components.percentEncodedQuery = existing + "&" + added
        } else {
            components.percentEncodedQuery = added
        }
        guard let url = components.url else { throw AccountError.invalidInput("walletURL cannot be used") }
        return url
    }

    /// What tells the answer to this request from another's: 16 random bytes in hex.
    public static func makeState() -> String { Hex.encode(randomBytes(16)) }

    /// Reads the fragment of a callback URL. See `readCallback(fragment:)`.
    public static func readCallback(_ url: URL) throws -> EnrolmentCallback? {
        try CallbackURL.fragment(of: url).flatMap(readCallback(fragment:))
    }

    /// Reads what the wallet returned, with or without the leading `#`; nil when it is no enrolment.
    ///
    /// Throws `AccountError.enrolmentDeclined` when the wallet says that it did not certify the device.
    public static func readCallback(fragment: String) throws -> EnrolmentCallback? {
        let fields = CallbackURL.fields(in: fragment)
        if let error = fields["error"] {
            throw AccountError.enrolmentDeclined(
                CallbackURL.isDecline(error)
                    ? "The device was not approved at the wallet." : "The wallet refused this enrolment: \(error)")
        }
        guard let credential = fields["credential"], let account = fields["account"], let device = fields["device"]
        else { return nil }
        return EnrolmentCallback(credential: credential, account: account, device: device, state: fields["state"])
    }

    /// Checks a callback: that it answers this request, that the certificate holds, that it is for these keys, and that
    /// the wallet reports what the certificate says. Store nothing before it returns.
    ///
    /// - Parameters:
    ///   - callback: what the page came back with.
    ///   - devicePublicKey: the device's signing key, 64 hex characters.
    ///   - kemPublicKey: nil leaves this key unchecked.
    ///   - expectState: what the request carried; nil leaves it unchecked.
    ///
    /// Throws `AccountError.stateMismatch`, `.credentialRejected`, `.invalidInput`.
    public static func completeEnrolment(
        _ callback: EnrolmentCallback, devicePublicKey: String, kemPublicKey: String?, expectState: String?
    ) throws -> EnrolledDevice {
        if let expectState, callback.state != expectState { throw AccountError.stateMismatch }
        let certificate = try DeviceCertificates.verify(callback.credential)
        guard normal(devicePublicKey) == certificate.signPublicKey else {
            throw AccountError.credentialRejected(
                "it certifies signing key \(certificate.signPublicKey), but this app holds \(normal(devicePublicKey))")
        }
        if let kemPublicKey, normal(kemPublicKey) != certificate.kemPublicKey {
            throw AccountError.credentialRejected(
                "it names delivery key \(certificate.kemPublicKey), but this app holds \(normal(kemPublicKey))")
        }
        guard normal(callback.account) == certificate.account else {
            throw AccountError.credentialRejected(
                "the wallet reported account \(normal(callback.account)), the certificate is for \(certificate.account)"
            )
        }
        guard normal(callback.device) == certificate.device else {
            throw AccountError.credentialRejected(
                "the wallet reported device \(normal(callback.device)), the certificate is for \(certificate.device)")
        }
        return EnrolledDevice(
            credential: normal(callback.credential), account: certificate.account, device: certificate.device,
            certificate: certificate)
    }

    /// The same, for both keys of a device.
    public static func completeEnrolment(
        _ callback: EnrolmentCallback, keys: DeviceKeys, expectState: String?
    ) throws -> EnrolledDevice {
        try completeEnrolment(
            callback, devicePublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey, expectState: expectState)
    }

    private static func normal(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }

    private static func check(key: String, _ label: String) throws {
        guard Hex.is32(key), key == key.lowercased() else {
            throw AccountError.invalidInput("\(label) must be 64 lower-case hex characters")
        }
    }
}
