import Foundation

@testable import MeroKit

/// Answers what a test gives it, and everything else by a byte now and then, without end: nothing that waits for a pause
/// ever ends.
final class DrippingServer: Sendable {
    private let server: ScriptedServer
    private let drops = Locked(0)

    /// - Parameters:
    ///   - pace: Seconds between two bytes.
    ///   - length: Of the body that is promised; the last byte of it ends the answer.
    ///   - answer: A whole answer; nil drips.
    init(
        pace: TimeInterval = 0.02, length: Int = 1 << 20,
        _ answer: @escaping @Sendable (ScriptedRequest) -> String? = { _ in nil }
    ) throws {
        let drops = self.drops
        server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                if let whole = answer(request) {
                    try peer.send(whole)
                    continue
                }
                // Part of the pacing is in the head already, where no body has begun.
                for byte in "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n".utf8.prefix(4) {
                    try peer.send(Data([byte]))
                    usleep(UInt32(pace * 1e6))
                }
                try peer.send("/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n")
                for sent in 0..<length {
                    try peer.send(sent == 0 ? "{" : sent == length - 1 ? "}" : " ")
                    drops.withLock { $0 += 1 }
                    usleep(UInt32(pace * 1e6))
                }
            }
        }
    }

    var url: String { server.url }
    var requests: [ScriptedRequest] { server.requests }
    /// Bytes of bodies so far.
    var dripped: Int { drops.withLock { $0 } }

    func stop() { server.stop() }

    static func json(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
