import MeroKit

/// A JSON text as a tree that can be spoilt where its meaning is: repeated keys, values of another type, numbers at
/// their limits, deep nesting.
indirect enum JSONSpoiler {
    /// As it stands in the text.
    case raw(String)
    case string(String)
    case array([JSONSpoiler])
    case object([(key: String, value: JSONSpoiler)])

    init(_ json: ExactJSON) {
        switch json {
        case .null: self = .raw("null")
        case .bool(let value): self = .raw(value ? "true" : "false")
        case .number(let text): self = .raw(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map(JSONSpoiler.init))
        case .object(let members): self = .object(members.map { ($0.key, JSONSpoiler($0.value)) })
        }
    }

    init(text: some Sequence<UInt8>) throws { self.init(try ExactJSON(jsonBytes: Array(text))) }

    private var count: Int {
        switch self {
        case .raw, .string: return 1
        case .array(let elements): return elements.reduce(1) { $0 + $1.count }
        case .object(let members): return members.reduce(1) { $0 + $1.value.count }
        }
    }

    /// The text of a spoilt tree; of the tree as it is in some cases, and of no JSON at all in some.
    func spoilt(_ mutator: inout Mutator) -> [UInt8] {
        var tree = self
        if !mutator.once(in: 8) {
            for _ in 0...mutator.below(3) {
                var place = mutator.below(tree.count)
                tree.change(at: &place, &mutator)
            }
        }
        var output: [UInt8] = []
        tree.write(&output, loosely: mutator.once(in: 4), &mutator)
        return mutator.once(in: 10) ? mutator.spoil(output, with: output) : output
    }

    /// Goes down to the node that is so many from here.
    private mutating func change(at place: inout Int, _ mutator: inout Mutator) {
        if place == 0 {
            self = other(&mutator)
            place = -1
            return
        }
        place -= 1
        switch self {
        case .raw, .string: return
        case .array(var elements):
            for index in elements.indices where place >= 0 { elements[index].change(at: &place, &mutator) }
            self = .array(elements)
        case .object(var members):
            for index in members.indices where place >= 0 { members[index].value.change(at: &place, &mutator) }
            self = .object(members)
        }
    }

    private func other(_ mutator: inout Mutator) -> JSONSpoiler {
        switch (self, mutator.below(10)) {
        case (.object(var members), 0..<6) where !members.isEmpty:
            let index = mutator.below(members.count)
            switch mutator.below(6) {
            case 0: members.remove(at: index)
            case 1: members.insert((members[index].key, .anything(&mutator)), at: mutator.below(members.count + 1))
            case 2: members[index].key = mutator.maybeSpoil(members[index].key)
            case 3: members.swapAt(index, mutator.below(members.count))
            case 4: members[index].value = members[mutator.below(members.count)].value
            default: members[index].value = .anything(&mutator)
            }
            return .object(members)
        case (.array(var elements), 0..<6) where !elements.isEmpty:
            let index = mutator.below(elements.count)
            switch mutator.below(4) {
            case 0: elements.remove(at: index)
            case 1: elements += repeatElement(elements[index], count: 1 + mutator.below(mutator.pick([3, 300])))
            case 2: elements.append(.anything(&mutator))
            default: elements[index] = .anything(&mutator)
            }
            return .array(elements)
        case (.string(let text), 0..<6): return .string(mutator.maybeSpoil(text))
        case (.raw(let text), 0..<3): return .raw(mutator.maybeSpoil(text))
        case (_, 8):
            var nested = self
            for _ in 0...mutator.below(4) {
                nested = mutator.once(in: 2) ? .array([nested]) : .object([("data", nested)])
            }
            return nested
        default: return .anything(&mutator)
        }
    }

    static func anything(_ mutator: inout Mutator) -> JSONSpoiler {
        switch mutator.below(20) {
        case 0..<8: return .raw(mutator.pick(literals))
        case 8..<12: return .string(mutator.pick(Mutator.pieces) + mutator.pick(Mutator.pieces))
        case 12:
            return .string(
                String(repeating: mutator.pick(["a", "00", "é", "\\", "\u{1}"]), count: mutator.below(3000)))
        case 13: return .raw(String(mutator.number()))
        case 14: return .raw("-" + String(mutator.number()))
        case 15: return .raw(String(Double(bitPattern: mutator.next())))
        case 16:
            let depth = mutator.pick([3, 60, 511, 512, 513, 3000])
            let (open, close) = mutator.once(in: 2) ? ("[", "]") : (#"{"a":"#, "}")
            return .raw(String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth))
        case 17: return .raw(String(repeating: "9", count: 1 + mutator.below(2000)))
        case 18: return .array((0..<mutator.below(5)).map { _ in anything(&mutator) })
        default:
            return .object((0..<mutator.below(5)).map { _ in (mutator.pick(Mutator.pieces), anything(&mutator)) })
        }
    }

    private static let literals = [
        "null", "true", "false", "0", "-0", "-0.0", "1", "-1", "255", "256", "65536", "4294967295", "4294967296",
        "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e2",
        "1E+2",
        "1.0", "0.1", "1e308", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "-1e400", "5e-324",
        "1e-400",
        "1e99999999999999999999", "0.000000000000000000000000000000000000001", "[]", "{}", "\"\"", "[[]]", "[null]",
        #""\ud800""#, #""\udc00\ud800""#, #""\ud83d\ude00""#, #""\u0000""#, #""\x""#, "01", "+1", ".5", "1.", "NaN",
        "",
    ]

    private func write(_ output: inout [UInt8], loosely: Bool, _ mutator: inout Mutator) {
        func blank(_ mutator: inout Mutator) {
            if loosely, mutator.once(in: 3) { output += mutator.pick([" ", "\n", "\t", "\r\n "]).utf8 }
        }
        blank(&mutator)
        switch self {
        case .raw(let text): output += text.utf8
        case .string(let text): Self.write(text, &output, loosely: loosely, &mutator)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(&output, loosely: loosely, &mutator)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                blank(&mutator)
                Self.write(member.key, &output, loosely: loosely, &mutator)
                blank(&mutator)
                output.append(UInt8(ascii: ":"))
                member.value.write(&output, loosely: loosely, &mutator)
            }
            output.append(UInt8(ascii: "}"))
        }
        blank(&mutator)
    }

    private static func write(_ text: String, _ output: inout [UInt8], loosely: Bool, _ mutator: inout Mutator) {
        output.append(UInt8(ascii: "\""))
        for unit in text.utf16 {
            let mustEscape = unit < 0x20 || unit == 0x22 || unit == 0x5C || unit >= 0x80
            if mustEscape || (loosely && mutator.once(in: 5)) {
                let digits = String(unit, radix: 16, uppercase: loosely)
                output += "\\u".utf8
                output += String(repeating: "0", count: 4 - digits.count).utf8
                output += digits.utf8
            } else {
                output.append(UInt8(unit))
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
