import Foundation

/// The authorities that certify signers for a moment, and the logs that say when the moment was.
///
/// Spec: 80, section 7.2.
public struct SigstoreTrustRoot: Sendable {
    /// A chain of Fulcio's.
    struct Authority: Sendable {
        /// Seconds since 1970; in use at both ends. Nil: no end yet.
        let start: Int64
        let end: Int64?
        /// From the one that certifies signers up to a root.
        let chain: [X509Certificate]
    }

    /// A log of Rekor's.
    struct Log: Sendable {
        /// SHA-256 of its key, lower case hex.
        let id: String
        let key: EcdsaPublicKey
        let start: Int64
        let end: Int64?
    }

    let authorities: [Authority]
    let logs: [Log]

    /// Reads a trust root: `fulcioAuthorities` with `certChain` (base64 of DER) and `validFor`, `rekorLogs` with `logId`,
    /// `publicKey` (base64 of DER) and `validFor`. Throws `AttestationError`, `.malformed`.
    public init(json: JSONValue) throws(AttestationError) {
        var authorities: [Authority] = []
        for entry in json["fulcioAuthorities"]?.arrayValue ?? [] {
            var chain: [X509Certificate] = []
            for text in entry["certChain"]?.arrayValue ?? [] {
                chain.append(try X509Certificate(der: Self.bytes(text)))
            }
            guard !chain.isEmpty else { throw Self.malformed }
            let (start, end) = try Self.window(entry)
            authorities.append(Authority(start: start, end: end, chain: chain))
        }
        var logs: [Log] = []
        for entry in json["rekorLogs"]?.arrayValue ?? [] {
            let spki = try Self.bytes(entry["publicKey"])
            let key = try X509Certificate.publicKey(DerReader.whole(spki, DerTag.sequence, "key"))
            // A log is known by its key; a name of its own could be another's.
            let id = Hex.encode(Digest.sha256(spki))
            guard entry["logId"]?.stringValue?.lowercased() == id, key.curve == .p256 else { throw Self.malformed }
            let (start, end) = try Self.window(entry)
            logs.append(Log(id: id, key: key, start: start, end: end))
        }
        guard !authorities.isEmpty, !logs.isEmpty else { throw Self.malformed }
        self.authorities = authorities
        self.logs = logs
    }

    private static func window(_ entry: JSONValue) throws(AttestationError) -> (start: Int64, end: Int64?) {
        guard let text = entry["validFor"]?["start"]?.stringValue, let start = UnixTime.seconds(rfc3339: text) else {
            throw malformed
        }
        guard let last = entry["validFor"]?["end"], last != .null else { return (start, nil) }
        guard let end = last.stringValue.flatMap(UnixTime.seconds(rfc3339:)) else { throw malformed }
        return (start, end)
    }

    private static func bytes(_ json: JSONValue?) throws(AttestationError) -> [UInt8] {
        guard let bytes = json?.stringValue.flatMap({ StrictBase64.decode($0) }) else { throw malformed }
        return bytes
    }

    private static let malformed = AttestationError(.malformed, "the Sigstore trust root cannot be read")
}
