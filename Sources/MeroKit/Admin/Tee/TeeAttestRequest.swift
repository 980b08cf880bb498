/// Body of `POST /admin-api/tee/attest`. A flag is sent only when it is true: older nodes refuse it otherwise.
///
/// Spec: 20, section 6.10.
public struct TeeAttestRequest: Codable, Sendable {
    /// 64 hex digits that the quote will contain.
    public var nonce: String
    /// An application whose code the quote is to name.
    public var applicationId: String?
    /// Whether the quote is to name the node's signing key.
    public var bindNodeKey: Bool
    /// Whether the quote is to name the node's transport key.
    public var bindTransportKey: Bool
    /// Whether the answer is to bring what the quote is verified with.
    public var includeCollateral: Bool

    /// Makes a value of its parts.
    public init(
        nonce: String, applicationId: String? = nil, bindNodeKey: Bool = false, bindTransportKey: Bool = false,
        includeCollateral: Bool = false
    ) {
        self.nonce = nonce
        self.applicationId = applicationId
        self.bindNodeKey = bindNodeKey
        self.bindTransportKey = bindTransportKey
        self.includeCollateral = includeCollateral
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            nonce: try fields.decode(String.self, forKey: .nonce),
            applicationId: try fields.decodeIfPresent(String.self, forKey: .applicationId),
            bindNodeKey: try fields.decodeIfPresent(Bool.self, forKey: .bindNodeKey) ?? false,
            bindTransportKey: try fields.decodeIfPresent(Bool.self, forKey: .bindTransportKey) ?? false,
            includeCollateral: try fields.decodeIfPresent(Bool.self, forKey: .includeCollateral) ?? false)
    }

    private enum CodingKeys: String, CodingKey {
        case nonce, applicationId, bindNodeKey, bindTransportKey, includeCollateral
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(nonce, forKey: .nonce)
        try fields.encodeIfPresent(applicationId, forKey: .applicationId)
        if bindNodeKey { try fields.encode(true, forKey: .bindNodeKey) }
        if bindTransportKey { try fields.encode(true, forKey: .bindTransportKey) }
        if includeCollateral { try fields.encode(true, forKey: .includeCollateral) }
    }
}

/// Body of `POST /admin-api/tee/registration-attest`.
///
/// Spec: 20, section 6.10.
public struct TeeRegistrationAttestRequest: Codable, Sendable {
    /// 64 hex digits that the quote will contain.
    public var nonce: String

    /// Makes a value of its parts.
    public init(nonce: String) { self.nonce = nonce }
}
