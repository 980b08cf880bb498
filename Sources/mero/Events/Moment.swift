import Foundation

/// A point in time, to the millisecond, as lines show it.
struct Moment: Sendable {
    private let milliseconds: Int64

    init(_ date: Date = Date()) {
        milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded(.down))
    }

    /// `14:03:07.125`, where the user is.
    var local: String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return clock(parts)
    }

    /// RFC 3339 in UTC: `2026-01-31T13:03:07.125Z`.
    var utc: String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = "\(Int(parts.tm_year) + 1900)-\(Self.padded(parts.tm_mon + 1))-\(Self.padded(parts.tm_mday))"
        return "\(date)T\(clock(parts))Z"
    }

    private func clock(_ parts: tm) -> String {
        let fraction = String(milliseconds % 1000)
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        return
            "\(Self.padded(parts.tm_hour)):\(Self.padded(parts.tm_min)):\(Self.padded(parts.tm_sec)).\(zeros)\(fraction)"
    }

    private static func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
