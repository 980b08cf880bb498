import Foundation
import MeroKit
import MeroWebSocket

#if canImport(Glibc)
    import Glibc
#endif

/// Sends back what comes in over a WebSocket: the part that a conformance suite talks to.
///
///     merokit-websocket-echo client 127.0.0.1 9001 Agent    runs every case of a fuzzing server
///     merokit-websocket-echo server 9002                    serves a fuzzing client, until it is killed
@main
enum WebSocketEcho {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func main() throws {
        signal(SIGPIPE, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        if words.count == 4, words[0] == "client", let port = UInt16(words[2]) {
            try runCases(host: words[1], port: port, agent: words[3])
        } else if words.count == 2, words[0] == "server", let port = UInt16(words[1]) {
            try serve(port)
        } else {
            throw Failure(description: "usage: merokit-websocket-echo client HOST PORT AGENT | server PORT")
        }
    }

    // MARK: - As the client

    private static func runCases(host: String, port: UInt16, agent: String) throws {
        var count = 0
        try open(host, port, "/getCaseCount") { event in
            if case .text(let text) = event { count = Int(String(decoding: text, as: UTF8.self)) ?? 0 }
            return nil
        }
        print("\(count) cases")
        for number in stride(from: 1, through: count, by: 1) {
            try open(host, port, "/runCase?case=\(number)&agent=\(agent)") { $0 }
        }
        try open(host, port, "/updateReports?agent=\(agent)") { _ in nil }
    }

    private static func open(
        _ host: String, _ port: UInt16, _ path: String, answer: (WebSocketEvent) -> WebSocketEvent?
    ) throws {
        let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = loopback(port)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(description: "cannot connect to \(host):\(port)") }
        let key = Data(SecureRandom.bytes(16)).base64EncodedString()
        write(
            socket,
            Array(
                """
                GET \(path) HTTP/1.1\r\nHost: \(host):\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n\r\n
                """.utf8))
        let (head, rest) = try readHead(socket)
        guard head.hasPrefix("HTTP/1.1 101") else { throw Failure(description: "no upgrade: \(head)") }
        guard let session = WebSocketSession(.client, messageLimit: 64 << 20) else { return }
        run(session, socket, rest, answer: answer)
    }

    // MARK: - As the server

    private static func serve(_ port: UInt16) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = loopback(port)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0, listen(listener, 16) == 0 else { throw Failure(description: "cannot listen on \(port)") }
        while true {
            let peer = accept(listener, nil, nil)
            guard peer >= 0 else { continue }
            Thread.detachNewThread {
                defer { close(peer) }
                guard let (head, rest) = try? readHead(peer),
                    let line = head.components(separatedBy: "\r\n").first(where: {
                        $0.lowercased().hasPrefix("sec-websocket-key:")
                    })
                else { return }
                let key = line.dropFirst("sec-websocket-key:".count).trimmingCharacters(in: .whitespaces)
                let accept = Data(Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
                write(
                    peer,
                    Array(
                        """
                        HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                        Sec-WebSocket-Accept: \(accept.base64EncodedString())\r\n\r\n
                        """.utf8))
                guard let session = WebSocketSession(.server, messageLimit: 64 << 20) else { return }
                run(session, peer, rest) { $0 }
            }
        }
    }

    // MARK: - Either

    /// Works until the connection is over.
    private static func run(
        _ session: WebSocketSession, _ socket: Int32, _ first: [UInt8], answer: (WebSocketEvent) -> WebSocketEvent?
    ) {
        var input = first
        while true {
            session.receive(input)
            for event in session.takeEvents() {
                switch answer(event) {
                case .text(let text)?: session.send(text: text)
                case .binary(let bytes)?: session.send(binary: bytes)
                default: break
                }
            }
            guard write(socket, session.takeOutput()), !session.isOver else { return }
            var buffer = [UInt8](repeating: 0, count: 65536)
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            input = Array(buffer[..<count])
        }
    }

    private static func readHead(_ socket: Int32) throws -> (String, [UInt8]) {
        var all: [UInt8] = []
        var byte = [UInt8](repeating: 0, count: 1)
        while !all.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard all.count < 65536, recv(socket, &byte, 1, 0) == 1 else { throw Failure(description: "no head") }
            all += byte
        }
        return (String(decoding: all, as: UTF8.self), [])
    }

    @discardableResult
    private static func write(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { send(socket, $0 + sent, bytes.count - sent, 0) } ?? 0
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
