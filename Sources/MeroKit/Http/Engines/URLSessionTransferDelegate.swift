import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Hands what a session tells to the transfer that it is about.
///
/// `@unchecked Sendable`: `transfers` is used only on the session's delegate queue, which is serial and which the engine
/// starts its transfers on as well; the rest is constant.
final class URLSessionTransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    /// Further certificate authorities to trust, in DER.
    let anchors: [Data]
    private var transfers: [Int: URLSessionTransfer] = [:]

    init(anchors: [Data]) { self.anchors = anchors }

    /// Must be called on the session's delegate queue.
    func run(_ transfer: URLSessionTransfer, _ urlRequest: URLRequest, in session: URLSession) {
        let task: URLSessionTask
        switch transfer.request.body {
        case .none:
            task = session.dataTask(with: urlRequest)
        case .bytes(let data):
            var urlRequest = urlRequest
            // In the request and not in an upload task: custom `URLProtocol` classes read it there.
            urlRequest.httpBody = data
            task = session.dataTask(with: urlRequest)
        case .file(let url):
            #if canImport(FoundationNetworking)
                // Foundation on Linux aborts the process when an upload task with a file is cancelled or cut while the file is
                // being read. A stream is read on demand and has no such moment; its price is a chunked body.
                var urlRequest = urlRequest
                urlRequest.httpBodyStream = InputStream(url: url)
                task = session.dataTask(with: urlRequest)
            #else
                task = session.uploadTask(with: urlRequest, fromFile: url)
            #endif
        }
        transfers[task.taskIdentifier] = transfer
        transfer.run(task)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Security)
            let (disposition, credential) = Self.answer(to: challenge, anchors: anchors)
            completionHandler(disposition, credential)
        #else
            // Foundation on Linux asks only after it has delivered a 401 with its body, and never ends the task if nobody
            // has a password. The 401 is the answer.
            transfers.removeValue(forKey: task.taskIdentifier)?.didComplete(task.response, nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        transfers[task.taskIdentifier]?.didSend(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        transfers[dataTask.taskIdentifier]?.didReceive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfers[dataTask.taskIdentifier]?.didReceive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        transfers.removeValue(forKey: task.taskIdentifier)?.didComplete(task.response, error)
    }
}
