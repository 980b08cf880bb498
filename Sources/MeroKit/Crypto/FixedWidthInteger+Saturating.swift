extension FixedWidthInteger {
    /// The whole part of a number; the nearest integer there is for one that is out of range, and 0 for what is no number.
    ///
    /// Swift's own conversions trap on those, and dates, time-outs and intervals come from outside.
    package init(saturating number: Double) {
        if let integer = Self(exactly: number.rounded(.towardZero)) {
            self = integer
        } else if number.isNaN {
            self = 0
        } else {
            self = number < 0 ? .min : .max
        }
    }
}

extension UInt64 {
    /// Whole units of time since 1970, rounded down, 0 before it. Nil for a date that no statement could carry: for what is
    /// no number, and beyond 64 bits.
    package init?(sinceEpoch time: Double) {
        guard !time.isNaN else { return nil }
        self.init(exactly: Swift.max(0, time).rounded(.down))
    }

    /// Nanoseconds of a wait: none for a time that is negative or no number, centuries for one without an end.
    package static func nanoseconds(_ seconds: Double) -> UInt64 {
        // A sum of this and a clock must not overflow either.
        UInt64(saturating: Swift.max(0, Swift.min(seconds.isNaN ? 0 : seconds, 1e9)) * 1e9)
    }
}
