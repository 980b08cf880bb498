import MeroKit

/// Collects what is wrong with the values of a body, so that all of it is told at once.
///
/// Spec: 20, section 1.9; 30, section 1.3.
struct BodyCheck {
    private(set) var problems: [String] = []

    mutating func fail(_ field: String, _ reason: String) {
        problems.append("Field '\(field)' has invalid format: \(reason)")
    }

    mutating func fail(hex field: String, _ reason: String = "not valid hex") {
        problems.append("Field '\(field)' contains invalid hex encoding: \(reason)")
    }

    mutating func missing(_ field: String) { problems.append("Field '\(field)' is required but was empty") }

    /// An id or key of 32 bytes in lower case.
    @discardableResult
    mutating func id(_ text: String, _ field: String) -> String { hex(text, field, bytes: 32) }

    @discardableResult
    mutating func hex(_ text: String, _ field: String, bytes: Int) -> String {
        if text.count != 2 * bytes {
            problems.append("Field '\(field)' must be exactly \(2 * bytes) characters (got \(text.count))")
        } else if Hex.decode(text) == nil {
            fail(hex: field)
        }
        return text.lowercased()
    }

    mutating func text(_ name: String, _ value: String, max: Int, isRequired: Bool = true) {
        if isRequired, value.isEmpty { return missing(name) }
        if value.utf8.count > max {
            problems.append(
                "Field '\(name)' exceeds maximum length of \(max) characters (got \(value.utf8.count))")
        }
    }

    mutating func size(_ name: String, _ count: Int, max: Int) {
        guard count > max else { return }
        problems.append("Field '\(name)' exceeds maximum size of \(max) bytes (got \(count))")
    }

    /// Throws `NodeRefusal`.
    func finish() throws {
        guard let first = problems.first else { return }
        throw NodeRefusal(400, problems.count == 1 ? first : "Validation errors: \(problems.joined(separator: "; "))")
    }
}
