import Foundation

/// Numbers of bytes, for people.
enum Bytes {
    private static let units = ["KiB", "MiB", "GiB", "TiB"]

    /// `11 B`, `1.5 MiB`.
    static func text(_ count: Int64) -> String {
        guard count >= 1024 else { return "\(count) B" }
        var value = Double(count) / 1024
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(String(format: "%.1f", value)) \(units[unit])"
    }

    static func text(_ count: Int) -> String { text(Int64(count)) }
}
