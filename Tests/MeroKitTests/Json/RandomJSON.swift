import Foundation

/// A reproducible source of JSON texts: the same seed, the same texts.
struct RandomJSON: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64 = .random(in: .min ... .max)) {
        self.seed = seed
        state = seed
    }

    mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element {
        choices[choices.index(choices.startIndex, offsetBy: Int.random(in: 0..<choices.count, using: &self))]
    }

    mutating func text(depth: Int = 4) -> String {
        space() + value(depth: depth) + space()
    }

    mutating func bytes(upTo limit: Int) -> [UInt8] {
        (0..<Int.random(in: 0...limit, using: &self)).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: return pick(["null", "true", "false"])
        case 1, 2: return number()
        case 3, 4: return string()
        case 5, 6:
            let members = (0..<Int.random(in: 0...5, using: &self)).map { _ in
                space() + string() + space() + ":" + space() + value(depth: depth - 1) + space()
            }
            return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
        default:
            let elements = (0..<Int.random(in: 0...5, using: &self)).map { _ in
                space() + value(depth: depth - 1) + space()
            }
            return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
        }
    }

    mutating func number() -> String {
        switch Int.random(in: 0..<7, using: &self) {
        case 0: return String(Int.random(in: -1000...1000, using: &self))
        case 1: return String(Int64.random(in: .min ... .max, using: &self))
        case 2: return String(UInt64.random(in: .min ... .max, using: &self))
        case 3: return Double.random(in: -1e6...1e6, using: &self).description
        case 4:
            let double = Double(bitPattern: next())
            return double.isFinite ? double.description : "0"
        case 5:
            let digits = (0..<Int.random(in: 1...40, using: &self)).map { _ in
                String(Int.random(in: 0...9, using: &self))
            }
            // Not all of them zero: Foundation refuses "-0.0E-3".
            return "\(pick(["", "-"]))0.\(digits.joined())7\(pick(["", "e5", "E-3", "e+12"]))"
        default: return pick(["0", "-0", "0.0", "-0.0", "1e0", "1E+2", "1.50e-3", "123456789012345678901234567890"])
        }
    }

    private mutating func string() -> String {
        let pieces = (0..<Int.random(in: 0...12, using: &self)).map { _ -> String in
            switch Int.random(in: 0..<12, using: &self) {
            case 0: return pick([#"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#])
            case 1: return pick([#"\u0000"#, #"\u00e9"#, #"\u6771"#, #"\uD83C\uDFA8"#, #"\uFFFF"#, #"\u001F"#])
            case 2: return pick(["é", "e\u{301}", "東京", "🎨", "\u{2028}", "\u{7F}", "ß", "\u{10FFFF}"])
            case 3: return "a longer run of plain text, "
            default: return String(UnicodeScalar(UInt8.random(in: 0x23...0x5B, using: &self)))
            }
        }
        return "\"" + pieces.joined() + "\""
    }

    private mutating func space() -> String {
        oneIn(4) ? pick([" ", "\n", "\t", "\r\n", "   "]) : ""
    }
}
