/// A blob and its size.
///
/// Spec: 20, section 4.4.
public struct BlobInfo: Codable, Sendable {
    /// The blob: a hash of the hashes of its chunks, not of its content.
    public let blobId: String
    /// Bytes.
    public let size: Int

    /// Makes a value of its parts.
    public init(blobId: String, size: Int) {
        self.blobId = blobId
        self.size = size
    }
}

/// A blob that was stored. Spec: 20, section 4.4.
public typealias UploadBlobResponseData = BlobInfo
/// A blob and its size. Spec: 20, section 4.4.
public typealias GetBlobResponseData = BlobInfo

/// The root blobs of a node: those that the session may see.
///
/// Spec: 20, section 5.6.
public struct ListBlobsResponseData: Codable, Sendable {
    /// One entry for each blob.
    public let blobs: [BlobInfo]

    /// Makes a value of its parts.
    public init(blobs: [BlobInfo]) { self.blobs = blobs }
}

/// Answer to the deletion of a blob. Content that others refer to stays.
///
/// Spec: 20, section 5.6.
public struct DeleteBlobResponseData: Codable, Sendable {
    /// The blob.
    public let blobId: String
    /// True when one reference to it is gone.
    public let deleted: Bool

    /// Makes a value of its parts.
    public init(blobId: String, deleted: Bool) {
        self.blobId = blobId
        self.deleted = deleted
    }
}
