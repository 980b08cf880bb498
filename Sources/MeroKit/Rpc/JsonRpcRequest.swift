import Foundation

/// Writes JSON-RPC requests. The arguments go in as the text they already are, so that no digit is lost. Spec: 40, 1.1.
enum JsonRpcRequest {
    static func execute(contextId: String, method: String, arguments: Data, executorPublicKey: String?) -> Data {
        var body = Data()
        body.reserveCapacity(arguments.count + contextId.utf8.count + method.utf8.count + 128)
        body.append(contentsOf: #"{"jsonrpc":"2.0","id":1,"method":"execute","params":{"contextId":"#.utf8)
        JSONWriter.append(contextId, to: &body)
        body.append(contentsOf: #","method":"#.utf8)
        JSONWriter.append(method, to: &body)
        body.append(contentsOf: #","argsJson":"#.utf8)
        body.append(arguments)
        if let executorPublicKey {
            body.append(contentsOf: #","executorPublicKey":"#.utf8)
            JSONWriter.append(executorPublicKey, to: &body)
        }
        body.append(contentsOf: "}}".utf8)
        return body
    }
}
