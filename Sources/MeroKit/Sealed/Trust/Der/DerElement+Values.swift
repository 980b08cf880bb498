extension DerElement {
    /// The identifier that an OBJECT IDENTIFIER is.
    func oid() throws(AttestationError) -> DerOid {
        guard tag == DerTag.oid, let last = content.last, last & 0x80 == 0 else {
            throw DerReader.malformed("no object identifier where one has to be")
        }
        return DerOid(bytes: content)
    }

    /// What a BOOLEAN says.
    func bool() throws(AttestationError) -> Bool {
        guard tag == DerTag.boolean, content.count == 1, let byte = content.first, byte == 0 || byte == 0xFF else {
            throw DerReader.malformed("no boolean where one has to be")
        }
        return byte == 0xFF
    }

    /// The content of an INTEGER or ENUMERATED that is not negative, without the zero that keeps it so.
    func natural() throws(AttestationError) -> [UInt8] {
        guard tag == DerTag.integer || tag == DerTag.enumerated, let first = content.first, first & 0x80 == 0 else {
            throw DerReader.malformed("no natural number where one has to be")
        }
        guard first == 0 else { return Array(content) }
        let rest = content.dropFirst()
        guard let second = rest.first else { return [0] }
        guard second & 0x80 != 0 else { throw DerReader.malformed("a number with a shorter spelling") }
        return Array(rest)
    }

    /// A natural number that fits two bytes.
    func small() throws(AttestationError) -> Int {
        let bytes = try natural()
        guard bytes.count <= 2 else { throw DerReader.malformed("a number that is too large") }
        return bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The bytes of a BIT STRING that has no odd bits.
    func bits() throws(AttestationError) -> [UInt8] {
        guard tag == DerTag.bitString, content.first == 0 else {
            throw DerReader.malformed("no string of whole bytes where one has to be")
        }
        return Array(content.dropFirst())
    }

    /// The bytes of a BIT STRING whose bits are flags. Bits that are not there are not set.
    func flags() throws(AttestationError) -> [UInt8] {
        guard tag == DerTag.bitString, let unused = content.first, unused < 8 else {
            throw DerReader.malformed("no flags where they have to be")
        }
        let flags = Array(content.dropFirst())
        let mask = UInt8(truncatingIfNeeded: (1 << Int(unused)) - 1)
        guard (flags.last ?? 0) & mask == 0, !flags.isEmpty || unused == 0 else {
            throw DerReader.malformed("flags with bits beyond their end")
        }
        return flags
    }

    /// Seconds since 1970 of a UTCTime or GeneralizedTime in the one form that certificates have.
    func time() throws(AttestationError) -> Int64 {
        let digits = content.dropLast()
        guard content.last == UInt8(ascii: "Z"), digits.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw DerReader.malformed("no time where one has to be")
        }
        let values = digits.map { Int($0 - 0x30) }
        let year: Int
        let rest: ArraySlice<Int>
        switch (tag, values.count) {
        case (DerTag.utcTime, 12):
            let short = values[0] * 10 + values[1]
            year = short < 50 ? 2000 + short : 1900 + short
            rest = values.dropFirst(2)
        case (DerTag.generalizedTime, 14):
            year = values.prefix(4).reduce(0) { $0 * 10 + $1 }
            rest = values.dropFirst(4)
        default: throw DerReader.malformed("no time where one has to be")
        }
        let parts = stride(from: rest.startIndex, to: rest.endIndex, by: 2).map { rest[$0] * 10 + rest[$0 + 1] }
        guard
            let seconds = UnixTime.seconds(
                year: year, month: parts[0], day: parts[1], hour: parts[2], minute: parts[3], second: parts[4])
        else { throw DerReader.malformed("a time that does not exist") }
        return seconds
    }
}
