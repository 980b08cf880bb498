import Foundation

/// What the parser made of a command line. Every value has passed its option's check.
struct Arguments: Sendable, Equatable {
    fileprivate(set) var switches: Set<String> = []
    fileprivate(set) var values: [String: [String]] = [:]
    fileprivate(set) var operands: [String: [String]] = [:]

    func has(_ option: OptionSpec) -> Bool { switches.contains(option.name) || values[option.name] != nil }

    /// The value of an option, the last one when it was given several times.
    func text(_ option: OptionSpec) -> String? { values[option.name]?.last }

    func texts(_ option: OptionSpec) -> [String] { values[option.name] ?? [] }

    func seconds(_ option: OptionSpec) -> TimeInterval? { text(option).flatMap(TimeInterval.init) }

    func count(_ option: OptionSpec) -> Int? { text(option).flatMap { Int($0) } }

    func ports(_ option: OptionSpec) -> [UInt16] { texts(option).compactMap { UInt16($0) } }

    func operand(_ name: String) -> String? { operands[name]?.first }

    /// All words of an operand that repeats.
    func operandWords(_ name: String) -> [String] { operands[name] ?? [] }
}

extension Arguments {
    mutating func turnOn(_ option: OptionSpec) { switches.insert(option.name) }

    mutating func add(_ text: String, to option: OptionSpec) { values[option.name, default: []].append(text) }

    mutating func add(_ word: String, to operand: Command.Operand) {
        operands[operand.name, default: []].append(word)
    }

    mutating func replace(_ operand: String, by words: [String]) { operands[operand] = words }

    mutating func replace(_ option: OptionSpec, by texts: [String]) { values[option.name] = texts }
}
