import Foundation

/// Authorises single requests as the account: a device's certificate, and whoever signs for the device.
///
/// Needs no session. Every request is signed when it is sent, and again when it is sent again; it must carry no
/// `Authorization`, which would decide alone. Spec: 50, section 9, and 60, section 8.1.
///
/// ```swift
/// let proof = ProofCredential(credential: session.credential, keys: keys)
/// let events = SseClient(baseURL: relay, authorize: proof.headers)
/// ```
public struct ProofCredential: Sendable {
    /// The device's certificate, in hex. Checked at the first signature, not here.
    public let credential: String
    /// Seconds that a proof is valid for.
    public let validForSeconds: UInt64
    private let signer: any DeviceSigner

    /// Signs with the device's keys. `validForSeconds` is brought into 1…300, which is what nodes allow.
    public init(credential: String, keys: DeviceKeys, validForSeconds: UInt64 = 300) {
        self.init(credential: credential, signer: keys, validForSeconds: validForSeconds)
    }

    /// Signs with a signer. `validForSeconds` is brought into 1…300, which is what nodes allow.
    public init(credential: String, signer: any DeviceSigner, validForSeconds: UInt64 = 300) {
        self.credential = credential
        self.signer = signer
        self.validForSeconds = min(max(validForSeconds, 1), CallerProof.maxRequestSeconds)
    }

    /// The headers of one request: `X-Calimero-Proof`, and nothing else.
    ///
    /// - Parameters:
    ///   - method: as it is sent, in upper case.
    ///   - path: as it is sent, percent-encoding and the base URL's own path included, without query. Empty is `/`.
    ///   - body: the exact bytes that are sent; nil for none.
    ///
    /// Throws `AccountError.invalidInput` for a credential or a path that cannot be used, and what the signer throws.
    public func headers(method: String, path: String, body: Data?) async throws -> [String: String] {
        [CallerProof.header: try await proof(method: method, path: path, body: body, issuedAt: Self.now)]
    }

    /// Throws `AccountError.invalidInput` for a credential that is empty or no hex.
    package func checkCredential() throws { _ = try credentialBytes }

    /// The content of the header, in hex.
    package func proof(method: String, path: String, body: Data?, issuedAt: UInt64) async throws -> String {
        let certificate = try credentialBytes
        let (expiresAt, overflow) = issuedAt.addingReportingOverflow(validForSeconds)
        let request = try RequestSignature(
            method: method, path: path, body: body ?? Data(), issuedAt: issuedAt,
            expiresAt: overflow ? .max : expiresAt)
        let signed = request.signed(try await signer.checkedSignature(over: request.preimage))
        return CallerProof.headerValue(credential: certificate, request: signed)
    }

    private var credentialBytes: Data {
        get throws {
            let bytes = try Hex.decodeUnsized(credential, label: "credential")
            guard !bytes.isEmpty else { throw AccountError.invalidInput("credential is empty") }
            return bytes
        }
    }

    private static var now: UInt64 { UInt64(saturating: Date().timeIntervalSince1970) }
}

extension ProofCredential: Redacting {
    var printedFields: [PrintedField] {
        [.shown("signPublicKey", signer.signPublicKey), .shown("validForSeconds", validForSeconds)]
    }
}
