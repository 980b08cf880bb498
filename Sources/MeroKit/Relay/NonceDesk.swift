/// Draws numbers from stores on threads of its own, since a store may have to wait for a disk or another process.
package enum NonceDesk {
    private static let lanes = NonceLanes(threads: 64)

    /// The next number of a sequence.
    ///
    /// Throws `AccountError.intentRefused` (status 409) when all are spent, `.invalidInput` when the store has none for
    /// another reason, `CancellationError`. A number drawn for a task that is cancelled meanwhile is lost, which costs
    /// nothing.
    ///
    /// - Parameter settle: Makes another number of the one that was drawn, before the next one is: nil when there is none.
    package static func next(
        _ store: any WarrantNonceStore, _ sequence: String, floor: UInt64? = nil,
        settle: @escaping @Sendable (UInt64) -> UInt64? = { $0 }
    ) async throws -> UInt64 {
        let (number, isSpent) = try await run(store, sequence) { () -> (UInt64, Bool) in
            if let floor { store.advance(relay: sequence, to: floor) }
            let number = store.next(relay: sequence)
            guard number > 0 else { return (0, store.isSpent(relay: sequence)) }
            guard let settled = settle(number) else { return (0, true) }
            return (settled, false)
        }
        if isSpent { throw spent("of \(sequence)") }
        guard number > 0 else {
            throw AccountError.invalidInput("the warrant nonce store could not reserve a number: \(type(of: store))")
        }
        return number
    }

    /// Raises a sequence.
    static func advance(_ store: any WarrantNonceStore, _ sequence: String, to floor: UInt64) async throws {
        try await run(store, sequence) { store.advance(relay: sequence, to: floor) }
    }

    /// - Parameter place: What stands behind "every nonce".
    static func spent(_ place: String) -> AccountError {
        .intentRefused(
            reason: "this device has spent every nonce \(place); it must re-key to write again", retryable: false,
            status: 409)
    }

    private static func run<T: Sendable>(
        _ store: any WarrantNonceStore, _ sequence: String, _ work: @escaping @Sendable () -> T
    ) async throws -> T {
        // The flight is for its waiters, who leave when they are cancelled.
        try await SingleFlight<T>().value {
            await withCheckedContinuation { continuation in
                lanes.run(NonceLanes.Key(store, sequence)) { continuation.resume(returning: work()) }
            }
        }.value
    }
}
