import Foundation
import MeroKit

/// Stands between a client and a node, keeps every byte that passes, and may change what the node says.
final class Wiretap: Sendable {
    private let server: ScriptedServer
    private let state: Locked<State>

    private struct State {
        var up = Data()
        var down = Data()
        var change: (@Sendable (inout Data, _ offset: Int) -> Void)?
    }

    var url: URL { URL(string: server.url) ?? URL(fileURLWithPath: "/") }
    /// What clients sent.
    var up: Data { state.withLock { $0.up } }
    /// What the node sent, before any change.
    var down: Data { state.withLock { $0.down } }

    /// Changes what passes from now on. The offset is that of the piece among all bytes since this call.
    func change(_ change: (@Sendable (inout Data, _ offset: Int) -> Void)?) {
        state.withLock { state in
            state.change = change
            state.down = Data()
            state.up = Data()
        }
    }

    init(to port: UInt16) throws {
        let state = Locked(State())
        self.state = state
        server = try ScriptedServer { peer in
            let upstream = try LoopbackSocket.connected(to: port)
            defer { close(upstream) }
            let returning = Thread {
                while let data = LoopbackSocket.receive(from: upstream) {
                    let (change, offset) = state.withLock { state in
                        defer { state.down += data }
                        return (state.change, state.down.count)
                    }
                    var passed = data
                    change?(&passed, offset)
                    guard (try? peer.send(passed)) != nil else { break }
                }
                peer.endSending()
            }
            returning.start()
            while let data = peer.readSome() {
                state.withLock { $0.up += data }
                guard LoopbackSocket.send(data, to: upstream) else { break }
            }
            shutdown(upstream, Int32(SHUT_RDWR))
            while !returning.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        }
    }

    func stop() { server.stop() }
}
