import Foundation
import MeroKit

/// Moves one large file and watches its own memory.
struct TransferJob: Codable {
    enum Direction: String, Codable, CaseIterable {
        case download, upload
    }

    var engine: Engine
    var direction: Direction
    /// The origin; the file is `/files/<remote>`.
    var url: URL
    var remote: String
    var file: URL

    struct Result: Codable {
        var seconds: Double
        /// Bytes of resident memory at the peak, above those before the transfer. Nil where the system does not tell.
        var peakBytes: Int?
    }

    func run() async throws -> Result {
        let client = engine.client(baseURL: url)
        // Whatever the first call loads for good is not part of the transfer.
        try await client.sendVoid(
            HttpRequest(path: "/jsonrpc", method: .post, body: .json(Data(SampleCall.body.utf8))))
        let memory = MemoryWatch()
        let start = monotonicSeconds()
        switch direction {
        case .download:
            _ = try await client.download(HttpRequest(path: "/files/\(remote)"), to: file)
        case .upload:
            try await client.sendVoid(
                HttpRequest(
                    path: "/files/\(remote)", method: .put,
                    body: .file(file, contentType: "application/octet-stream")))
        }
        return Result(seconds: monotonicSeconds() - start, peakBytes: memory?.peakBytesAboveStart())
    }
}

/// Resident memory of this process as Linux counts it.
struct MemoryWatch {
    private let start: Int

    /// Nil where there is no /proc.
    init?() {
        // Sets the high-water mark back to what is resident now. A kernel that refuses leaves the mark higher, so the
        // figure can only come out too large.
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        guard let resident = Self.bytes("VmRSS:") else { return nil }
        start = resident
    }

    func peakBytesAboveStart() -> Int? {
        Self.bytes("VmHWM:").map { max(0, $0 - start) }
    }

    private static func bytes(_ field: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field) }),
            let kibibytes = Int(line.dropFirst(field.count).filter(\.isNumber))
        else { return nil }
        return kibibytes * 1024
    }
}
