import Foundation

/// Whose the tokens in a store are: those of one sign-in at one relay. Written beside them, so that they are shown to no
/// other relay and ended at the right one, whatever session is the stored one by then.
///
/// Spec: 70, section 8.
struct RelayTokenOwner: Codable, Sendable, Hashable {
    /// The relay's origin, without a slash at its end.
    let relayUrl: String
    /// The account, 64 hex characters.
    let account: String
    /// The device, 64 hex characters.
    let device: String
    /// The SHA-256 of the device's certificate, in hex: another enrolment is another sign-in.
    let certificate: String

    private enum CodingKeys: String, CodingKey {
        case relayUrl = "relay_url"
        case account
        case device
        case certificate
    }

    /// Whether both are of one account's device, be it at another relay or by another certificate.
    func isSameDevice(as other: RelayTokenOwner) -> Bool { account == other.account && device == other.device }
}

extension CloudSession {
    /// Whose tokens the relay has given: those of another account, device or relay are of no use. Nil without a relay.
    var tokenOwner: RelayTokenOwner? {
        relayUrl.map {
            RelayTokenOwner(
                relayUrl: RelayOrigin.trimmed($0), account: account, device: device,
                certificate: Hex.encode(Digest.sha256(Array(credential.utf8))))
        }
    }
}
