import Foundation
import MeroKit

/// A small HTTP proxy: it forwards plain requests and opens tunnels for `CONNECT`, always to one loopback port, whatever
/// host is asked for. So a host that does not exist can be reached through it, and only through it.
final class ForwardProxy: Sendable {
    private let server: ScriptedServer
    private let heads: Locked<[ScriptedRequest]>

    var url: String { server.url }
    /// First lines of what was asked of the proxy, such as `CONNECT host:443`.
    var asked: [String] { heads.withLock { $0.map { "\($0.method) \($0.target)" } } }

    init(to port: UInt16) throws {
        let heads = Locked<[ScriptedRequest]>([])
        self.heads = heads
        server = try ScriptedServer { peer in
            guard let head = try peer.readHead() else { return }
            heads.withLock { $0.append(head) }
            let upstream = try LoopbackSocket.connected(to: port)
            defer { close(upstream) }
            if head.method == "CONNECT" {
                try peer.send("HTTP/1.1 200 Connection established\r\n\r\n")
            } else {
                // The origin form of the target, and one request a connection: enough for requests without a body.
                let path = URL(string: head.target)?.path ?? "/"
                let kept = head.headers.filter { !["connection", "proxy-connection"].contains($0.name.lowercased()) }
                let lines = kept.map { "\($0.name): \($0.value)\r\n" }.joined()
                let request = "\(head.method) \(path) HTTP/1.1\r\n\(lines)Connection: close\r\n\r\n"
                guard LoopbackSocket.send(Data(request.utf8), to: upstream) else { return }
            }
            let returning = Thread {
                while let data = LoopbackSocket.receive(from: upstream) {
                    guard (try? peer.send(data)) != nil else { break }
                }
                peer.endSending()
            }
            returning.start()
            while let data = peer.readSome() {
                guard LoopbackSocket.send(data, to: upstream) else { break }
            }
            shutdown(upstream, Int32(SHUT_RDWR))
            while !returning.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        }
    }
}
