/// What Rekor logged: whose signature over which file.
///
/// Spec: 80, section 7.3.
package struct RekorEntry: Sendable {
    /// SHA-256, lower case hex.
    let fileHash: String
    let signature: [UInt8]
    /// In PEM.
    let certificate: [UInt8]

    /// - Parameter body: In base64.
    package init(body: String) throws(AttestationError) {
        guard let json = try? JSONValue(jsonBytes: try CosignBundle.bytes(body, "body")) else {
            throw AttestationError(.malformed, "Rekor's entry is not JSON in base64")
        }
        guard json["apiVersion"] == .string("0.0.1"), json["kind"] == .string("hashedrekord"),
            let data = json["spec"]?["data"]?["hash"], data["algorithm"] == .string("sha256"),
            let hash = data["value"]?.stringValue, let signature = json["spec"]?["signature"],
            let content = signature["content"]?.stringValue, let key = signature["publicKey"]?["content"]?.stringValue
        else { throw AttestationError(.unverified, "Rekor's entry is not one of a file's SHA-256 and its signature") }
        fileHash = hash.lowercased()
        self.signature = try CosignBundle.bytes(content, "logged signature")
        certificate = try CosignBundle.bytes(key, "logged certificate")
    }
}
