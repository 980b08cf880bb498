/// What a node knows of a blob without sending it.
///
/// Spec: 20, section 5.6.
public struct GetBlobInfoResponseData: Codable, Sendable {
    /// The blob.
    public let blobId: String
    /// Bytes; nil when a peer has the blob and did not say how large it is. Never 0 for an unknown size.
    public let size: Int?
    /// SHA-256 of the whole content in hex; nil for a blob that a peer has.
    public let hash: String?
    /// What kind of content the node takes it for.
    public let mimeType: String?
    /// Who has it; nil on old nodes, where it is the node itself, and for an unknown word.
    public let source: BlobSource?

    /// Makes a value of its parts.
    public init(
        blobId: String, size: Int? = nil, hash: String? = nil, mimeType: String? = nil, source: BlobSource? = nil
    ) {
        self.blobId = blobId
        self.size = size
        self.hash = hash
        self.mimeType = mimeType
        self.source = source
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            blobId: try fields.decode(String.self, forKey: .blobId),
            size: try fields.decodeIfPresent(Int.self, forKey: .size),
            hash: try fields.decodeIfPresent(String.self, forKey: .hash),
            mimeType: try fields.decodeIfPresent(String.self, forKey: .mimeType),
            source: try fields.decodeKnown(BlobSource.self, forKey: .source))
    }
}

/// Who has a blob. Spec: 20, section 5.6.
public enum BlobSource: String, Codable, Sendable {
    /// The node that was asked.
    case local
    /// A peer of the context that was named.
    case peer
}
