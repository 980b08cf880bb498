import Foundation

/// Writes JSON-RPC requests. The arguments go in as the text they already are, so that no digit is lost. Spec: 40, 1.1.
enum JsonRpcRequest {
    static func execute(contextId: String, method: String, arguments: Data, executorPublicKey: String?) -> Data {
        var writer = JSONWriter()
        writer.write(raw: #"{"jsonrpc":"2.0","id":1,"method":"execute","params":{"contextId":"#.utf8)
        writer.write(string: contextId)
        writer.write(raw: #","method":"#.utf8)
        writer.write(string: method)
        writer.write(raw: #","argsJson":"#.utf8)
        writer.write(raw: arguments)
        if let executorPublicKey {
            writer.write(raw: #","executorPublicKey":"#.utf8)
            writer.write(string: executorPublicKey)
        }
        writer.write(raw: "}}".utf8)
        return Data(writer.bytes)
    }

    /// Spec: 40, 5.1.
    static func setEphemeral(contextId: String, state: Data) -> Data {
        var writer = JSONWriter()
        writer.write(raw: #"{"jsonrpc":"2.0","id":1,"method":"set_ephemeral","params":{"contextId":"#.utf8)
        writer.write(string: contextId)
        writer.write(raw: #","state":["#.utf8)
        writer.write(raw: state.map { String($0) }.joined(separator: ",").utf8)
        writer.write(raw: "]}}".utf8)
        return Data(writer.bytes)
    }
}
