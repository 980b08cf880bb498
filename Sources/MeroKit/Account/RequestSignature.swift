import Foundation

/// What binds a request proof to one request.
///
/// The query is not signed; what has to be bound goes into the body. Spec: 50, sections 9.1 and 9.2.
package struct RequestSignature: Sendable, Equatable {
    package let method: String
    package let path: String
    package let bodyHash: Data
    package let issuedAt: UInt64
    package let expiresAt: UInt64
    package let signature: Data

    /// An unsigned one. An empty path is `/`. Throws `AccountError.invalidInput` for a path that is none.
    package init(method: String, path: String, body: Data, issuedAt: UInt64, expiresAt: UInt64) throws {
        let path = path.isEmpty ? "/" : path
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(UInt8(ascii: "?")) else {
            throw AccountError.invalidInput("a request proof needs a path that begins with / and has no query")
        }
        self.init(
            method: method, path: path, bodyHash: Self.hash(body), issuedAt: issuedAt, expiresAt: expiresAt,
            signature: Data())
    }

    private init(
        method: String, path: String, bodyHash: Data, issuedAt: UInt64, expiresAt: UInt64, signature: Data
    ) {
        self.method = method
        self.path = path
        self.bodyHash = bodyHash
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.signature = signature
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        method = try reader.string("method")
        path = try reader.string("path")
        bodyHash = try reader.raw(32, "body hash")
        issuedAt = try reader.u64("issued at")
        expiresAt = try reader.u64("expires at")
        signature = try reader.raw(64, "signature")
    }

    /// The same, signed.
    package func signed(_ signature: Data) -> RequestSignature {
        RequestSignature(
            method: method, path: path, bodyHash: bodyHash, issuedAt: issuedAt, expiresAt: expiresAt,
            signature: signature)
    }

    /// One part, also when there is no body.
    package static func hash(_ body: Data) -> Data { domainHash("calimero.auth.request.body.v1", [body]) }

    /// The 32 bytes that are signed.
    package var preimage: Data {
        domainHash(
            "calimero.auth.request.v1",
            [
                Data(method.utf8), Data(path.utf8), bodyHash, LittleEndian.u64(issuedAt),
                LittleEndian.u64(expiresAt),
            ])
    }

    package var bytes: Data {
        var writer = BorshWriter()
        writer.string(method)
        writer.string(path)
        writer.raw(bodyHash)
        writer.u64(issuedAt)
        writer.u64(expiresAt)
        writer.raw(signature)
        return writer.data
    }
}
