/// A value that holds a secret, and never shows it to whoever prints it.
///
/// The default printing of a struct goes through reflection, so `print`, string interpolation, `dump`, a debugger and
/// the printing of any value *around* this one are all served from `printedFields` instead.
protocol Redacting: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The stored properties, in order, secrets as `.secret`.
    var printedFields: [PrintedField] { get }
}

/// How one property appears in print.
enum PrintedField {
    case shown(String, Any)
    case secret(String)

    static let placeholder = "<redacted>"

    fileprivate var text: String {
        switch self {
        case .shown(let name, let value as String): return "\(name): \(value.debugDescription)"
        case .shown(let name, let value): return "\(name): \(value)"
        case .secret(let name): return "\(name): \(Self.placeholder)"
        }
    }

    fileprivate var child: Mirror.Child {
        switch self {
        case .shown(let name, let value): return (name, value)
        case .secret(let name): return (name, Self.placeholder)
        }
    }
}

extension Redacting {
    /// The value without its secrets.
    public var description: String {
        "\(Self.self)(\(printedFields.map(\.text).joined(separator: ", ")))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without the secrets.
    public var customMirror: Mirror {
        Mirror(self, children: printedFields.map(\.child), displayStyle: .struct)
    }
}
