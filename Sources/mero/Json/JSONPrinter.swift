import MeroKit

/// Writes JSON that came from elsewhere: numbers digit for digit, members in their order.
extension ExactJSON {
    /// On one line.
    var compact: String {
        var printer = JSONPrinter()
        printer.write(self)
        return printer.text
    }

    /// One member or element a line.
    func pretty(style: Style = Style(colours: false)) -> String {
        var printer = JSONPrinter(isPretty: true, style: style)
        printer.write(self)
        return printer.text
    }
}

struct JSONPrinter {
    private(set) var text = ""
    private var depth = 0
    private let isPretty: Bool
    private let style: Style

    init(isPretty: Bool = false, style: Style = Style(colours: false)) {
        self.isPretty = isPretty
        self.style = style
    }

    // Recursion is bounded: the parser refuses what is nested deeper than 512.
    mutating func write(_ value: ExactJSON) {
        switch value {
        case .null: text += style.bold("null")
        case .bool(let value): text += style.bold(value ? "true" : "false")
        case .number(let digits): text += style.yellow(digits)
        case .string(let value): text += style.green(Self.quoted(value))
        case .array(let elements):
            list(elements, open: "[", close: "]") { printer, element in printer.write(element) }
        case .object(let members):
            list(members, open: "{", close: "}") { printer, member in
                printer.text += printer.style.cyan(Self.quoted(member.key)) + (printer.isPretty ? ": " : ":")
                printer.write(member.value)
            }
        }
    }

    private mutating func list<Item>(
        _ items: [Item], open: String, close: String, _ body: (inout JSONPrinter, Item) -> Void
    ) {
        text += open
        depth += 1
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            newLine()
            body(&self, item)
        }
        depth -= 1
        if !items.isEmpty { newLine() }
        text += close
    }

    private mutating func newLine() {
        if isPretty { text += "\n" + String(repeating: "  ", count: depth) }
    }

    /// A string as JSON. Every control character is an escape, also those that JSON lets stand and a terminal obeys.
    static func quoted(_ value: String) -> String {
        var result = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if String.isControl(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
            }
        }
        return result + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
