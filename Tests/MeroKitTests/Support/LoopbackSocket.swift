import Foundation

/// TCP sockets on 127.0.0.1, as plain descriptors.
enum LoopbackSocket {
    struct Failure: Error {
        let code = errno
    }

    /// A socket that holds a free port.
    static func bound() throws -> Int32 {
        let descriptor = try create()
        guard withAddress(port: 0, { bind(descriptor, $0, $1) }) == 0 else { throw Failure() }
        return descriptor
    }

    /// A socket that listens on a free port.
    static func listening(backlog: Int32 = 1024) throws -> Int32 {
        let descriptor = try bound()
        guard listen(descriptor, backlog) == 0 else { throw Failure() }
        return descriptor
    }

    /// A non-blocking socket that has begun to connect.
    static func connecting(to port: UInt16) throws -> Int32 {
        let descriptor = try create()
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = withAddress(port: port) { Foundation.connect(descriptor, $0, $1) }
        return descriptor
    }

    static func connected(to port: UInt16) throws -> Int32 {
        let descriptor = try create()
        guard withAddress(port: port, { Foundation.connect(descriptor, $0, $1) }) == 0 else {
            let failure = Failure()
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    static func port(of descriptor: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw Failure() }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Sends all of it; false when the other side has left.
    static func send(_ data: Data, to descriptor: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = Foundation.send(
                    descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, noSignal)
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    /// Some bytes; nil when the other side has left.
    static func receive(from descriptor: Int32) -> Data? {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        return count > 0 ? Data(chunk[..<count]) : nil
    }

    /// The next connection, closed in processes that the test starts: they would keep it open. Negative when there are no more.
    static func accept(on listener: Int32) -> Int32 {
        let descriptor = Foundation.accept(listener, nil, nil)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    private static func create() throws -> Int32 {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw Failure() }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    private static func withAddress<Result>(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

#if canImport(Glibc)
    private let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    private let noSignal = Int32(MSG_NOSIGNAL)
#else
    private let streamType = SOCK_STREAM
    private let noSignal: Int32 = 0
#endif
