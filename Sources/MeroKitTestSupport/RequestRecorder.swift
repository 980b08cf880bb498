import Foundation
import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Keeps every request of a stubbed session and answers it.
///
/// ```swift
/// let recorder = RequestRecorder(answer: MockURLProtocol.Stub(body: Data(#"{"data":null}"#.utf8)))
/// recorder.install()
/// let http = URLSessionHttpClient(baseURL: url, session: MockURLProtocol.makeSession())
/// ```
public final class RequestRecorder: Sendable {
    private let captured = Locked<[CapturedRequest]>([])
    private let answer: MockURLProtocol.Stub

    /// - Parameter answer: What every request is answered with.
    public init(answer: MockURLProtocol.Stub = MockURLProtocol.Stub(body: Data("{}".utf8))) { self.answer = answer }

    /// The requests so far, in order.
    public var requests: [CapturedRequest] { captured.withLock { $0 } }

    /// Adds a request that came another way.
    public func appendCaptured(_ request: CapturedRequest) { captured.withLock { $0.append(request) } }

    /// Makes this recorder the handler of `MockURLProtocol.makeSession()`.
    public func install() { MockURLProtocol.setHandler { self.handle($0) } }

    private func handle(_ request: URLRequest) -> MockURLProtocol.Stub {
        appendCaptured(CapturedRequest(request))
        return answer
    }
}
