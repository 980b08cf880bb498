import Foundation
import Testing

@testable import MeroKit

/// Answers with more in them than they announce, or with an announcement that contradicts itself: what is left on the
/// connection is no answer to the next request.
@Suite("What is left behind an answer") struct EngineLeftoverTests {
    private static let wrong = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
    private static let right = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"

    private static let heads = [
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nContent-Length: 47\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 47\r\n\r\n",
        "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 49\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 49\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 2, 49\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 49\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ]

    /// - Parameter isLate: The rest comes when the answer has been read, not along with it.
    @Test(arguments: EngineUnderTest.thatSurviveCutHeads, [false, true])
    func isNoAnswerToAnother(engine kind: EngineUnderTest, isLate: Bool) async throws {
        for (index, head) in Self.heads.enumerated() {
            for method in ["GET", "POST", "HEAD"] {
                let (isRead, isLeft) = (DispatchSemaphore(value: 0), Locked(false))
                // What is sent next is sent whole, wherever it has to go.
                let body = index % 2 == 0 ? Data() : Data(repeating: 7, count: 100_000)
                let server = try ScriptedServer { peer in
                    while let request = try peer.readRequest() {
                        guard request.target == "/odd" else {
                            try peer.send(request.body == body ? Self.right : Self.wrong)
                            continue
                        }
                        if isLate {
                            try peer.send(head)
                            isRead.wait()
                            defer { isLeft.withLock { $0 = true } }
                            try peer.send(Self.wrong)
                        } else {
                            try peer.send(head + Self.wrong)
                        }
                    }
                }
                let engine = try kind.make()
                let odd = EngineRequest(server.url + "/odd", method: method, timeout: 2)
                let first = try? await engine.perform(odd)
                isRead.signal()
                if isLate { try await eventually { isLeft.withLock { $0 } } }
                if let first, method == "HEAD" { #expect(first.body.isEmpty) }
                for _ in 0..<3 {
                    let next = try await engine.perform(
                        EngineRequest(
                            server.url + "/next", method: body.isEmpty ? "GET" : "POST",
                            body: body.isEmpty ? .none : .bytes(body), timeout: 20))
                    let text = String(decoding: next.body, as: UTF8.self)
                    #expect(text == "right", "\(method) \(index), late: \(isLate): the rest was taken for an answer")
                }
                server.stop()
            }
        }
    }
}
