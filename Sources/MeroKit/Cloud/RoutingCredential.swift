import Foundation

/// With what an account's device shows the cloud who asks where the account is hosted.
///
/// Says which account holds the key, not that it is a member of anything. Spec: 70, sections 4 and 7.
public struct RoutingCredential: Sendable {
    /// The device's certificate, in hex.
    public let credential: String
    /// The seed of the device's signing key, 32 bytes; empty when a signer signs.
    public let deviceSecret: Data
    private let signer: (any DeviceSigner)?

    /// - Parameters:
    ///   - credential: The device's certificate, in hex.
    ///   - deviceSecret: `DeviceKeys.signSecret`.
    public init(credential: String, deviceSecret: Data) {
        self.credential = credential
        self.deviceSecret = deviceSecret
        signer = nil
    }

    /// Signs with a signer.
    public init(credential: String, signer: any DeviceSigner) {
        self.credential = credential
        deviceSecret = Data()
        self.signer = signer
    }

    /// In base64.
    func signature(over message: Data) async throws -> String {
        let signature: Data
        if let signer {
            signature = try await signer.checkedSignature(over: message)
        } else {
            signature = try Ed25519.sign(seed: deviceSecret, message: message)
        }
        return signature.base64EncodedString()
    }
}

extension RoutingCredential: Redacting {
    var printedFields: [PrintedField] { [.shown("credential", credential), .secret("deviceSecret")] }
}

/// A challenge of the cloud's, good for one read within about two minutes.
///
/// Spec: 70, section 3.5.
public struct RoutingChallenge: Sendable, Equatable {
    /// The account or namespace that it is for.
    public let boundTo: String
    /// Signed as it stands.
    public let nonce: String
    /// Milliseconds since 1970, 0 when the cloud does not say.
    public let expiresAtMs: Int64

    /// Makes a value of its parts.
    public init(boundTo: String, nonce: String, expiresAtMs: Int64) {
        self.boundTo = boundTo
        self.nonce = nonce
        self.expiresAtMs = expiresAtMs
    }
}
