/// The tags that certificates, revocation lists and signatures are made of.
enum DerTag {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let oid: UInt8 = 0x06
    static let enumerated: UInt8 = 0x0A
    static let utf8String: UInt8 = 0x0C
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31

    /// `[number]` around elements of its own.
    static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

/// One element, by its place in the bytes that it was read from.
struct DerElement {
    let tag: UInt8
    /// Where its tag stands.
    let start: Int
    /// Where its content stands.
    let range: Range<Int>
    /// All that it was read from; shared, never copied.
    let source: [UInt8]

    var content: ArraySlice<UInt8> { source[range] }
    /// The whole element, as it is signed and compared.
    var encoded: [UInt8] { Array(source[start..<range.upperBound]) }
    /// Reads the elements within.
    var inner: DerReader { DerReader(source, range) }
}

/// A strict reader of DER: one spelling for each value, definite lengths, nothing beyond the end of the container.
///
/// It follows the shape that its caller expects and never recurses on its own; `checkShape` bounds how deep input nests.
/// Spec: 80, section 8.
package struct DerReader {
    /// More than any certificate nests.
    static let maximumDepth = 24

    private let source: [UInt8]
    private let end: Int
    private(set) var position: Int

    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    fileprivate init(_ source: [UInt8], _ range: Range<Int>) {
        self.source = source
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position >= end }

    /// The tag of the element that is next; nil at the end.
    var nextTag: UInt8? { isAtEnd ? nil : source[position] }

    /// The next element, whatever it is.
    mutating func next() throws(AttestationError) -> DerElement {
        let (tag, range) = try Self.header(source, at: position, end: end)
        defer { position = range.upperBound }
        return DerElement(tag: tag, start: position, range: range, source: source)
    }

    /// The next element, which has to be of this kind.
    mutating func next(_ tag: UInt8, _ what: String) throws(AttestationError) -> DerElement {
        guard nextTag == tag else { throw Self.malformed("no \(what) where one has to be") }
        return try next()
    }

    /// The next element if it is of this kind.
    mutating func nextIf(_ tag: UInt8) throws(AttestationError) -> DerElement? {
        nextTag == tag ? try next() : nil
    }

    /// Nothing may follow.
    func finish() throws(AttestationError) {
        guard isAtEnd else { throw Self.malformed("more bytes than belong there") }
    }

    /// The one element that all the bytes are.
    static func whole(_ bytes: [UInt8], _ tag: UInt8, _ what: String) throws(AttestationError) -> DerElement {
        var reader = DerReader(bytes)
        let element = try reader.next(tag, what)
        try reader.finish()
        return element
    }

    /// Walks through all elements once, so that no part of a signed structure is anything but DER, and not nested deeply.
    package static func checkShape(_ bytes: [UInt8]) throws(AttestationError) {
        var ends = [bytes.count]
        var position = 0
        while let end = ends.last {
            if position == end {
                ends.removeLast()
                continue
            }
            let (tag, range) = try header(bytes, at: position, end: end)
            let isConstructed = tag & 0x20 != 0
            // Of the universal kinds, sequences and sets have elements within, and nothing else has.
            if tag & 0xC0 == 0, isConstructed != (0x10...0x11 ~= tag & 0x1F) {
                throw malformed("an element of a form that DER does not have")
            }
            if isConstructed {
                guard ends.count < maximumDepth else { throw malformed("nested too deeply") }
                ends.append(range.upperBound)
                position = range.lowerBound
            } else {
                position = range.upperBound
            }
        }
    }

    private static func header(
        _ source: [UInt8], at start: Int, end: Int
    ) throws(AttestationError) -> (tag: UInt8, content: Range<Int>) {
        guard start + 2 <= end else { throw malformed("it ends too early") }
        let tag = source[start]
        guard tag & 0x1F != 0x1F else { throw malformed("a tag of several bytes") }
        var position = start + 2
        var length = Int(source[start + 1])
        if length >= 0x80 {
            let count = length & 0x7F
            guard 1...4 ~= count, position + count <= end else { throw malformed("a length that cannot be") }
            length = source[position..<(position + count)].reduce(0) { $0 << 8 | Int($1) }
            // The shortest spelling is the only one.
            guard source[position] != 0, length >= 0x80 else { throw malformed("a length with a shorter spelling") }
            position += count
        }
        guard length <= end - position else { throw malformed("a length beyond the end") }
        return (tag, position..<(position + length))
    }

    static func malformed(_ what: String) -> AttestationError { AttestationError(.malformed, what) }
}
