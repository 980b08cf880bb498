import Foundation

/// An advisory lock that several processes, and several owners within one, take in turn.
///
/// It lies in a file of its own, which stays: whoever removed it would let two hold different locks of one name.
package struct FileLock: Sendable {
    private let file: PrivateFile
    private let patience: TimeInterval

    /// Seconds between two attempts, at first and at most. Short, since the usual holder is done after one call to a node.
    private static let pauses = 0.002...0.05

    /// Takes nothing yet.
    ///
    /// - Parameter patience: Seconds to wait for those who hold it. A holder calls the node once, with a time-out; one that
    ///   takes longer has been stopped, and whoever waited for it would be, too.
    package init(path: String, patience: TimeInterval = 120) {
        file = PrivateFile(path: path)
        self.patience = patience
    }

    /// Runs `body` while holding the lock.
    ///
    /// Waiting suspends the task and blocks no thread. Throws `CancellationError` when the task is cancelled while it
    /// waits, `POSIXError` when the lock's file cannot be used, or with `ETIMEDOUT` when its holder does not give it back.
    /// Not re-entrant.
    package func withLock<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        let descriptor = try await acquire()
        // Closing the descriptor, be it by a crash, gives the lock back.
        defer { close(descriptor) }
        return try await body()
    }

    /// The same for a caller that has a thread to wait on: never one of the cooperative pool.
    package func withLockBlocking<T>(_ body: () throws -> T) throws -> T {
        try file.makeFolder()
        let end = DispatchTime.now() + patience
        while true {
            if let descriptor = try attempt() {
                defer { close(descriptor) }
                return try body()
            }
            guard DispatchTime.now() < end else {
                throw POSIXError(.ETIMEDOUT, userInfo: [NSFilePathErrorKey: file.path])
            }
            // Whoever holds it replaces one small file.
            usleep(UInt32.random(in: 100...1500))
        }
    }

    private func acquire() async throws -> Int32 {
        try file.makeFolder()
        var pause = Self.pauses.lowerBound
        let end = DispatchTime.now() + patience
        while true {
            try Task.checkCancellation()
            if let descriptor = try attempt() { return descriptor }
            guard DispatchTime.now() < end else {
                throw POSIXError(.ETIMEDOUT, userInfo: [NSFilePathErrorKey: file.path])
            }
            // Waiters that started together drift apart.
            try await Task.sleep(nanoseconds: .nanoseconds(pause * .random(in: 0.5...1)))
            pause = min(pause * 2, Self.pauses.upperBound)
        }
    }

    /// The descriptor that holds the lock, nil when somebody else does.
    private func attempt() throws -> Int32? {
        let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last(at: file.path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = POSIXError.last(at: file.path)
            close(descriptor)
            if error.code == .EWOULDBLOCK || error.code == .EINTR { return nil }
            throw error
        }
        return descriptor
    }
}
