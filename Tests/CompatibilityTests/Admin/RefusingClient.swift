import Foundation
import MeroKit

/// An `HttpClient` of an app's own that keeps what it is asked and refuses everything.
final class RefusingClient: HttpClient {
    struct Refused: Error {}

    private let lock = NSLock()
    nonisolated(unsafe) private var seen: [String] = []

    /// Method and path of each request.
    var requests: [String] {
        lock.lock()
        defer { lock.unlock() }
        return seen
    }

    private func refuse(_ method: HTTPMethod, _ path: String) -> Refused {
        lock.lock()
        defer { lock.unlock() }
        seen.append("\(method.rawValue) \(path)")
        return Refused()
    }

    func send<T: Decodable>(_ req: HttpRequest) async throws -> T { throw refuse(req.method, req.path) }
    func sendVoid(_ req: HttpRequest) async throws { throw refuse(req.method, req.path) }
    func sendRaw(_ req: HttpRequest) async throws -> (Data, HeadResult) { throw refuse(req.method, req.path) }
    func head(_ path: String, headers: [String: String]) async throws -> HeadResult { throw refuse(.head, path) }
    func download(_ req: HttpRequest, to fileURL: URL) async throws -> HeadResult { throw refuse(req.method, req.path) }

    /// How many of these calls asked something and were refused.
    static func count(_ calls: [(AdminApi) async throws -> Void]) async -> Int {
        var count = 0
        for call in calls {
            let client = RefusingClient()
            do {
                try await call(AdminApi(http: client))
            } catch is Refused {
                if client.requests.count == 1 { count += 1 }
            } catch {}
        }
        return count
    }
}
