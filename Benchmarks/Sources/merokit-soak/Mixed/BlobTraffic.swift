import Foundation
import MeroKit

/// Puts blobs and gets them back, in memory and from file to file, and compares every byte.
struct BlobTraffic: Sendable {
    struct Totals: Sendable {
        var put = 0
        var got = 0
        var mebibytes = 0.0
        /// Answers that no node gave, and that say nothing of what they are. Who wants to know compares the id.
        var foreign = 0
    }

    let way: NodeWay
    let folder: URL
    let failures: Failures
    let findings: Findings
    let totals: Guarded<Totals>

    func run(seed: UInt64, until isOver: @escaping @Sendable () -> Bool) async {
        var random = SeededGenerator(seed)
        while !isOver() {
            // One in twenty is large enough for an upload in many pieces.
            let size =
                Int.random(in: 0..<20, using: &random) == 0
                ? Int.random(in: 1 << 20...3 << 20, using: &random) : Int.random(in: 0...64 << 10, using: &random)
            var state = UInt64.random(in: 1...UInt64.max, using: &random)
            var content = Data(count: size)
            content.withUnsafeMutableBytes { bytes in
                for index in bytes.indices {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
                }
            }
            await there(content, throughFiles: Bool.random(using: &random))
            await pause(milliseconds: UInt64.random(in: 50...250, using: &random))
        }
    }

    /// A blob there and back.
    private func there(_ content: Data, throughFiles: Bool) async {
        let source = folder.appendingPathComponent("source-\(UUID().uuidString)")
        let copy = folder.appendingPathComponent("copy-\(UUID().uuidString)")
        defer { for file in [source, copy] { try? FileManager.default.removeItem(at: file) } }
        let admin = await way.mero.admin
        do {
            let blob: String
            if throughFiles {
                try content.write(to: source)
                blob = try await admin.uploadBlob(file: source).blobId
            } else {
                blob = try await admin.uploadBlob(UploadBlobRequest(data: content)).blobId
            }
            totals.with { $0.put += 1 }
            let back: Data
            if throughFiles {
                try await admin.downloadBlob(blob, to: copy, hash: BlobDigest(of: content).contentHash)
                back = try Data(contentsOf: copy)
            } else {
                back = try await admin.getBlob(blob)
            }
            if back == Trouble.foreignAnswer {
                totals.with { $0.foreign += 1 }
            } else if back != content {
                findings.add("\(way.name): a blob of \(content.count) bytes came back altered")
            } else {
                totals.with { totals in
                    totals.got += 1
                    totals.mebibytes += Double(2 * content.count) / 1_048_576
                }
            }
            do {
                _ = try await admin.deleteBlob(blob)
            } catch MeroError.http(let answer) where answer.status == 404 && way.sendsAgain {
                // The answer to the first request was lost.
            }
        } catch {
            failures.take(error, during: "\(way.name), a transfer,")
            await way.recover(from: error)
        }
    }

    /// What failed transfers left behind.
    func checkFolder() {
        let left = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        if !left.isEmpty { findings.add("transfers left files: \(left.prefix(5))") }
    }
}
