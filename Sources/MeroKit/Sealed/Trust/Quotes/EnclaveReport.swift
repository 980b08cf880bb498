/// What a quote says about the enclave that signed it.
///
/// Spec: 80, section 3.5.
struct EnclaveReport: Sendable, Equatable {
    static let size = 384

    let bytes: [UInt8]

    /// Nil for another number of bytes.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    var miscSelect: ArraySlice<UInt8> { bytes[16..<20] }
    var attributes: ArraySlice<UInt8> { bytes[48..<64] }
    var mrSigner: ArraySlice<UInt8> { bytes[128..<160] }
    var isvProdId: Int { Int(bytes[256]) | Int(bytes[257]) << 8 }
    var isvSvn: Int { Int(bytes[258]) | Int(bytes[259]) << 8 }
    var reportData: ArraySlice<UInt8> { bytes[320..<384] }
}
