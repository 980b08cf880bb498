import Foundation
import Testing

@testable import MeroKit

@Suite("What the other side said")
struct FailureReasonTests {
    private static func http(_ body: String?) -> HTTPError {
        HTTPError(status: 400, statusText: "Bad Request", url: "https://n.example/x", headers: [:], bodyText: body)
    }

    @Test("The description of an HTTP error is its status, the reason what the body says")
    func http() {
        let cases: [(body: String?, reason: String?)] = [
            (nil, nil), ("", nil), ("<html>", nil), (#"{"error":{"message":"x"}}"#, nil),
            (#"{"error":"warrant is not hex"}"#, "warrant is not hex"),
            (#"{"data":null,"error":"Key not found"}"#, "Key not found"),
            (#"{"error":"function call error: no","type":"FunctionCallError","data":"no"}"#, "no"),
            (#"{"error":"elsewhere","type":"ContextNotFound","data":{"context_id":"a"}}"#, "elsewhere"),
        ]
        for (body, reason) in cases {
            for error in [MeroError.http(Self.http(body)), .authRevoked(reason: "r", http: Self.http(body))] {
                #expect(error.failureReason == reason, "\(body ?? "no body")")
                #expect(error.errorDescription?.hasSuffix("HTTP 400 Bad Request") == true)
            }
        }
    }

    @Test("A method's error reads the same by JSON-RPC and in a refusal")
    func sameOnBothWays() {
        let data = JSONValue.string("key not found: none")
        let rpc = MeroError.rpc(RpcError(code: nil, message: nil, type: "FunctionCallError", data: data))
        let http = MeroError.http(
            Self.http(
                #"{"error":"function call error: key not found: none","type":"FunctionCallError","data":"key not found: none"}"#
            ))
        for error in [rpc, http] {
            #expect(error.errorType == "FunctionCallError")
            #expect(error.errorData == data)
            #expect(error.failureReason == "key not found: none")
        }
        #expect(rpc.errorDescription == "RPC error -1: FunctionCallError: key not found: none")
    }

    @Test("Errors without an answer have no reason of their own")
    func others() {
        for error in [
            MeroError.network("x"), .decoding("x"), .emptyResponse("x"), .authenticationFailed("x"), .noCredentials,
            .noRefreshToken,
        ] {
            #expect(error.failureReason == nil && error.errorData == nil)
        }
    }
}
