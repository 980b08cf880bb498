import Foundation

#if canImport(COpenSSL)
    import COpenSSL
#endif

/// Secret bytes that are overwritten when nobody holds them any more, and that no printing shows.
///
/// Copies that are taken out, as `data`, are the taker's.
// Safe to share: the memory is written in the initialiser only, and in `deinit`, when nobody else can reach it.
package final class SecretBytes: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    /// Copies the bytes.
    package init(_ bytes: some ContiguousBytes) {
        memory = bytes.withUnsafeBytes { source in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
            copy.copyMemory(from: source)
            return copy
        }
    }

    /// So many bytes, which `fill` writes: zeros until then.
    package init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        memory = .allocate(byteCount: count, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        try fill(memory)
    }

    /// So many bytes that nobody can predict.
    package convenience init(random count: Int) {
        var bytes = SecureRandom.bytes(count)
        self.init(bytes)
        bytes.withUnsafeMutableBytes { Self.wipe($0) }
    }

    deinit {
        Self.wipe(memory)
        memory.deallocate()
    }

    package var count: Int { memory.count }

    /// A copy, which is not overwritten.
    package var data: Data { Data(memory) }

    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(memory))
    }

    /// Overwrites memory in a way that the optimiser does not take for useless.
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let address = memory.baseAddress else { return }
        #if canImport(COpenSSL)
            OPENSSL_cleanse(address, memory.count)
        #else
            _ = memset_s(address, memory.count, 0, memory.count)
        #endif
    }
}

extension SecretBytes: Equatable {
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.memory.indices { difference |= left.memory[index] ^ right.memory[index] }
        return difference == 0
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    package var description: String { PrintedField.placeholder }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
