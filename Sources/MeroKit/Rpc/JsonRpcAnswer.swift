import Foundation

/// Reads JSON-RPC answers. `output` is decoded from its own bytes, so that 64-bit integers survive. Spec: 40, 1.3 to 1.5.
enum JsonRpcAnswer {
    private static let members = JSONMembers.Paths([["error"], ["result"], ["result", "output"]])

    static func output<T: Decodable>(of body: Data) throws -> T {
        let reply: JSONMembers
        do {
            reply = try JSONMembers(body, at: members)
        } catch {
            throw unreadable(body)
        }
        try throwError(in: reply, of: body)
        guard let result = reply["result"], result.first == UInt8(ascii: "{") || reply.isNull("result") else {
            throw unreadable(body)
        }
        guard let output = reply["result", "output"], !reply.isNull("result", "output") else {
            // `T` is an Optional: no decoder is needed to see that.
            if let optional = T.self as? any OptionalType.Type, let none = optional.none as? T { return none }
            guard let nothing = try? MeroJSON.decode(T.self, from: Data("null".utf8)) else {
                throw MeroError.emptyResponse("JSON-RPC result had no output")
            }
            return nothing
        }
        do {
            // Most methods return a string, for which a whole decoder is a long way round.
            if T.self == String.self || T.self == String?.self,
                case .string(let text) = try JSONValue(jsonBytes: output), let value = text as? T
            {
                return value
            }
            return try MeroJSON.decode(T.self, from: output)
        } catch {
            throw unreadable(body)
        }
    }

    /// Throws `MeroError.rpc` when the answer carries an error, `.decoding` when it is none. Its result is not looked at.
    static func throwError(in body: Data) throws {
        guard let reply = try? JSONMembers(body, at: members) else { throw unreadable(body) }
        try throwError(in: reply, of: body)
    }

    /// An error wins even where a result stands beside it.
    private static func throwError(in reply: JSONMembers, of body: Data) throws {
        guard let error = reply["error"], !reply.isNull("error") else { return }
        guard let value = try? MeroJSON.decode(JSONValue.self, from: error) else { throw unreadable(body) }
        throw MeroError.rpc(rpcError(value))
    }

    private static func rpcError(_ error: JSONValue) -> RpcError {
        guard case .object(let members) = error else {
            return RpcError(code: nil, message: error.stringValue, type: nil, data: error)
        }
        return RpcError(
            code: members["code"]?.intValue, message: members["message"]?.stringValue,
            type: members["type"]?.stringValue, data: members["data"])
    }

    private static func unreadable(_ body: Data) -> MeroError {
        .decoding("JSON-RPC response: \(ReplyDecoding.excerpt(of: body))")
    }
}

private protocol OptionalType {
    static var none: Self { get }
}

extension Optional: OptionalType {}
