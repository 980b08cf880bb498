import Foundation

/// Ends the `poll` of another thread.
final class WakePipe: Sendable {
    /// What the other thread polls beside its own descriptor.
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw Failure(code: .localFile, message: "No descriptor is free")
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    /// From now on `readEnd` is ready to read.
    func wake() {
        var byte: UInt8 = 0
        _ = write(writeEnd, &byte, 1)
    }

    /// Called once nobody polls and nobody can wake any more.
    func close() {
        _ = Foundation.close(readEnd)
        _ = Foundation.close(writeEnd)
    }
}
