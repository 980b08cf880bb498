/// Reads the signed JSON of Intel's collateral. What it asks for has to be there.
///
/// Spec: 80, section 5.
struct TcbFields {
    private let value: JSONValue
    private let path: String

    init(_ value: JSONValue, _ path: String) {
        self.value = value
        self.path = path
    }

    /// A whole text.
    init(text: String, _ name: String) throws(AttestationError) {
        do {
            self.init(try JSONValue(jsonBytes: Array(text.utf8)), name)
        } catch {
            throw AttestationError(.malformed, "\(name): \(error.localizedDescription)")
        }
        guard value.objectValue != nil else { throw AttestationError(.malformed, "\(name): no JSON object") }
    }

    func member(_ key: String) throws(AttestationError) -> TcbFields {
        guard let member = value[key] else { throw wrong(key) }
        return TcbFields(member, "\(path).\(key)")
    }

    /// Nil when it is not there or null.
    func optional(_ key: String) -> TcbFields? {
        guard let member = value[key], member != .null else { return nil }
        return TcbFields(member, "\(path).\(key)")
    }

    func string(_ key: String) throws(AttestationError) -> String {
        guard let text = value[key]?.stringValue else { throw wrong(key) }
        return text
    }

    func int(_ key: String, in range: ClosedRange<Int>) throws(AttestationError) -> Int {
        guard let number = value[key]?.intValue, range.contains(number) else { throw wrong(key) }
        return number
    }

    func hex(_ key: String, bytes count: Int) throws(AttestationError) -> [UInt8] {
        guard let bytes = Hex.decode(try string(key)), bytes.count == count else { throw wrong(key) }
        return bytes
    }

    func time(_ key: String) throws(AttestationError) -> Int64 {
        guard let seconds = UnixTime.seconds(rfc3339: try string(key)) else { throw wrong(key) }
        return seconds
    }

    /// The elements of a list; each may be anything.
    func list(_ key: String) throws(AttestationError) -> [TcbFields] {
        guard let elements = value[key]?.arrayValue else { throw wrong(key) }
        return elements.enumerated().map { TcbFields($1, "\(path).\(key)[\($0)]") }
    }

    /// The texts of a list; none when it is not there.
    func strings(_ key: String) throws(AttestationError) -> [String] {
        guard let elements = optional(key)?.value else { return [] }
        let texts = elements.arrayValue?.compactMap(\.stringValue)
        guard let texts, texts.count == elements.arrayValue?.count else { throw wrong(key) }
        return texts
    }

    func wrong(_ key: String) -> AttestationError {
        AttestationError(.malformed, "\(path).\(key) is missing or of another kind")
    }
}
