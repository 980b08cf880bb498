import Foundation
import MeroKit

/// A request body on disk, readable by its owner only. Removed with this object unless it was renamed.
final class SpoolFile: Sendable {
    let url: URL
    private let descriptor = Locked<Int32>(-1)

    init(in directory: URL?) {
        let folder = directory ?? FileManager.default.temporaryDirectory
        url = folder.appendingPathComponent("merodev-upload-\(UUID().uuidString)", isDirectory: false)
    }

    /// Opens the file when there is none yet. False when the disk refuses.
    func write(_ bytes: Data) -> Bool {
        descriptor.withLock { descriptor in
            if descriptor < 0 {
                descriptor = open(url.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
                if descriptor < 0 { return false }
            }
            return bytes.withUnsafeBytes { buffer in
                guard let start = buffer.baseAddress else { return true }
                var written = 0
                while written < buffer.count {
                    let count = Foundation.write(descriptor, start + written, buffer.count - written)
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { return false }
                    written += count
                }
                return true
            }
        }
    }

    deinit {
        let open = descriptor.withLock { $0 }
        guard open >= 0 else { return }
        close(open)
        unlink(url.path)
    }
}
