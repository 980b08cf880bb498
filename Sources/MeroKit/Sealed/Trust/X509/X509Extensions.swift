/// The extensions of a certificate or a revocation list, none of them twice.
struct X509Extensions: Sendable, Equatable {
    /// By what they are, the bytes that each holds.
    private(set) var values: [DerOid: [UInt8]] = [:]
    /// Those that must not be passed over.
    private(set) var critical: Set<DerOid> = []

    /// - Parameter element: The context tag around them.
    init(_ element: DerElement) throws(AttestationError) {
        var outer = element.inner
        try self.init(list: outer.next(DerTag.sequence, "extensions"))
        try outer.finish()
    }

    /// - Parameter list: The SEQUENCE of them.
    init(list: DerElement) throws(AttestationError) {
        var entries = list.inner
        repeat {
            var parts = try entries.next(DerTag.sequence, "extension").inner
            let oid = try parts.next().oid()
            if let flag = try parts.nextIf(DerTag.boolean) {
                guard try flag.bool() else { throw DerReader.malformed("an extension that spells out a default") }
                critical.insert(oid)
            }
            let value = try parts.next(DerTag.octetString, "extension")
            try parts.finish()
            guard values.updateValue(Array(value.content), forKey: oid) == nil else {
                throw DerReader.malformed("an extension that comes twice")
            }
        } while !entries.isAtEnd
    }

    subscript(oid: DerOid) -> [UInt8]? { values[oid] }
}

/// Whether a certificate may issue others.
struct X509BasicConstraints: Sendable, Equatable {
    let isAuthority: Bool
    /// How many authorities may stand between it and a leaf; nil: any number.
    let pathLength: Int?

    init(_ value: [UInt8]) throws(AttestationError) {
        var parts = try DerReader.whole(value, DerTag.sequence, "basic constraints").inner
        isAuthority = try parts.nextIf(DerTag.boolean)?.bool() ?? false
        pathLength = try parts.nextIf(DerTag.integer)?.small()
        try parts.finish()
        guard isAuthority || pathLength == nil else { throw DerReader.malformed("a path length of no authority") }
    }
}

/// What a certificate's key is for.
struct X509KeyUsage: Sendable, Equatable {
    let signsCertificates: Bool
    let signsRevocationLists: Bool

    init(_ value: [UInt8]) throws(AttestationError) {
        let first = try DerReader.whole(value, DerTag.bitString, "key usage").flags().first ?? 0
        signsCertificates = first & 0x04 != 0
        signsRevocationLists = first & 0x02 != 0
    }
}
