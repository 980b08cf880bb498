import Foundation

/// Content by its hash.
///
/// Spec: 20, section 5.6.
extension AdminApi {
    /// The largest blob that a node takes unless it was set up otherwise: 1 GiB, in bytes. It stops at the first byte too
    /// many and answers 500, which the retries would only repeat, so more is refused here.
    public static let blobLimit: Int64 = 1 << 30

    /// Stores content. Storing it again does no harm. What lies in a file is better streamed: `uploadBlob(file:)`.
    ///
    /// More than 1 GiB is refused before anything is sent.
    public func uploadBlob(_ request: UploadBlobRequest) async throws -> UploadBlobResponseData {
        try Self.checkBlobSize(Int64(request.data.count), Self.blobLimit)
        return try await upload(
            .data(request.data, contentType: Self.blobContentType), hash: request.hash, contextId: request.contextId,
            progress: nil)
    }

    /// Stores the content of a file, which is never in memory as a whole. The node checks what arrives.
    ///
    /// ```swift
    /// let blob = try await admin.uploadBlob(file: url) { print("\($0.completed) of \($0.total ?? 0) bytes") }
    /// ```
    ///
    /// - Parameters:
    ///   - file: at most `limit` bytes. More is refused before anything is sent.
    ///   - hash: SHA-256 of the content, 64 hex digits. For nil the file is read once more, beforehand, to compute it.
    ///   - contextId: the context that the blob is for: its members are told that the node has it.
    ///   - limit: the largest blob that the node takes, in bytes; a node's own is 1 GiB.
    ///   - progress: called now and then while the content is sent, on no particular thread.
    ///
    /// A node that got something else answers 500. Throws `MeroError.network` for a file that cannot be read.
    public func uploadBlob(
        file: URL, hash: String? = nil, contextId: String? = nil, limit: Int64 = blobLimit,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> UploadBlobResponseData {
        let size: Int64
        do {
            size = try EngineFile.sizeOfReadable(file)
        } catch let error as EngineError {
            throw MeroError.network(error.message)
        }
        try Self.checkBlobSize(size, limit)
        let contentHash: String
        if let hash { contentHash = hash } else { contentHash = try await BlobDigest.contentHash(ofFile: file) }
        return try await upload(
            .file(file, contentType: Self.blobContentType), hash: contentHash, contextId: contextId,
            progress: progress)
    }

    /// The root blobs that the session may see.
    public func listBlobs() async throws -> ListBlobsResponseData {
        ListBlobsResponseData(blobs: try await enveloped(AdminEndpoints.listBlobs).blobs.map(\.info))
    }

    /// A blob's content, in memory. `downloadBlob` writes it to a file instead.
    ///
    /// - Parameters:
    ///   - blobId: the blob's id, as uploads and listings tell it.
    ///   - contextId: lets the node ask the peers of that context, too, for up to 60 seconds. Without it a blob that
    ///     only a peer has is a 404.
    ///
    /// Throws `MeroError.decoding` when the content is not what the node says it is.
    public func getBlob(_ blobId: String, contextId: String? = nil) async throws -> Data {
        let (content, head) = try await http.sendRaw(try blobRequest(AdminEndpoints.getBlob, blobId, contextId))
        if let expected = Self.contentHash(head) {
            try Self.check(Hex.encode(bytes: Digest.sha256(Array(content))), is: expected, blobId)
        }
        return content
    }

    /// What the node knows of a blob, without its content. An unknown blob is a 404 without a text.
    ///
    /// - Parameters:
    ///   - blobId: the blob's id, as uploads and listings tell it.
    ///   - contextId: lets the node ask the peers of that context, too, for up to 60 seconds.
    public func getBlobInfo(_ blobId: String, contextId: String? = nil) async throws -> GetBlobInfoResponseData {
        let (_, head) = try await http.sendRaw(try blobRequest(AdminEndpoints.blobInfo, blobId, contextId))
        return Self.info(blobId, head)
    }

    /// Writes a blob's content to a file, replacing what stood there once all of it has arrived and was checked.
    ///
    /// Whatever goes wrong, `file` stays as it was, and nothing is left beside it: the same call starts anew.
    ///
    /// - Parameters:
    ///   - blobId: the blob's id, as uploads and listings tell it.
    ///   - file: readable by its owner only, afterwards.
    ///   - contextId: lets the node ask the peers of that context, too. Without it a blob that only a peer has is a
    ///     404.
    ///   - hash: what the content's SHA-256 has to be, 64 hex digits; nil takes the node's word for it.
    ///   - progress: called now and then while the content arrives, on no particular thread.
    ///
    /// Throws `MeroError.decoding` when the content has another hash, `MeroError.network` for a file that cannot be
    /// written, and for a folder, a link, a pipe or a device in its place, which is left alone.
    @discardableResult
    public func downloadBlob(
        _ blobId: String, to file: URL, contextId: String? = nil, hash: String? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> GetBlobInfoResponseData {
        var request = try blobRequest(AdminEndpoints.getBlob, blobId, contextId)
        request.downloadProgress = progress
        try URLSessionHttpClient.checkReplaceable(file)
        // Beside its final place, so that moving it there is one step.
        let unchecked = file.deletingLastPathComponent()
            .appendingPathComponent(".blob-\(Hex.encode(bytes: SecureRandom.bytes(6)))")
        do {
            let head = try await http.download(request, to: unchecked)
            if let expected = hash?.lowercased() ?? Self.contentHash(head) {
                try Self.check(try await BlobDigest.contentHash(ofFile: unchecked), is: expected, blobId)
            }
            try Task.checkCancellation()
            try URLSessionHttpClient.checkReplaceable(file)
            guard rename(unchecked.path, file.path) == 0 else {
                throw MeroError.network(
                    "Cannot write the file \(file.lastPathComponent): \(String(cString: strerror(errno)))")
            }
            return Self.info(blobId, head)
        } catch {
            unlink(unchecked.path)
            throw MeroError.naming(file, insteadOf: unchecked, in: error)
        }
    }

    /// Gives up one reference to a blob. One that belongs to an application is a 403.
    public func deleteBlob(_ blobId: String) async throws -> DeleteBlobResponseData {
        let answer = try await flat(AdminEndpoints.deleteBlob, blobId)
        return DeleteBlobResponseData(blobId: answer.blobId, deleted: answer.deleted)
    }
}

extension AdminApi {
    private static let blobContentType = "application/octet-stream"
    /// Seconds. The node may ask peers for half a minute; giving up before it does would read as "no such blob".
    private static let peerTimeout: TimeInterval = 60

    private static func checkBlobSize(_ size: Int64, _ limit: Int64) throws {
        guard size <= limit else {
            throw MeroError.network("A blob has at most \(limit) bytes, got \(size)")
        }
    }

    private func upload(
        _ body: HttpBody, hash: String?, contextId: String?,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws -> BlobInfo {
        var query: [(name: String, value: String)] = []
        if let hash { query.append(("hash", hash)) }
        if let contextId { query.append(("context_id", contextId)) }
        var request = try AdminEndpoints.uploadBlob.request(query: query, body: body)
        request.uploadProgress = progress
        let answer: ApiResponse<BlobRow> = try await http.send(request)
        return try answer.payload(orThrow: "uploadBlob").info
    }

    private func blobRequest(
        _ endpoint: Endpoint<Empty>, _ blobId: String, _ contextId: String?
    ) throws -> HttpRequest {
        var request = try endpoint.request([blobId], query: contextId.map { [("context_id", $0)] } ?? [])
        if contextId != nil { request.timeout = Self.peerTimeout }
        return request
    }

    /// A hash that the content can be held against; other words in its place are left aside.
    private static func contentHash(_ head: HeadResult) -> String? {
        guard let hash = headers(head)["x-blob-hash"], Hex.is32(hash) else { return nil }
        return hash.lowercased()
    }

    /// An HTTP client of an app's own may leave names as they came.
    private static func headers(_ head: HeadResult) -> [String: String] {
        Dictionary(head.headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
    }

    private static func check(_ actual: String, is expected: String, _ blobId: String) throws {
        guard actual == expected else {
            throw MeroError.decoding("the content of blob \(blobId) has the hash \(actual), not \(expected)")
        }
    }

    private static func info(_ blobId: String, _ head: HeadResult) -> GetBlobInfoResponseData {
        let headers = headers(head)
        return GetBlobInfoResponseData(
            blobId: headers["x-blob-id"] ?? blobId, size: headers["content-length"].flatMap { Int($0) },
            hash: headers["x-blob-hash"], mimeType: headers["x-blob-mime-type"],
            source: headers["x-blob-source"].flatMap(BlobSource.init(rawValue:)))
    }
}
