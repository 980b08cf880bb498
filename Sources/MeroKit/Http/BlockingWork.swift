import Foundation

/// Work that waits for a disk, on threads that may wait.
enum BlockingWork {
    private static let queue = DispatchQueue(label: "MeroKit.blocking", attributes: .concurrent)

    /// Runs the work and returns what it returns. Once the task is cancelled, the work's argument says so; it is the work
    /// that then ends with `CancellationError`.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Value
    ) async throws -> Value {
        let cancelled = Locked(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(with: Result { try work { cancelled.withLock { $0 } } })
                }
            }
        } onCancel: {
            cancelled.withLock { $0 = true }
        }
    }
}
