/// Guesses what content is by how it begins.
enum MimeSniffer {
    /// Bytes that are looked at.
    static let reach = 64

    private static let kinds: [(offset: Int, mark: [UInt8], type: String)] = [
        (0, [0x00, 0x61, 0x73, 0x6d], "application/wasm"), (0, [0x1f, 0x8b], "application/gzip"),
        (0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"), (0, [0xff, 0xd8, 0xff], "image/jpeg"),
        (0, Array("GIF8".utf8), "image/gif"), (8, Array("WEBP".utf8), "image/webp"),
        (0, Array("%PDF".utf8), "application/pdf"), (0, Array("PK".utf8) + [3, 4], "application/zip"),
        (4, Array("ftyp".utf8), "video/mp4"), (0, Array("OggS".utf8), "audio/ogg"),
        (0, Array("ID3".utf8), "audio/mpeg"), (0, [0x1a, 0x45, 0xdf, 0xa3], "video/webm"),
        (0, Array("<!DOCTYPE html".utf8), "text/html"), (0, Array("<html".utf8), "text/html"),
        (0, Array("<?xml".utf8), "text/xml"), (0, Array("#!".utf8), "text/x-shellscript"),
    ]

    static func mimeType(of head: [UInt8]) -> String {
        kinds.first { head.dropFirst($0.offset).starts(with: $0.mark) }?.type ?? "application/octet-stream"
    }
}
