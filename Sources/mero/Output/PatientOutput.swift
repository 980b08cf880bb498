import Dispatch
import MeroKit

/// Writes on a thread of its own, and waits for it only as long as the task is wanted.
///
/// A reader that stands still, as a pager does, blocks a write for good. Commands that run until Ctrl-C must end all the
/// same.
struct PatientOutput: Sendable {
    private let queue = DispatchQueue(label: "mero.output")

    /// - Throws: What the body throws, and `CancellationError` when the task is cancelled meanwhile; the body goes on then.
    func run(_ body: @escaping @Sendable () throws -> Void) async throws {
        let waiter = Locked<CheckedContinuation<Void, any Error>?>(nil)
        let resume: @Sendable (Result<Void, any Error>) -> Void = { result in
            let waiting = waiter.withLock { waiter in
                defer { waiter = nil }
                return waiter
            }
            waiting?.resume(with: result)
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.withLock { $0 = continuation }
                if Task.isCancelled { return resume(.failure(CancellationError())) }
                queue.async { resume(Result { try body() }) }
            }
        } onCancel: {
            resume(.failure(CancellationError()))
        }
    }
}
