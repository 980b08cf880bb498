/// A value that is made when it is first asked for, once.
final class Lazily<Value: Sendable>: Sendable {
    private let make: @Sendable () -> Value
    private let made = Locked<Value?>(nil)

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    /// The value, if anybody has asked for it.
    var existing: Value? { made.withLock { $0 } }

    var value: Value {
        made.withLock { made in
            if let made { return made }
            let value = make()
            made = value
            return value
        }
    }
}
