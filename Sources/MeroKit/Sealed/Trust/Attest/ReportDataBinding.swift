import Foundation

/// What a node puts into the second half of a quote's report data, 32 bytes, to bind its keys to it.
///
/// Spec: 80, section 2.4.
public enum ReportDataBinding {
    static var nothing: Data { Data(repeating: 0, count: 32) }
    static let nodeKeyDomain = "calimero.tee-attest.key-binding.v1"
    static let transportKeyDomain = "calimero.tee-attest.transport-key.v1"

    /// Of all that a quote can bind. Throws `AttestationError`, `.invalidInput`, for what is not 64 hex characters.
    ///
    /// - Parameters:
    ///   - applicationHash: Of the application's bytecode.
    ///   - nodeKey: The node's signing key.
    ///   - transportKey: The node's key for sealed requests.
    public static func suffix(
        applicationHash: String? = nil, nodeKey: String? = nil, transportKey: String? = nil
    ) throws(AttestationError) -> Data {
        var base = nothing
        if let applicationHash { base = try bytes(applicationHash, "applicationHash") }
        if let nodeKey { base = bound(nodeKeyDomain, base, try bytes(nodeKey, "nodeKey")) }
        guard let transportKey else { return base }
        return bound(transportKeyDomain, base, try bytes(transportKey, "transportKey"))
    }

    private static func bytes(_ text: String, _ name: String) throws(AttestationError) -> Data {
        guard Hex.is32(text), let bytes = Hex.decode(text) else {
            throw AttestationError(.invalidInput, "\(name) is not 64 hex characters")
        }
        return Data(bytes)
    }

    static func bound(_ domain: String, _ inner: Data, _ key: Data) -> Data {
        sha256(Data(domain.utf8) + inner + key)
    }
}

/// What binds a node's transport key, 32 bytes, around what else is bound. Throws `AttestationError`, `.invalidInput`.
///
/// Spec: 80, section 2.4.
///
/// - Parameters:
///   - inner: The application's hash, or what binds the node's key; 32 zero bytes for nothing.
///   - transportKey: 32 bytes.
public func transportKeyBinding(inner: Data, transportKey: Data) throws(AttestationError) -> Data {
    guard inner.count == 32, transportKey.count == 32 else {
        throw AttestationError(.invalidInput, "A binding is made of 32 bytes and a key of 32 bytes")
    }
    return ReportDataBinding.bound(ReportDataBinding.transportKeyDomain, inner, transportKey)
}
