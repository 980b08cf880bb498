import CZlib

/// DEFLATE as of RFC 1951, without any header, by zlib.
///
/// Spec: 50, section 17.
package enum RawDeflate {
    /// Why nothing came out.
    package enum Problem: Error, Equatable {
        /// The bytes are no DEFLATE stream.
        case malformed
        /// The stream does not end.
        case truncated
        /// Something follows the end of the stream.
        case trailing
        /// More would come out than allowed.
        case tooLarge
        /// The library could not start, for want of memory.
        case unavailable
    }

    /// What stands around the stream.
    package enum Wrapper: Int32, Sendable {
        /// No header and no checksum.
        case none = -15
        /// RFC 1952, with header, checksum and length.
        case gzip = 31
    }

    private static let chunk = 16 << 10

    /// What the stream holds; at most `limit` bytes, however small the stream is.
    package static func inflate(
        _ input: [UInt8], limit: Int, wrapper: Wrapper = .none
    ) throws(Problem) -> [UInt8] {
        var stream = z_stream()
        guard inflateInit2_(&stream, wrapper.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .unavailable
        }
        defer { inflateEnd(&stream) }
        let (output, status) = run(&stream, input, limit: limit) { CZlib.inflate($0, Z_NO_FLUSH) }
        switch status {
        case Z_STREAM_END where output.count > limit: throw .tooLarge
        case Z_STREAM_END: break
        case Z_OK where output.count > limit: throw .tooLarge
        case Z_OK, Z_BUF_ERROR: throw .truncated
        case Z_MEM_ERROR: throw .unavailable
        default: throw .malformed
        }
        guard stream.avail_in == 0 else { throw .trailing }
        return output
    }

    /// A stream that holds the bytes.
    package static func deflate(_ input: [UInt8], wrapper: Wrapper = .none) throws(Problem) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, wrapper.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
                == Z_OK
        else { throw .unavailable }
        defer { deflateEnd(&stream) }
        let (output, status) = run(&stream, input, limit: .max) { CZlib.deflate($0, Z_FINISH) }
        guard status == Z_STREAM_END else { throw .unavailable }
        return output
    }

    /// Works until the stream ends, fails, lacks input, or has given more than the limit. Leaves in `stream` how much of
    /// the input was not needed.
    private static func run(
        _ stream: inout z_stream, _ input: [UInt8], limit: Int, step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> (output: [UInt8], status: Int32) {
        var input = input
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: chunk)
        let status = input.withUnsafeMutableBufferPointer { source -> Int32 in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(clamping: source.count)
            while true {
                let (status, count) = buffer.withUnsafeMutableBufferPointer { target -> (Int32, Int) in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    let status = step(&stream)
                    return (status, target.count - Int(stream.avail_out))
                }
                output += buffer[..<count]
                guard status == Z_OK, output.count <= limit else { return status }
            }
        }
        return (output, status)
    }
}
