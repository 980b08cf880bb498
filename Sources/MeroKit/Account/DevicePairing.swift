import Foundation

/// What a device shows to a node, and a person compares, when the two are paired.
///
/// Spec: 50, section 6.4.
public enum DevicePairing {
    /// The 32 bytes that the device signs. Throws `AccountError.invalidInput`.
    public static func payload(
        account: String, device: String, kemPublicKey: String, signPublicKey: String
    ) throws -> Data {
        domainHash(
            "calimero.device.pairing.v1",
            try parts(account: account, device: device, kemPublicKey: kemPublicKey, signPublicKey: signPublicKey))
    }

    /// Signs with the device's keys; 128 hex characters. Throws `AccountError.invalidInput`.
    public static func sign(account: String, device: String, keys: DeviceKeys) throws -> String {
        let payload = try payload(
            account: account, device: device, kemPublicKey: keys.kemPublicKey, signPublicKey: keys.signPublicKey)
        return Hex.encode(try keys.sign(payload))
    }

    /// Signs with a signer, which does not know the KEM key. Throws `AccountError.invalidInput`, and what the signer throws.
    public static func sign(
        account: String, device: String, kemPublicKey: String, signer: any DeviceSigner
    ) async throws -> String {
        let payload = try payload(
            account: account, device: device, kemPublicKey: kemPublicKey, signPublicKey: signer.signPublicKey)
        return Hex.encode(try await signer.checkedSignature(over: payload))
    }

    /// The code that both sides show, four groups of four upper-case hex characters. Throws `AccountError.invalidInput`.
    public static func confirmationCode(
        account: String, device: String, kemPublicKey: String, signPublicKey: String
    ) throws -> String {
        let hash = domainHash(
            "calimero.device.pairing.confirm.v1",
            try parts(account: account, device: device, kemPublicKey: kemPublicKey, signPublicKey: signPublicKey))
        let digits = Array(Hex.encode(hash.prefix(8)).uppercased())
        return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<($0 + 4)]) }.joined(separator: "-")
    }

    /// Whether two codes are the same, in either case and whatever stands between their digits. No code equals nothing.
    public static func sameCode(_ left: String, _ right: String) -> Bool {
        func digits(_ code: String) -> String { code.lowercased().filter { $0.isASCII && $0.isHexDigit } }
        return digits(left).count == 16 && digits(left) == digits(right)
    }

    /// The KEM key comes before the signing key, unlike in a certificate.
    private static func parts(
        account: String, device: String, kemPublicKey: String, signPublicKey: String
    ) throws -> [Data] {
        [
            try Hex.id(account, "account"), try Hex.id(device, "device"),
            try Hex.id(kemPublicKey, "kemPublicKey"), try Hex.id(signPublicKey, "signPublicKey"),
        ]
    }
}
