import Foundation

/// The certificates of a PEM file (RFC 7468), as DER.
enum PemCertificates {
    /// - Throws: `EngineError` of kind `.file` if the file cannot be read, `.invalidRequest` if it holds no certificate
    ///   or a broken one.
    static func read(_ file: URL) throws -> [Data] {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: file)
        } catch {
            throw EngineError(
                kind: .file, mayHaveReachedNode: false, message: "Cannot read the file \(file.lastPathComponent)")
        }
        guard let certificates = parse(String(decoding: bytes, as: UTF8.self)), !certificates.isEmpty else {
            throw EngineError.invalidRequest("\(file.lastPathComponent) is not a list of PEM certificates")
        }
        return certificates
    }

    /// Nil if a block is not closed or not base64. Text around the blocks, and blocks of other kinds, are passed over,
    /// as every tool that writes such files expects.
    static func parse(_ text: String) -> [Data]? {
        var certificates: [Data] = []
        var block: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            switch (line, block) {
            case ("-----BEGIN CERTIFICATE-----", nil):
                block = ""
            case ("-----END CERTIFICATE-----", let base64?):
                guard let der = Data(base64Encoded: base64), !der.isEmpty else { return nil }
                certificates.append(der)
                block = nil
            case (_, let base64?):
                block = base64 + line
            default:
                continue
            }
        }
        return block == nil ? certificates : nil
    }
}
