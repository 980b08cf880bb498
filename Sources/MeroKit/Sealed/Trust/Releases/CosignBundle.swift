import Foundation

/// What cosign writes beside a file that it signs without a key of its own: the signature, the certificate of a moment,
/// and the entry in Rekor's log. Nothing of it is verified.
///
/// Spec: 80, section 7.3.
package struct CosignBundle: Sendable {
    static let maximumSize = 1 << 20

    /// In base64, as the bundle has it.
    let signatureText: String
    let signature: [UInt8]
    /// In PEM.
    let certificate: [UInt8]
    let signedEntryTimestamp: [UInt8]
    /// In base64, as it was signed.
    let body: String
    /// Seconds since 1970.
    let integratedTime: Int64
    let logIndex: Int64
    /// As it was signed, in whatever case.
    let logId: String

    package init(text: Data) throws(AttestationError) {
        guard text.count <= Self.maximumSize, let json = try? JSONValue(jsonBytes: text) else {
            throw AttestationError(.malformed, "The bundle is not JSON")
        }
        try self.init(json)
    }

    init(_ json: JSONValue) throws(AttestationError) {
        let rekor = json["rekorBundle"]
        let payload = rekor?["Payload"]
        guard let signatureText = json["base64Signature"]?.stringValue, let certificate = json["cert"]?.stringValue,
            let timestamp = rekor?["SignedEntryTimestamp"]?.stringValue, let body = payload?["body"]?.stringValue,
            let integratedTime = payload?["integratedTime"]?.intValue, let logIndex = payload?["logIndex"]?.intValue,
            let logId = payload?["logID"]?.stringValue, Hex.is32(logId), Self.integers.contains(integratedTime),
            Self.integers.contains(logIndex)
        else { throw AttestationError(.malformed, "The bundle is not a cosign bundle with a Rekor entry") }
        self.signatureText = signatureText
        signature = try Self.bytes(signatureText, "base64Signature")
        self.certificate = try Self.bytes(certificate, "cert")
        signedEntryTimestamp = try Self.bytes(timestamp, "SignedEntryTimestamp")
        self.body = body
        self.integratedTime = Int64(integratedTime)
        self.logIndex = Int64(logIndex)
        self.logId = logId
    }

    /// What the log signed: the payload in canonical JSON, written by hand because its `/` must not be escaped.
    var signedEntry: [UInt8] {
        var writer = JSONWriter()
        writer.write(raw: #"{"body":"#.utf8)
        writer.write(string: body)
        writer.write(raw: #","integratedTime":\#(integratedTime),"logID":"#.utf8)
        writer.write(string: logId)
        writer.write(raw: #","logIndex":\#(logIndex)}"#.utf8)
        return writer.bytes
    }

    static func bytes(_ text: String, _ name: String) throws(AttestationError) -> [UInt8] {
        guard let bytes = StrictBase64.decode(text) else {
            throw AttestationError(.malformed, "The bundle's \(name) is not base64")
        }
        return bytes
    }

    /// The integers that JSON keeps exact.
    private static let integers = 0...(1 << 53 - 1)
}
