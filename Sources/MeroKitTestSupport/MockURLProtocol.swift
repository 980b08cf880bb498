import Foundation
import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers the requests of a `URLSession` without a network.
///
/// ```swift
/// MockURLProtocol.setHandler { _ in MockURLProtocol.Stub(status: 200, body: Data("{}".utf8)) }
/// let mero = Mero(config: config, session: MockURLProtocol.makeSession())
/// ```
///
/// There is one handler in a process: tests that use it must not run in parallel (`@Suite(.serialized)`).
public final class MockURLProtocol: URLProtocol {
    /// One answer.
    public struct Stub: Sendable {
        /// The HTTP status.
        public var status: Int
        /// The answer's headers.
        public var headers: [String: String]
        /// The answer's body.
        public var body: Data

        /// An answer; by default 200 with nothing in it.
        public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// Makes the answer to a request. An error it throws is what the session reports.
    public typealias Handler = @Sendable (URLRequest) throws -> Stub

    private static let handler = Locked<Handler?>(nil)

    /// Sets the handler of all sessions made by `makeSession()`.
    public static func setHandler(_ handler: @escaping Handler) {
        self.handler.withLock { $0 = handler }
    }

    /// Removes that handler.
    public static func reset() {
        handler.withLock { $0 = nil }
    }

    /// A session whose requests go to the handler of `setHandler`.
    public static func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        return URLSession(configuration: configuration)
    }

    /// True: every request is answered here.
    public override class func canInit(with request: URLRequest) -> Bool { true }

    /// The request as it is.
    public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Answers by the handler.
    public override func startLoading() {
        guard let handler = Self.handler.withLock({ $0 }), let url = request.url else {
            client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
            return
        }
        do {
            let stub = try handler(request)
            guard
                let response = HTTPURLResponse(
                    url: url, statusCode: stub.status, httpVersion: "HTTP/1.1", headerFields: stub.headers)
            else { throw URLError(.badServerResponse) }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            if !stub.body.isEmpty { client?.urlProtocol(self, didLoad: stub.body) }
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            client?.urlProtocol(self, didFailWithError: error)
        }
    }

    /// Nothing has to be stopped.
    public override func stopLoading() {}
}

extension URLRequest {
    /// The body, whichever way the session carries it.
    var bodyBytes: Data {
        if let httpBody { return httpBody }
        guard let stream = httpBodyStream else { return Data() }
        stream.open()
        defer { stream.close() }
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count <= 0 { return output }
            output.append(contentsOf: buffer[..<count])
        }
    }
}
