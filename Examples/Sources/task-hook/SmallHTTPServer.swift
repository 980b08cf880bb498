import Foundation

/// Takes one request per connection, on loopback: just enough HTTP for a webhook behind a proxy that speaks TLS.
///
/// A thread of its own accepts, and one more for each connection reads; nothing blocks Swift's own threads.
struct SmallHTTPServer {
    struct Request: Sendable {
        var method: String
        var path: String
        /// Lower-cased names.
        var headers: [String: String]
        var body: Data
    }

    struct Answer: Sendable {
        var status: Int
        var text: String
    }

    let port: UInt16
    private let listener: Int32
    private static let headLimit = 16 << 10
    private static let bodyLimit = 64 << 10
    private static let seconds = 10

    /// 0 takes a free port. Throws `POSIXError`.
    init(port: UInt16) throws {
        #if canImport(Darwin)
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// Answers requests for as long as the process runs.
    func serve(_ handler: @escaping @Sendable (Request) async -> Answer) {
        let listener = listener
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 {
                    // No descriptor is left, or the caller has gone again: the next one may fare better.
                    usleep(10_000)
                    continue
                }
                Thread.detachNewThread {
                    var limit = timeval(tv_sec: Self.seconds, tv_usec: 0)
                    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                    guard let request = Self.read(connection) else {
                        return Self.send(Answer(status: 400, text: "That is no request for this server."), connection)
                    }
                    Task {
                        let answer = await handler(request)
                        Thread.detachNewThread { Self.send(answer, connection) }
                    }
                }
            }
        }
    }

    private static func read(_ connection: Int32) -> Request? {
        var bytes = Data()
        func more() -> Bool {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            bytes.append(contentsOf: buffer[..<count])
            return true
        }
        let separator = Data("\r\n\r\n".utf8)
        while bytes.range(of: separator) == nil {
            guard bytes.count < headLimit, more() else { return nil }
        }
        guard let end = bytes.range(of: separator) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let first = lines[0].split(separator: " ")
        guard first.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        guard let size = Int(headers["content-length"] ?? "0"), (0...bodyLimit).contains(size) else { return nil }
        while bytes.count - end.upperBound < size { guard more() else { return nil } }
        return Request(
            method: String(first[0]), path: String(first[1]), headers: headers,
            body: Data(bytes[end.upperBound...].prefix(size)))
    }

    private static func send(_ answer: Answer, _ connection: Int32) {
        let body = Data((answer.text + "\n").utf8)
        let head =
            "HTTP/1.1 \(answer.status) \(answer.status < 400 ? "OK" : "Error")\r\n"
            + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        let bytes = [UInt8](Data(head.utf8) + body)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            if count <= 0 { break }
            sent += count
        }
        close(connection)
    }
}
