import Foundation

/// Says which input it was when the process dies of one, or hangs in one.
enum LastWords {
    /// The input's seed, when it began in nanoseconds (0 when there is none), and the end of the name.
    nonisolated(unsafe) private static let numbers: UnsafeMutablePointer<UInt64> = {
        let room = UnsafeMutablePointer<UInt64>.allocate(capacity: 3)
        room.initialize(repeating: 0, count: 3)
        return room
    }()
    /// The text that is written then. Only the digits behind the name change.
    nonisolated(unsafe) private static let text: UnsafeMutablePointer<UInt8> = {
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        room.initialize(repeating: 0, count: 256)
        return room
    }()
    nonisolated(unsafe) private static let before: UnsafeMutablePointer<sigaction> = {
        let room = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        room.initialize(repeating: sigaction(), count: 65)
        return room
    }()

    static func parser(_ name: String) {
        let words = Array("\nended in \(name) with seed ".utf8.prefix(200))
        for (index, byte) in words.enumerated() { text[index] = byte }
        numbers[2] = UInt64(words.count)
    }

    static func input(_ seed: UInt64) {
        numbers[0] = seed
        numbers[1] = DispatchTime.now().uptimeNanoseconds
    }

    static func idle() { numbers[1] = 0 }

    /// - Parameter patience: Seconds after which an input counts as hanging.
    static func prepare(patience: UInt64) {
        _ = (numbers[0], text[0])
        var action = sigaction()
        let handler: @convention(c) (Int32) -> Void = { number in
            LastWords.write()
            // It happens again at once, for whoever handled it before.
            _ = sigaction(number, LastWords.before + Int(number), nil)
        }
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
        #else
            action.__sigaction_handler.sa_handler = handler
        #endif
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
            _ = sigaction(number, &action, before + Int(number))
        }
        Thread.detachNewThread {
            while true {
                Thread.sleep(forTimeInterval: 1)
                let begin = numbers[1]
                let now = DispatchTime.now().uptimeNanoseconds
                if begin > 0, now > begin, now - begin > patience * 1_000_000_000 {
                    say("hanging")
                    abort()
                }
            }
        }
    }

    /// Allocates nothing: the process may be in any state.
    private static func write() {
        var end = Int(numbers[2])
        var divisor: UInt64 = 10_000_000_000_000_000_000
        while divisor > numbers[0], divisor > 1 { divisor /= 10 }
        while divisor > 0 {
            text[end] = 0x30 + UInt8(truncatingIfNeeded: numbers[0] / divisor % 10)
            end += 1
            divisor /= 10
        }
        text[end] = 0x0A
        #if canImport(Darwin)
            _ = Darwin.write(2, text, end + 1)
        #else
            _ = Glibc.write(2, text, end + 1)
        #endif
    }
}
