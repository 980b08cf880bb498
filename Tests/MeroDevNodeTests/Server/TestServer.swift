import Foundation
import MeroDevNode
import MeroKit

/// A started server whose handler echoes the request line and body, stopped at the end of the test.
func withServer<Value>(
    options: DevServerOptions = DevServerOptions(),
    handler: @escaping @Sendable (DevHttpRequest) async -> DevHttpResponse = echo,
    _ body: (DevHttpServer) async throws -> Value
) async throws -> Value {
    let server = DevHttpServer(options: options, handler: handler)
    try await server.start()
    do {
        let value = try await body(server)
        await server.stop()
        return value
    } catch {
        await server.stop()
        throw error
    }
}

@Sendable func echo(_ request: DevHttpRequest) async -> DevHttpResponse {
    var text = Data("\(request.method) \(request.path) ".utf8)
    text.append(request.body)
    return DevHttpResponse(status: 200, headers: [("Content-Type", "text/plain")], body: .bytes(text))
}

/// A new connection, one GET, the answer.
func get(_ server: DevHttpServer, _ target: String) async throws -> RawClient.Response {
    let port = server.port
    return try await offPool { try RawClient(port).get(target) }
}

func post(_ server: DevHttpServer, _ target: String, _ body: String) async throws -> RawClient.Response {
    let port = server.port
    return try await offPool { try RawClient(port).post(target, body) }
}

/// Sends a GET and reads whatever comes until the server drops the connection.
func getUntilDropped(_ server: DevHttpServer, _ target: String) async throws -> Data {
    let port = server.port
    return try await offPool {
        let client = try RawClient(port)
        try client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        return try client.readToEnd()
    }
}
