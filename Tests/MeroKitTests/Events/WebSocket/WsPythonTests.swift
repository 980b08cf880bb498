import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

#if os(Linux)
    /// Both ends against an implementation that is not ours.
    @Suite("WebSocket against Python", .enabled(if: PythonPeer.isInstalled, PythonPeer.reason))
    struct WsPythonTests {
        /// Grants subscriptions, echoes executions, and sends events in all the ways a server may.
        private static let server = """
            import json
            from websockets.sync.server import serve
            connections = 0
            def handler(ws):
                global connections
                connections += 1
                if ws.request.headers.get("Authorization") != "Bearer a.b.c" or ws.request.path != "/ws":
                    return ws.close(4000, "wrong request")
                def event(data): return json.dumps({"id": None, "result": {"contextId": "c", "type": "N", "data": data}}, ensure_ascii=False)
                for message in ws:
                    request = json.loads(message)
                    if request["method"] == "subscribe":
                        ws.send(json.dumps({"id": request["id"], "result": {"contextIds": request["params"]["contextIds"]}}))
                        ws.send(event("plain"))
                        ws.ping(b"in between").wait(10)
                        text = event("Gr\\u00fc\\u00dfe \\U0001f30d")
                        ws.send(iter([text[:40], "", text[40:41], text[41:]]))
                        ws.send(b"binary is nothing to a client")
                        ws.send(event("x" * 5_000_000))
                        for n in range(1000): ws.send(event(n))
                        if connections == 1: ws.close(1012, "restarting")
                        else: ws.send(event("again"))
                    else:
                        ws.send(json.dumps({"id": request["id"], "result": {"output": request["params"]["argsJson"]}}))
            with serve(handler, "127.0.0.1", 0, compression="deflate") as server:
                print(server.socket.getsockname()[1])
                server.serve_forever()
            """

        @Test func asTheServer() async throws {
            let script = try PythonPeer.Script(Self.server)
            let port = try #require(await script.line())
            let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
            let client = WsClient(
                baseURL: base, token: { "a.b.c" }, connector: CurlWebSocketConnector(timing: .quick), timing: .quick)
            let record = WsRecord(client)
            var data: [JSONValue] = []
            for try await event in client.events(contextIds: ["c"]) {
                let value = event.payload["data"] ?? .null
                data.append(value)
                if value == "again" { break }
            }
            let once: [JSONValue] =
                ["plain", "Gr\u{fc}\u{df}e \u{1f30d}", .string(String(repeating: "x", count: 5_000_000))]
                + (0..<1000).map { .number(Double($0)) }
            // The server drops the connection in between, which leaves a mark.
            #expect(data == once + [.null] + once + ["again"])
            client.connect()
            try await eventually {
                let back: [String: String]? = try? await client.execute(
                    contextId: "c", method: "m", argsJson: ["a": "\u{1f30d}"])
                return back == ["a": "\u{1f30d}"]
            }
            let long = String(repeating: "y", count: 900_000)
            let back: [String: String] = try await client.execute(
                contextId: "c", method: "m", argsJson: ["a": .string(long)])
            #expect(back["a"] == long)
            #expect(record.errors.isEmpty)
            client.close()
            withExtendedLifetime(script) {}
        }

        private static let client = """
            import json, sys
            from websockets.sync.client import connect
            from websockets.exceptions import ConnectionClosed, InvalidStatus
            url, token, context = sys.argv[1:4]
            try:
                connect(url, additional_headers={"Authorization": "Bearer nonsense"})
            except InvalidStatus as error:
                print("refused", error.response.status_code)
            ws = connect(url, additional_headers={"Authorization": "Bearer " + token}, max_size=None)
            print("protocol", ws.subprotocol, ws.protocol.extensions)
            def ask(**request):
                text = json.dumps(request)
                # In pieces, so that the node has to join them.
                ws.send(iter([text[:7], text[7:8], text[8:]]))
                return json.loads(ws.recv())
            print("subscribed", ask(id=1, method="subscribe", params={"contextIds": [context]})["result"]["contextIds"] == [context])
            print("pong", ws.ping(b"x" * 125).wait(10))
            ws.send(json.dumps({"id": 2, "method": "execute", "params": {"contextId": context, "method": "increment", "argsJson": {}}}))
            both = [json.loads(ws.recv()), json.loads(ws.recv())]
            print("event", [m["result"]["type"] for m in both if m["id"] is None], "output", [m["result"]["output"] for m in both if m["id"] == 2])
            big = "z" * 900_000
            print("echo", ask(id=3, method="execute", params={"contextId": context, "method": "echo", "argsJson": big})["result"]["output"] == big)
            ws.send(b"ignored")
            print("ready")
            for message in range(500):
                assert json.loads(ws.recv())["result"]["data"] == message
            print("counted")
            try:
                ws.recv()
            except ConnectionClosed as error:
                print("closed", error.rcvd.code, error.rcvd.reason, error.rcvd_then_sent)
            ws = connect(url, additional_headers={"Authorization": "Bearer " + token})
            ws.close(1000, "bye")
            print("code", ws.close_code)
            """

        @Test func asTheClient() async throws {
            try await WsFixture.start { $0.eventBacklog = 1000 }.run { fixture in
                let token = fixture.token.withLock { $0 ?? "" }
                let script = try PythonPeer.Script(
                    Self.client, ["ws://127.0.0.1:\(fixture.node.port)/ws", token, fixture.context])
                #expect(await script.line() == "refused 401")
                #expect(await script.line() == "protocol None []")
                #expect(await script.line() == "subscribed True")
                #expect(await script.line() == "pong True")
                #expect(await script.line() == "event ['StateMutation'] output [1]")
                #expect(await script.line() == "echo True")
                #expect(await script.line() == "ready")
                fixture.emit(0..<500)
                #expect(await script.line() == "counted")
                fixture.node.webSockets.closeAll(code: 1012, reason: "restarting")
                #expect(await script.line() == "closed 1012 restarting True")
                #expect(await script.line() == "code 1000")
                try await eventually { fixture.node.openConnections == 0 }
            }
        }
    }
#endif
