import Foundation
import Testing

@testable import MeroKit

@Suite struct JsonRpcAnswerTests {
    private func output<T: Decodable>(_ body: String, as type: T.Type = T.self) throws -> T {
        try JsonRpcAnswer.output(of: Data(body.utf8))
    }

    private func error(_ body: String) -> RpcError? {
        do {
            let _: JSONValue = try output(body)
        } catch MeroError.rpc(let error) {
            return error
        } catch {}
        return nil
    }

    @Test func readsTheOutput() throws {
        #expect(try output(#"{"jsonrpc":"2.0","id":1,"result":{"output":{"a":[1,2]}}}"#) == ["a": [1, 2]])
        #expect(try output(#" {"result" : {"x":1,"output" : "v"}, "error":null }"#) == "v")
        #expect(try output(#"{"result":{"output":18446744073709551615}}"#) == UInt64.max)
        #expect(try output(#"{"result":{"output":[-9223372036854775808]}}"#) == [Int64.min])
        #expect(
            try output(#"{"result":{"output":{"n":18446744073709551615}}}"#, as: RawJSON.self).text
                == #"{"n":18446744073709551615}"#)
    }

    @Test(arguments: [#"{"result":{"output":null}}"#, #"{"result":{}}"#, #"{"result":null}"#])
    func aNullOutputIsAValueOnlyWhereNothingIsOne(body: String) throws {
        struct Nothing: Decodable {}
        #expect(try output(body, as: Int?.self) == nil)
        #expect(try output(body, as: JSONValue.self) == .null)
        _ = try output(body, as: Empty.self)
        _ = try output(body, as: Nothing.self)
        let error = #expect(throws: MeroError.self) { try output(body, as: Int.self) }
        guard case .emptyResponse(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text == "JSON-RPC result had no output")
    }

    @Test(arguments: [
        "", "null", "[]", "1", "{}", #"{"result":5}"#, #"{"error":null}"#, "<html>", #"{"result":{"output":1}"#,
        #"{"result":{"output":"x"}}"#, #"{"result":{"output":1}} x"#, #"{"result":{"output":1e999}}"#,
    ])
    func anythingElseIsADecodingError(body: String) {
        let error = #expect(throws: MeroError.self) { try output(body, as: Int.self) }
        guard case .decoding(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text == "JSON-RPC response: " + body)
    }

    @Test func mapsErrors() throws {
        let refused = try #require(
            error(#"{"jsonrpc":"2.0","id":1,"error":{"type":"ReadOnlyWriteRefused","data":{"context_id":"ctx-9"}}}"#))
        #expect(refused.code == -1 && refused.isReadOnlyWriteRefused && refused.refusedContextId == "ctx-9")
        #expect(refused.message.contains("read-only") && refused.message.contains("ctx-9"))
        let unknown = try #require(error(#"{"error":{"type":"MethodNotFound","data":{"method":"m"}}}"#))
        #expect(unknown == RpcError(code: -1, message: "MethodNotFound", type: "MethodNotFound", data: ["method": "m"]))
        #expect(
            error(#"{"error":{"type":"FunctionCallError","data":"no such post"}}"#)?.message
                == "FunctionCallError: no such post")
        #expect(
            error(#"{"error":{"code":-32000,"message":"boom","type":"ContractError"}}"#)
                == RpcError(code: -32000, message: "boom", type: "ContractError"))
        #expect(error(#"{"error":{},"result":{"output":1}}"#) == RpcError(code: -1, message: "RPC error"))
        #expect(error(#"{"error":{"type":"T","data":null}}"#)?.data == .some(.null))
        #expect(error(#"{"error":"boom"}"#)?.message == "boom")
        #expect(error(#"{"error":{"code":1e300,"type":7,"message":[]}}"#) == RpcError(code: -1, message: "RPC error"))
        #expect(RpcError(code: 1, message: "", type: "Other", data: ["context_id": "c"]).refusedContextId == nil)
    }

    @Test func writesExactlyTheDocumentedRequest() throws {
        let body = JsonRpcRequest.execute(
            contextId: "c\"1", method: "mé\n", arguments: Data(#"{"n":18446744073709551615}"#.utf8),
            executorPublicKey: nil)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":1,"method":"execute","params":{"contextId":"c\"1","method":"mé\n","argsJson":{"n":18446744073709551615}}}"#
        )
        let named = JsonRpcRequest.execute(
            contextId: "c", method: "m", arguments: Data("{}".utf8), executorPublicKey: "k")
        let params = try MeroJSON.decode(JSONValue.self, from: named)["params"]
        #expect(params?["executorPublicKey"] == "k" && params?.objectValue?.count == 4)
    }

    @Test func argumentsThatJSONCannotExpressAreRefusedBeforeAnythingIsSent() async {
        let engine = ScriptedEngine { _, _ in .status(200) }
        let rpc = RpcClient(http: URLSessionHttpClient(baseURL: URL(fileURLWithPath: "/"), engine: engine))
        for value in [Double.nan, .infinity, -.infinity] {
            await #expect(throws: MeroError.self) {
                let _: Empty = try await rpc.execute(contextId: "c", method: "m", argsJson: ["x": .number(value)])
            }
        }
        #expect(engine.requests.isEmpty)
    }
}
