import Foundation
import MeroKit

/// What identifies content: its hash, and the id that a store of chunks knows it by.
///
/// Spec: 20, section 5.6.
struct BlobDigest: Sendable, Equatable {
    static let chunkSize = 1 << 20

    /// SHA-256 over the digests of the chunks.
    let id: String
    /// SHA-256 over all of it.
    let hash: String
    let size: UInt64
    /// What it is, judging by its first bytes.
    let mimeType: String

    /// Reads a file piece by piece. Throws `DevNodeError`.
    static func of(_ url: URL) throws -> BlobDigest {
        let descriptor = try OwnerOnlyFile.openFile(url, O_RDONLY)
        defer { close(descriptor) }
        return try of { buffer in
            var filled = 0
            while filled < buffer.count, let start = buffer.baseAddress {
                let count = Foundation.read(descriptor, start + filled, buffer.count - filled)
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else {
                    throw DevNodeError.storage("cannot read \(url.path): \(String(cString: strerror(errno)))")
                }
                if count == 0 { break }
                filled += count
            }
            return filled
        }
    }

    /// Throws `DevNodeError`.
    static func of(_ data: Data) throws -> BlobDigest {
        var position = data.startIndex
        return try of { buffer in
            let count = min(buffer.count, data.endIndex - position)
            guard count > 0 else { return 0 }
            data.copyBytes(to: buffer, from: position..<position + count)
            position += count
            return count
        }
    }

    /// - Parameter read: fills the buffer as far as there is content, and tells how far.
    private static func of(read: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> BlobDigest {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 16)
        defer { buffer.deallocate() }
        let whole = RunningSHA256()
        let chunks = RunningSHA256()
        var head: [UInt8] = []
        var size: UInt64 = 0
        while true {
            let count = try read(buffer)
            guard count > 0 else { break }
            let chunk = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if size == 0 { head = Array(chunk.prefix(MimeSniffer.reach)) }
            size += UInt64(count)
            whole.update(chunk)
            let digest = RunningSHA256()
            digest.update(chunk)
            guard let bytes = digest.finish() else { throw failure }
            bytes.withUnsafeBytes { chunks.update($0) }
            if count < chunkSize { break }
        }
        guard let hash = whole.finish(), let id = chunks.finish() else { throw failure }
        return BlobDigest(
            id: Hex.encode(id), hash: Hex.encode(hash), size: size, mimeType: MimeSniffer.mimeType(of: head))
    }

    private static let failure = DevNodeError.storage("cannot compute a digest")
}
