import Foundation
import MeroKit

/// A TCP server on a free loopback port. A closure on a thread of its own plays the server's side of each connection,
/// byte by byte, so that it can also do what no real server would.
final class ScriptedServer: Sendable {
    struct Failure: Error {}

    let port: UInt16
    var url: String { "http://127.0.0.1:\(port)" }

    private let listener: Int32
    private let state = Locked(State())

    private struct State {
        var isStopped = false
        var peers: [ScriptedPeer] = []
        var accepted = 0
        var requests: [ScriptedRequest] = []
    }

    /// - Parameter play: Called for each connection; when it returns or throws, the connection is closed.
    init(_ play: @escaping @Sendable (ScriptedPeer) throws -> Void) throws {
        let listener = try LoopbackSocket.listening()
        self.listener = listener
        port = try LoopbackSocket.port(of: listener)
        Thread.detachNewThread { [weak self] in
            // Closed here and nowhere else: closed under a running `accept`, its number would be another socket's by the
            // next call, and this thread would take that one's connections away.
            defer { close(listener) }
            while true {
                let descriptor = LoopbackSocket.accept(on: listener)
                guard descriptor >= 0 else { return }
                guard let self, self.serve(descriptor, play) else {
                    close(descriptor)
                    return
                }
            }
        }
    }

    /// A server that reads whole requests and gives each the bytes that `answer` returns, for as long as the client
    /// keeps the connection.
    static func answering(_ answer: @escaping @Sendable (ScriptedRequest) -> String) throws -> ScriptedServer {
        try ScriptedServer { peer in
            while let request = try peer.readRequest() { try peer.send(answer(request)) }
        }
    }

    deinit { stop() }

    /// Ends the listener and every connection.
    func stop() {
        let peers = state.withLock { state -> [ScriptedPeer]? in
            if state.isStopped { return nil }
            state.isStopped = true
            return state.peers
        }
        guard let peers else { return }
        // Where a shutdown does not wake the thread that accepts, a last connection does.
        shutdown(listener, Int32(SHUT_RDWR))
        if let waker = try? LoopbackSocket.connecting(to: port) { close(waker) }
        for peer in peers { peer.interrupt() }
    }

    /// Connections accepted so far.
    var connections: Int { state.withLock { $0.accepted } }
    /// Connections that nobody has ended yet.
    var openConnections: Int { state.withLock { $0.peers.count } }
    /// Requests read so far (by `readRequest`), in the order of their arrival.
    var requests: [ScriptedRequest] { state.withLock { $0.requests } }

    /// False once the server is stopped.
    private func serve(_ descriptor: Int32, _ play: @escaping @Sendable (ScriptedPeer) throws -> Void) -> Bool {
        let peer = state.withLock { state -> ScriptedPeer? in
            if state.isStopped { return nil }
            let peer = ScriptedPeer(descriptor, index: state.accepted) { [weak self] request in
                self?.state.withLock { $0.requests.append(request) }
            }
            state.accepted += 1
            state.peers.append(peer)
            return peer
        }
        guard let peer else { return false }
        let thread = Thread { [weak self] in
            try? play(peer)
            self?.state.withLock { state in state.peers.removeAll { $0 === peer } }
            peer.close()
        }
        thread.stackSize = 256 * 1024
        thread.start()
        return true
    }
}

/// A request as it came over the wire.
struct ScriptedRequest: Sendable {
    var method: String
    var target: String
    var headers: [(name: String, value: String)]
    var body: Data
    /// The connection that it came on, counted from 0.
    var connection: Int

    /// The values of a header, whatever its case.
    func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// The server's end of one connection.
final class ScriptedPeer: Sendable {
    /// Which connection this is, counted from 0.
    let index: Int
    private let state: Locked<(descriptor: Int32, buffer: Data)>
    private let record: @Sendable (ScriptedRequest) -> Void
    private let stopped = DispatchSemaphore(value: 0)

    fileprivate init(
        _ descriptor: Int32, index: Int, record: @escaping @Sendable (ScriptedRequest) -> Void
    ) {
        self.index = index
        self.record = record
        state = Locked((descriptor, Data()))
    }

