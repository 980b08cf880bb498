import Foundation

/// A value that is only reached under a lock.
final class Guarded<Value>: @unchecked Sendable {
    // Safe to share: `value` is touched only inside `with`, which holds `lock`.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// What should not have happened.
final class Findings: Sendable {
    private let all = Guarded<(count: Int, first: [String])>((0, []))

    var count: Int { all.with { $0.count } }

    func add(_ text: String) {
        all.with { all in
            all.count += 1
            if all.first.count < 100 { all.first.append(text) }
        }
    }

    func first(_ count: Int) -> ArraySlice<String> { all.with { $0.first.prefix(count) } }
}

/// The same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
