/// Spec: 20, section 5.6.
extension AdminEndpoints {
    static let uploadBlob = Endpoint<ApiResponse<BlobRow>>(.put, "/admin-api/blobs")
    static let listBlobs = Endpoint<ApiResponse<BlobRows>>(.get, "/admin-api/blobs")
    static let getBlob = Endpoint<Empty>(.get, "/admin-api/blobs/{blobId}")
    static let blobInfo = Endpoint<Empty>(.head, "/admin-api/blobs/{blobId}")
    static let deleteBlob = Endpoint<FlatReply<BlobDeletion>>(.delete, "/admin-api/blobs/{blobId}")

    static let blobs: [any EndpointDescription] = [
        uploadBlob, listBlobs, getBlob, blobInfo, deleteBlob,
    ]
}
