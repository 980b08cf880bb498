import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// How long a sealed request may take to arrive. Spec: 80, sections 1.5 and 1.7.
@Suite("The time of an envelope") struct EnvelopeTimeTests {
    private static func start(_ change: (inout DevNodeOptions) -> Void = { _ in }) async throws -> DevNode {
        var options = DevNodeOptions()
        change(&options)
        let node = try await DevNode.start(options)
        node.clock.freeze()
        return node
    }

    /// Begins a request whose body is left unfinished.
    private static func begin(
        _ node: DevNode, _ path: String = "/sealed/v2", length: Int = 100, sent: Int = 10
    ) async throws -> RawClient {
        let port = node.port
        return try await offPool {
            let client = try RawClient(port)
            try client.send(
                "POST \(path) HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n")
            // Its time runs from here on: the head has been read.
            _ = try client.read(upTo: "100 Continue\r\n\r\n")
            try client.send(Data(repeating: 2, count: sent))
            return Transferred(client)
        }.client
    }

    /// Hands a client from the thread that made it to the one that goes on with it.
    private struct Transferred: @unchecked Sendable {
        let client: RawClient
        init(_ client: RawClient) { self.client = client }
    }

    private static func response(_ client: RawClient) async throws -> RawClient.Response {
        let client = Transferred(client)
        return try await offPool { try client.client.readResponse() }
    }

    private static func rest(_ client: RawClient, _ bytes: Data = Data()) async throws -> Data {
        let client = Transferred(client)
        return try await offPool {
            if !bytes.isEmpty { try client.client.send(bytes) }
            return try client.client.readToEnd()
        }
    }

    private static func code(_ response: RawClient.Response) -> String? {
        (try? JsonParser.parse(response.body))?["error"]?["code"]?.stringValue
    }

    @Test(arguments: ["", "/n"]) func whatDoesNotComeInTimeIsRefused(prefix: String) async throws {
        let node = try await Self.start { $0.pathPrefix = prefix }
        let client = try await Self.begin(node, prefix + "/sealed/v2")
        node.clock.advance(by: 120)
        let response = try await Self.response(client)
        #expect(response.status == 408 && Self.code(response) == "timeout")
        #expect(response.headers["content-type"] == "application/json" && response.headers["connection"] == "close")
        // Nothing follows, and what is sent all the same leads to nothing.
        #expect(try await Self.rest(client, Data(repeating: 2, count: 90)).isEmpty)
        let record = try #require(node.requests.first)
        #expect(node.requests.count == 1 && record.status == 408 && !record.isComplete && record.bodyLength <= 10)
        #expect(node.handlerRuns("POST", prefix + "/sealed/v2") == 0)
        client.close()
        #expect(await eventually { node.openConnections == 0 })
        await node.stop()
    }

    /// One byte less than all is not all, and nothing at all is not either.
    @Test(arguments: [0, 1, 99]) func howeverMuchHasCome(sent: Int) async throws {
        let node = try await Self.start { $0.sealing.envelopeTime = 7 }
        let client = try await Self.begin(node, sent: sent)
        node.clock.advance(by: 7)
        let response = try await Self.response(client)
        #expect(response.status == 408 && node.requests.first.map { $0.bodyLength <= UInt64(sent) } == true)
        client.close()
        await node.stop()
    }

    /// So late is one that is whole before anybody has looked.
    @Test func whatIsWholeTooLateIsRefused() async throws {
        let node = try await Self.start()
        let client = Transferred(try await Self.begin(node))
        node.clock.advance(by: 1_000)
        let response = try await offPool {
            // The answer may have been given between the two.
            try? client.client.send(Data(repeating: 2, count: 90))
            return try client.client.readResponse()
        }
        #expect(response.status == 408 && Self.code(response) == "timeout")
        await node.stop()
    }

    @Test func whatComesInTimeIsTaken() async throws {
        let node = try await Self.start()
        let client = Transferred(try await Self.begin(node))
        node.clock.advance(by: 119.9)
        let other = try await Self.begin(node)
        node.clock.advance(by: 0)
        let response = try await offPool {
            try client.client.send(Data(repeating: 2, count: 90))
            return try client.client.readResponse()
        }
        // As far as it goes: nobody knows that session.
        #expect(response.status == 409 && Self.code(response) == "unknown_session")
        // Each has a time of its own, and the connection serves the next one.
        node.clock.advance(by: 119)
        let again = try await offPool {
            try client.client.post("/sealed/v2", String(repeating: "\u{2}", count: 100))
        }
        #expect(again.status == 409)
        node.clock.advance(by: 1)
        #expect(try await Self.response(other).status == 408)
        other.close()
        await node.stop()
    }

    /// A body that goes to a file has no more time than another.
    @Test func aLargeOne() async throws {
        let node = try await Self.start()
        let client = try await Self.begin(node, length: 40 << 20, sent: 8 << 20)
        node.clock.advance(by: 120)
        let response = try await Self.response(client)
        #expect(response.status == 408)
        client.close()
        #expect(await eventually { node.openConnections == 0 })
        await node.stop()
    }

    /// Only envelopes have to hurry.
    @Test(arguments: ["/jsonrpc", "/admin-api/contexts", "/sealed/v2/handshake"]) func othersTakeTheirTime(
        path: String
    ) async throws {
        let node = try await Self.start()
        let client = Transferred(try await Self.begin(node, path))
        node.clock.advance(by: 100_000)
        // One that has to is refused meanwhile, so that the node has looked.
        let late = try await Self.begin(node)
        node.clock.advance(by: 120)
        #expect(try await Self.response(late).status == 408)
        let response = try await offPool {
            try client.client.send(Data(repeating: 2, count: 90))
            return try client.client.readResponse()
        }
        #expect(response.status != 408)
        late.close()
        await node.stop()
    }

    @Test func aNodeStopsWithLateOnes() async throws {
        let node = try await Self.start()
        let clients = [try await Self.begin(node), try await Self.begin(node)]
        node.clock.advance(by: 120)
        #expect(try await Self.response(clients[0]).status == 408)
        // Neither has left; the node ends all the same.
        await node.stop()
        #expect(node.openConnections == 0)
        withExtendedLifetime(clients) {}
    }
}
