import Foundation

/// Moments as whole seconds since 1970, the grain that certificates and collateral have.
enum UnixTime {
    /// Nil for what is no moment of the calendar. Leap seconds are none.
    static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int64? {
        guard 0...9999 ~= year, 1...12 ~= month, 0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard 1...lengths[month - 1] ~= day else { return nil }
        // Days since 1 March of year 0, which puts the leap day at the end of its year.
        let years = month > 2 ? year : year - 1 + 400
        let monthsSinceMarch = (month + 9) % 12
        let dayOfYear = (153 * monthsSinceMarch + 2) / 5 + day - 1
        let leapDays = years / 4 - years / 100 + years / 400
        let days = years * 365 + leapDays + dayOfYear - (month > 2 ? 0 : 146_097) - 719_468
        return Int64(days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// `2026-10-27T00:00:00Z`, with or without a fraction, which is dropped. Nil for anything else.
    static func seconds(rfc3339 text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let template = Array("0000-00-00T00:00:00".utf8)
        guard bytes.count > template.count, bytes.last == UInt8(ascii: "Z") else { return nil }
        for (byte, expected) in zip(bytes, template) {
            guard expected == 0x30 ? 0x30...0x39 ~= byte : byte == expected else { return nil }
        }
        let fraction = bytes[template.count..<(bytes.count - 1)]
        if let point = fraction.first {
            guard point == UInt8(ascii: "."), fraction.count > 1,
                fraction.dropFirst().allSatisfy({ 0x30...0x39 ~= $0 })
            else { return nil }
        }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        return seconds(
            year: number(0..<4), month: number(5..<7), day: number(8..<10), hour: number(11..<13),
            minute: number(14..<16), second: number(17..<19))
    }

    /// The second that a clock shows; throws for a clock that shows nothing.
    static func seconds(_ date: Date) throws(AttestationError) -> Int64 {
        guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else {
            throw AttestationError(.invalidInput, "the time to judge by is no time")
        }
        return seconds
    }
}
