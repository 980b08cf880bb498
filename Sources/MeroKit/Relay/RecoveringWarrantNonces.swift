/// Numbers for one device in one context, which go on where the network says that they have come to.
///
/// For programs that lose their local state. The first `next()` asks everybody who may know, all at once; the highest answer
/// counts, and is kept for the life of the value. Spec: 60, section 4.5.
public struct RecoveringWarrantNonces: Sendable {
    private struct State {
        /// Nobody was asked yet, or nobody could tell.
        var isKnown = false
        /// The lowest number that may be handed out; nil after the last one.
        var floor: UInt64? = 0
    }

    private let lookups: [any WarrantNonceLookup]
    private let contextId: String
    private let authorDeviceKey: String
    private let sequence: String
    private let local: any WarrantNonceStore
    private let onLookupFailure: OnLookupFailure
    private let state = Locked(State())
    private let flight = SingleFlight<Void>()

    /// - Parameters:
    ///   - lookups: At least one, else `AccountError.invalidInput` is thrown.
    ///   - contextId: The context in which the numbers count.
    ///   - authorDeviceKey: The device's signing key, 64 hex characters.
    ///   - sequence: The local store's key, normally the relay's URL.
    ///   - local: The store on this device.
    ///   - onLookupFailure: What to do when no lookup answers.
    public init(
        lookups: [any WarrantNonceLookup], contextId: String, authorDeviceKey: String, sequence: String,
        local: any WarrantNonceStore, onLookupFailure: OnLookupFailure = .throw
    ) throws {
        guard !lookups.isEmpty else { throw AccountError.invalidInput("there is nobody to ask for warrant nonces") }
        self.lookups = lookups
        self.contextId = contextId
        self.authorDeviceKey = authorDeviceKey
        self.sequence = sequence
        self.local = local
        self.onLookupFailure = onLookupFailure
    }

    /// The next number.
    ///
    /// Throws what the lookups threw when none of them knew, `AccountError.intentRefused` (status 409) when every number
    /// is spent, `.invalidInput` when the local store has none, and `CancellationError`.
    public func next() async throws -> UInt64 {
        if !state.withLock({ $0.isKnown }) { _ = try await flight.value(recover) }
        // Drawn and settled as one step: else a number that comes late would be raised above the store's own.
        return try await NonceDesk.next(local, sequence) { [state] number in
            state.withLock { state in
                guard let floor = state.floor else { return nil }
                let value = max(number, floor)
                state.floor = WarrantNonceSequence.next(after: value)
                return value
            }
        }
    }

    private func recover() async throws {
        // Known after all: the flight before this one ended while its caller was on the way here.
        if state.withLock({ $0.isKnown }) { return }
        let answers = await ask()
        try Task.checkCancellation()
        let known = answers.compactMap { try? $0.get() }
        let floor: UInt64
        if let highest = known.compactMap(\.nextNonce).max() {
            floor = highest
        } else if !known.isEmpty {
            throw NonceDesk.spent("in context \(contextId)")
        } else {
            if case .throw = onLookupFailure {
                for answer in answers { _ = try answer.get() }
            }
            floor = 0
        }
        try await NonceDesk.advance(local, sequence, to: floor)
        state.withLock { state in
            state.isKnown = true
            state.floor = max(floor, state.floor ?? 0)
        }
    }

    /// In the order of the lookups.
    private func ask() async -> [Result<RelayWarrantNonceState, any Error>] {
        await withTaskGroup(of: (Int, Result<RelayWarrantNonceState, any Error>).self) { group in
            for (index, lookup) in lookups.enumerated() {
                group.addTask { [contextId, authorDeviceKey] in
                    do {
                        let answer = try await lookup.warrantNonce(
                            contextId: contextId, authorDeviceKey: authorDeviceKey)
                        return (index, .success(answer))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var answers: [(Int, Result<RelayWarrantNonceState, any Error>)] = []
            for await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
