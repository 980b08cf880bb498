import Foundation

/// Runs blocking code on a thread of its own: on the cooperative pool it would starve the handlers under test.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// True as soon as the condition holds; false after ten seconds of looking, during which this process really ran.
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
    for _ in 0..<10_000 {
        if condition() { return true }
        try? await Task.sleep(nanoseconds: 1_000_000)
    }
    return condition()
}

/// One TCP connection, spoken to byte by byte.
final class RawClient {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Response {
        var status: Int
        var headers: [String: String]
        var body: Data
        /// False when the connection ended before the body did.
        var isComplete: Bool

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let descriptor: Int32
    private var isOpen = true
    private var buffer = Data()

    /// Throws a `POSIXError` when it cannot connect.
    init(_ port: UInt16) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            // A process that another test starts must not keep the connection open.
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        var wait = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        let result = Self.withLoopback(port) { Foundation.connect(descriptor, $0, $1) }
        guard result == 0 else {
            let code = errno
            Foundation.close(descriptor)
            isOpen = false
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
        }
    }

    deinit { close() }

    private static func withLoopback<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Identifies a socket of this process beyond the life of its descriptor; nil when it is not bound to this port.
    private static func identity(_ descriptor: Int32, ifBoundTo port: UInt16?) -> UInt64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        guard let port else { return UInt64(status.st_ino) }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET), address.sin_port == port.bigEndian else {
            return nil
        }
        return UInt64(status.st_ino)
    }

    /// The open sockets of this process that are bound to a port, or all open descriptors.
    static func identities(boundTo port: UInt16?) -> Set<UInt64> {
        Set((0..<Int32(getdtablesize())).compactMap { identity($0, ifBoundTo: port) })
    }

    func close() {
        if isOpen { Foundation.close(descriptor) }
        isOpen = false
    }

    /// Ends both directions, so that a read on another thread returns.
    func abort() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    func closeSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    func send(_ text: String) throws { try send(Data(text.utf8)) }

    func send(_ data: Data) throws {
        var sent = 0
        try data.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            while sent < bytes.count {
                let count = Foundation.send(descriptor, start + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                guard count > 0 else { throw Failure(description: "send: \(String(cString: strerror(errno)))") }
                sent += count
            }
        }
    }

    /// False at the end of the stream, be it orderly or a reset.
    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count > 0 { buffer.append(contentsOf: chunk[..<count]) }
        if count < 0 && errno == EAGAIN { throw Failure(description: "nothing came for 20 s") }
        return count > 0
    }

    /// Everything up to the end of the connection.
    func readToEnd() throws -> Data {
        while try fill() {}
        defer { buffer = Data() }
        return buffer
    }

    func read(upTo mark: String) throws -> Data {
        let mark = Data(mark.utf8)
        while true {
            if let range = buffer.range(of: mark) {
                let found = Data(buffer[buffer.startIndex..<range.upperBound])
                buffer = Data(buffer[range.upperBound...])
                return found
            }
            guard try fill() else { throw Failure(description: "ended before \(mark)") }
        }
    }

    func read(count: Int) throws -> Data {
        while buffer.count < count {
            guard try fill() else { throw Failure(description: "ended after \(buffer.count) of \(count) bytes") }
        }
        let found = Data(buffer.prefix(count))
        buffer = Data(buffer.dropFirst(count))
        return found
    }

    func readHead() throws -> Response {
        let head = try read(upTo: "\r\n\r\n")
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(description: "no status in \(lines[0])")
        }
        return Response(status: status, headers: headers, body: Data(), isComplete: true)
    }

    /// - Parameter isHead: no body follows, whatever the headers say.
    func readResponse(isHead: Bool = false) throws -> Response {
        var response = try readHead()
        if isHead || response.status == 204 || response.status == 304 { return response }
        if response.headers["transfer-encoding"] == "chunked" {
            response.isComplete = try readChunks(into: &response.body)
            return response
        }
        let length = response.headers["content-length"].flatMap { Int($0) } ?? 0
        while buffer.count < length {
            guard try fill() else { break }
        }
        response.isComplete = buffer.count >= length
        response.body = Data(buffer.prefix(length))
        buffer = Data(buffer.dropFirst(length))
        return response
    }

    /// One chunk of a chunked body; nil at its proper end. Throws when the connection ended before.
    func readChunk() throws -> Data? {
        let line = String(decoding: try read(upTo: "\r\n"), as: UTF8.self)
        guard let size = Int(line.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16) else {
            throw Failure(description: "no chunk size in \(line)")
        }
        let piece = try read(count: size + 2)
        return size == 0 ? nil : piece.dropLast(2)
    }

    private func readChunks(into body: inout Data) throws -> Bool {
        while true {
            guard let line = try? read(upTo: "\r\n"),
                let size = Int(
                    String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines), radix: 16),
                let piece = try? read(count: size + 2)
            else {
                body.append(buffer)
                return false
            }
            if size == 0 { return true }
            body.append(piece.dropLast(2))
        }
    }

    func get(_ target: String) throws -> Response {
        try send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        return try readResponse()
    }

    func post(_ target: String, _ body: String) throws -> Response {
        try send("POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try readResponse()
    }
}
