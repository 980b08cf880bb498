import Foundation

/// What identifies a blob: both can be computed from the content alone.
///
/// The id hashes the hashes of the content's chunks of 1 MiB, so it differs from the hash of the content even for a single
/// chunk. Spec: 20, section 5.6.
public struct BlobDigest: Sendable, Equatable {
    /// The id by which nodes know the blob, 64 hex digits.
    public let blobId: String
    /// SHA-256 of the whole content, 64 hex digits: `X-Blob-Hash`, and the `hash` of an upload.
    public let contentHash: String
    /// Bytes of the content.
    public let size: Int64

    /// Makes a value of its parts.
    public init(blobId: String, contentHash: String, size: Int64) {
        self.blobId = blobId
        self.contentHash = contentHash
        self.size = size
    }

    /// Of content in memory.
    public init(of content: Data) {
        var hasher = BlobHasher()
        content.withUnsafeBytes { hasher.update($0) }
        self = hasher.finish()
    }

    /// Of a file, which is read piece by piece.
    ///
    /// Throws `MeroError.network` for a file that cannot be read, and for what is no regular file: a pipe may never end.
    /// `CancellationError` when the task is cancelled.
    public init(ofFile url: URL) async throws {
        self = try await Self.reading(url) { read in
            var hasher = BlobHasher()
            try read { hasher.update($0) }
            return hasher.finish()
        }
    }

    /// The hash alone, which takes half as long. Throws as `init(ofFile:)` does.
    static func contentHash(ofFile url: URL) async throws -> String {
        try await reading(url) { read in
            let content = RunningSHA256()
            try read { content.update($0) }
            return Hex.encode(bytes: content.finish() ?? [])
        }
    }

    /// - Parameter work: is given what hands it the file piece by piece.
    private static func reading<Value: Sendable>(
        _ url: URL,
        _ work: @escaping @Sendable (_ read: (_ take: (UnsafeRawBufferPointer) -> Void) throws -> Void) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { isCancelled in
            let failure = MeroError.network("Cannot read the file \(url.lastPathComponent)")
            // Without O_NONBLOCK, opening a pipe would wait for a writer.
            let descriptor = url.isFileURL ? open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1
            guard descriptor >= 0 else { throw failure }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw MeroError.network("\(url.lastPathComponent) is no regular file")
            }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
            defer { buffer.deallocate() }
            return try work { take in
                while true {
                    if isCancelled() { throw CancellationError() }
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    if count < 0 && errno == EINTR { continue }
                    guard count >= 0 else { throw failure }
                    if count == 0 { return }
                    take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            }
        }
    }

    /// So much stays in a processor's own cache between being read and being hashed.
    private static let pieceSize = 256 << 10
}

/// Computes both hashes of a blob in one go.
struct BlobHasher {
    /// What a node cuts content into.
    static let chunkSize = 1 << 20

    private let content = RunningSHA256()
    private let chunks = RunningSHA256()
    private var chunk = RunningSHA256()
    /// Bytes in `chunk`.
    private var filled = 0
    private var size: Int64 = 0

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        content.update(bytes)
        size += Int64(bytes.count)
        var rest = bytes
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.chunkSize - filled))
            chunk.update(piece)
            filled += piece.count
            if filled == Self.chunkSize { endChunk() }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
        }
    }

    mutating func finish() -> BlobDigest {
        if filled > 0 { endChunk() }
        return BlobDigest(blobId: Self.hex(chunks), contentHash: Self.hex(content), size: size)
    }

    private mutating func endChunk() {
        chunk.finish()?.withUnsafeBytes { chunks.update($0) }
        chunk = RunningSHA256()
        filled = 0
    }

    /// Empty, and so no blob's, when there is no memory to hash in.
    private static func hex(_ hash: RunningSHA256) -> String { Hex.encode(bytes: hash.finish() ?? []) }
}