    /// The next request with its body; nil when the client has left.
    func readRequest() throws -> ScriptedRequest? {
        guard let head = try readHead() else { return nil }
        var request = head
        if head.values("Transfer-Encoding").contains(where: { $0.lowercased() == "chunked" }) {
            request.body = try readChunks()
        } else if let length = head.values("Content-Length").first.flatMap(Int.init) {
            guard let body = try read(exactly: length) else { throw ScriptedServer.Failure() }
            request.body = body
        }
        record(request)
        return request
    }

    /// The next request's head; its body, if any, is left unread.
    func readHead() throws -> ScriptedRequest? {
        let end = Data("\r\n\r\n".utf8)
        var buffer = takeBuffer()
        var searched = 0
        while true {
            if let range = buffer.range(of: end, in: max(0, searched - 3)..<buffer.count) {
                let lines = String(decoding: buffer[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                putBack(Data(buffer[range.upperBound...]))
                let start = lines[0].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
                guard start.count == 3 else { throw ScriptedServer.Failure() }
                let headers = lines.dropFirst().map { line -> (name: String, value: String) in
                    let colon = line.firstIndex(of: ":") ?? line.endIndex
                    return (
                        String(line[..<colon]), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
                    )
                }
                return ScriptedRequest(
                    method: start[0], target: start[1], headers: headers, body: Data(), connection: index)
            }
            searched = buffer.count
            guard let more = receive() else { return nil }
            buffer.append(more)
        }
    }

    /// Some bytes of what the client sends; nil when it has left.
    func readSome() -> Data? {
        let buffered = takeBuffer()
        return buffered.isEmpty ? receive() : buffered
    }

    /// Waits until the client has left.
    func waitForEnd() {
        while receive() != nil {}
    }

    /// Reads nothing and sends nothing until the server is stopped.
    func waitForStop() {
        stopped.wait()
        stopped.signal()
    }

    func send(_ text: String) throws { try send(Data(text.utf8)) }

    func send(_ data: Data) throws {
        let descriptor = state.withLock { $0.descriptor }
        guard LoopbackSocket.send(data, to: descriptor) else { throw ScriptedServer.Failure() }
    }

    /// Tells the client that nothing more will come.
    func endSending() {
        state.withLock { state in
            if state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_WR)) }
        }
    }

    /// Ends the connection with a reset instead of an orderly end.
    func reset() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(state.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        close()
    }

    func close() {
        state.withLock { state in
            if state.descriptor >= 0 { Foundation.close(state.descriptor) }
            state.descriptor = -1
        }
    }

    /// Wakes the thread that plays this connection.
    fileprivate func interrupt() {
        stopped.signal()
        state.withLock { state in
            if state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func takeBuffer() -> Data {
        state.withLock { state in
            defer { state.buffer = Data() }
            return state.buffer
        }
    }

    private func putBack(_ data: Data) { state.withLock { $0.buffer = data } }

    private func receive() -> Data? {
        LoopbackSocket.receive(from: state.withLock { $0.descriptor })
    }

    private func read(exactly length: Int) throws -> Data? {
        var buffer = takeBuffer()
        while buffer.count < length {
            guard let more = receive() else { return nil }
            buffer.append(more)
        }
        putBack(Data(buffer[length...]))
        return Data(buffer[..<length])
    }

    private func readLine() throws -> String {
        var buffer = takeBuffer()
        while true {
            if let range = buffer.range(of: Data("\r\n".utf8)) {
                putBack(Data(buffer[range.upperBound...]))
                return String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
            }
            guard let more = receive() else { throw ScriptedServer.Failure() }
            buffer.append(more)
        }
    }

    private func readChunks() throws -> Data {
        var body = Data()
        while true {
            guard let length = Int(try readLine(), radix: 16), let chunk = try read(exactly: length) else {
                throw ScriptedServer.Failure()
            }
            body.append(chunk)
            _ = try readLine()
            if length == 0 { return body }
        }
    }
}
