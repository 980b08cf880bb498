import Foundation
import MeroKit

@testable import MeroDevNode

/// A sealed node whose inner half a test plays: what it is asked outside and inside the seal, and what it answers there.
final class SealedStandIn: Sendable {
    /// A request, outside or inside.
    struct Seen: Sendable {
        let line: String
        /// Lower-cased names.
        let headers: [String: String]
        let body: Data
    }

    /// An answer inside.
    struct Said: Sendable {
        var status = 200
        var headers: [(String, String)] = []
        var body = Data("{}".utf8)
    }

    private let server: DevHttpServer
    private let service: SealedService
    private let seen: Locked<(outer: [Seen], inner: [Seen])>
    let url: URL

    /// - Parameters:
    ///   - outerHeaders: added to every answer outside its seal, as a carrier may do.
    ///   - answer: what is answered inside.
    init(
        outerHeaders: [(String, String)] = [], _ answer: @escaping @Sendable (Seen) -> Said
    ) async throws {
        let service = try SealedService(options: DevSealing(), clock: DevClock())
        let seen = Locked<(outer: [Seen], inner: [Seen])>(([], []))
        self.service = service
        self.seen = seen
        server = DevHttpServer { request in
            seen.withLock { $0.outer.append(Seen(request)) }
            guard service.owns(request.path) else { return DevHttpResponse(status: 404) }
            var response = await service.handle(request, path: request.path, prefix: "") { request in
                let inner = Seen(request)
                seen.withLock { $0.inner.append(inner) }
                let said = answer(inner)
                return DevHttpResponse(status: said.status, headers: said.headers, body: .bytes(said.body))
            }
            response.headers += outerHeaders
            return response
        }
        try await server.start()
        guard let url = URL(string: "http://127.0.0.1:\(server.port)") else { throw ScriptedServer.Failure() }
        self.url = url
    }

    func stop() async { await server.stop() }

    var key: Data { Data(service.table.publicKey) }
    /// What came over the wire.
    var outer: [Seen] { seen.withLock { $0.outer } }
    /// What came out of the seal.
    var inner: [Seen] { seen.withLock { $0.inner } }

    /// Nothing came but sealed requests.
    var isSealedWhole: Bool { outer.allSatisfy { $0.line.hasPrefix("POST /sealed/v2") } }
}

extension SealedStandIn.Seen {
    init(_ request: DevHttpRequest) {
        self.init(line: "\(request.method) \(request.rawTarget)", headers: request.headers, body: request.body)
    }
}
