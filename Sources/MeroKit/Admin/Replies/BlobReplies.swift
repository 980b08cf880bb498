/// A blob as the wire spells it, in snake case unlike all else. Spec: 20, section 1.5.
struct BlobRow: Codable, Sendable {
    let blobId: String
    let size: Int

    var info: BlobInfo { BlobInfo(blobId: blobId, size: size) }

    private enum CodingKeys: String, CodingKey {
        case blobId = "blob_id"
        case size
    }
}

/// The blobs of a node on the wire.
struct BlobRows: Codable, Sendable {
    let blobs: [BlobRow]
}

/// What the deletion of a blob is answered with.
struct BlobDeletion: Decodable, Sendable {
    let blobId: String
    let deleted: Bool

    private enum CodingKeys: String, CodingKey {
        case blobId = "blob_id"
        case deleted
    }
}
