import Foundation

/// Sends requests to one node. Everything the SDK does over HTTP goes through these five methods.
///
/// `URLSessionHttpClient` is the built-in implementation. Write your own to test an app without a network:
///
/// ```swift
/// struct CannedClient: HttpClient {
///     let answer: Data
///     func send<T: Decodable>(_ req: HttpRequest) async throws -> T { try MeroJSON.decode(T.self, from: answer) }
///     func sendVoid(_ req: HttpRequest) async throws {}
///     func sendRaw(_ req: HttpRequest) async throws -> (Data, HeadResult) { (answer, HeadResult(status: 200, headers: [:])) }
///     func head(_ path: String, headers: [String: String]) async throws -> HeadResult { HeadResult(status: 200, headers: [:]) }
///     func download(_ req: HttpRequest, to fileURL: URL) async throws -> HeadResult {
///         try answer.write(to: fileURL)
///         return HeadResult(status: 200, headers: [:])
///     }
/// }
/// let rpc = RpcClient(http: CannedClient(answer: Data(#"{"jsonrpc":"2.0","id":1,"result":{"output":42}}"#.utf8)))
/// ```
///
/// All five throw `MeroError`, or `CancellationError` when the calling task is cancelled. Spec: 10, section 2.1.
public protocol HttpClient: Sendable {
    /// Sends the request and decodes the JSON answer.
    ///
    /// An empty body decodes as `Empty`, as nil for an Optional and as `.null` for `JSONValue`; for any other type it is
    /// `MeroError.emptyResponse`.
    func send<T: Decodable>(_ req: HttpRequest) async throws -> T
    /// Sends the request and ignores the body of a success.
    func sendVoid(_ req: HttpRequest) async throws
    /// Sends the request and returns the body as it came, together with status and headers.
    func sendRaw(_ req: HttpRequest) async throws -> (Data, HeadResult)
    /// Asks for the headers only.
    func head(_ path: String, headers: [String: String]) async throws -> HeadResult
    /// Streams the answer's body into a file, replacing what stood there once the whole body has arrived.
    ///
    /// On any failure `fileURL` is left as it was, and so is a folder, a link, a pipe or a device that stands there:
    /// `MeroError.network`.
    func download(_ req: HttpRequest, to fileURL: URL) async throws -> HeadResult
}

extension HttpClient {
    /// `GET path`.
    public func get<T: Decodable>(_ path: String, headers: [String: String] = [:]) async throws -> T {
        try await send(HttpRequest(path: path, headers: headers))
    }

    /// `POST path` with a JSON body.
    public func post<T: Decodable>(
        _ path: String, json: some Encodable, headers: [String: String] = [:]
    ) async throws -> T {
        try await send(HttpRequest(path: path, method: .post, body: .encoding(json), headers: headers))
    }

    /// `POST path` without a body.
    public func post<T: Decodable>(_ path: String, headers: [String: String] = [:]) async throws -> T {
        try await send(HttpRequest(path: path, method: .post, headers: headers))
    }

    /// `PUT path` with a JSON body.
    public func put<T: Decodable>(
        _ path: String, json: some Encodable, headers: [String: String] = [:]
    ) async throws -> T {
        try await send(HttpRequest(path: path, method: .put, body: .encoding(json), headers: headers))
    }

    /// `PUT path` without a body.
    public func put<T: Decodable>(_ path: String, headers: [String: String] = [:]) async throws -> T {
        try await send(HttpRequest(path: path, method: .put, headers: headers))
    }

    /// `PATCH path` with a JSON body.
    public func patch<T: Decodable>(
        _ path: String, json: some Encodable, headers: [String: String] = [:]
    ) async throws -> T {
        try await send(HttpRequest(path: path, method: .patch, body: .encoding(json), headers: headers))
    }

    /// `DELETE path`.
    public func delete<T: Decodable>(_ path: String, headers: [String: String] = [:]) async throws -> T {
        try await send(HttpRequest(path: path, method: .delete, headers: headers))
    }

    /// `DELETE path` with a JSON body.
    public func delete<T: Decodable>(
        _ path: String, json: some Encodable, headers: [String: String] = [:]
    ) async throws -> T {
        try await send(HttpRequest(path: path, method: .delete, body: .encoding(json), headers: headers))
    }
}
