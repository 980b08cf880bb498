import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// A client of `GET /sse` that takes down every byte. A thread of its own reads until the stream is over.
final class SseTap: Sendable {
    struct Frame: Sendable, Equatable {
        var event: String?
        var id: String?
        var retry: String?
        var data: String

        var json: JsonTree { (try? JsonParser.parse(data.utf8)) ?? .null }
        var result: JsonTree { json["result"] ?? .null }
        var type: String? { result["type"]?.stringValue }
    }

    enum End: Sendable, Equatable {
        case proper
        case abrupt
    }

    private struct State {
        var text = Data()
        var pieces: [Int] = []
        var end: End?
    }

    /// Lets the thread have the client. Safe to share: after the head only that thread uses it, but for `abort`, which
    /// touches nothing but the descriptor that the client never changes.
    private struct Handover: @unchecked Sendable {
        let client: RawClient
    }

    let head: RawClient.Response
    private let handover: Handover
    private let state: Locked<State>

    private init(head: RawClient.Response, handover: Handover, state: Locked<State>) {
        self.head = head
        self.handover = handover
        self.state = state
    }

    deinit { leave() }

    /// Opens a stream; an answer other than 200 is read to its end.
    static func open(
        _ node: DevNode, _ target: String = "/sse", token: String? = nil, headers: [(String, String)] = []
    ) async throws -> SseTap {
        var request = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
        if let token { request += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        let port = node.port
        return try await offPool { [request] in
            let client = try RawClient(port)
            try client.send(request + "\r\n")
            let handover = Handover(client: client)
            let state = Locked(State())
            let head = try client.readHead()
            let tap = SseTap(head: head, handover: handover, state: state)
            Thread.detachNewThread {
                let end: End
                do {
                    while let chunk = try handover.client.readChunk() {
                        state.withLock { state in
                            state.text.append(chunk)
                            state.pieces.append(chunk.count)
                        }
                    }
                    end = .proper
                } catch {
                    end = .abrupt
                }
                state.withLock { $0.end = end }
            }
            return tap
        }
    }

    func leave() { handover.client.abort() }

    var sessionId: String { head.headers["x-sse-session-id"] ?? "" }
    var end: End? { state.withLock { $0.end } }
    var text: String { String(decoding: state.withLock { $0.text }, as: UTF8.self) }
    /// The sizes of the chunks the body came in.
    var pieces: [Int] { state.withLock { $0.pieces } }
    var comments: Int { blocks.filter { $0.hasPrefix(":") }.count }

    private var blocks: [String] { text.components(separatedBy: "\n\n").dropLast() }

    /// The frames that are whole.
    var frames: [Frame] {
        blocks.filter { !$0.hasPrefix(":") }.map { block in
            var frame = Frame(data: "")
            for line in block.components(separatedBy: "\n") {
                guard let range = line.range(of: ": ") else { continue }
                let value = String(line[range.upperBound...])
                switch line[..<range.lowerBound] {
                case "event": frame.event = value
                case "id": frame.id = value
                case "retry": frame.retry = value
                default: frame.data += value
                }
            }
            return frame
        }
    }

    /// What came behind the connect frame.
    var events: [Frame] { Array(frames.dropFirst()) }
    var types: [String?] { events.map(\.type) }
    /// The numbers in the ids of the frames.
    var numbers: [Int] { frames.compactMap { $0.id?.split(separator: "-").last.flatMap { Int($0) } } }

    func has(frames count: Int) async -> Bool { await eventually { self.frames.count >= count } }
    func ended(_ end: End) async -> Bool { await eventually { self.end != nil } && self.end == end }
}

extension NodeFixture {
    func subscription(
        _ session: String, _ method: String = "subscribe", contexts: [String] = [], groups: [String] = [],
        token: String
    ) async throws -> Answer {
        try await post(
            "/sse/subscription",
            [
                "id": .string(session), "method": .string(method),
                "params": ["contextIds": JsonTree(contexts), "groupIds": JsonTree(groups)],
            ], token: token)
    }

    /// An open stream with subscriptions.
    func listen(
        contexts: [String] = [], groups: [String] = [], token: String
    ) async throws -> SseTap {
        let tap = try await SseTap.open(node, token: token)
        let answer = try await subscription(tap.sessionId, contexts: contexts, groups: groups, token: token)
        try #require(answer.status == 200)
        return tap
    }
}
