import Foundation

@testable import MeroKit

/// An engine without a network: answers by a closure and keeps what it was asked.
final class ScriptedEngine: HttpEngine {
    private let answer: @Sendable (EngineRequest, Int) async throws -> EngineResponse
    private let seen = Locked<[EngineRequest]>([])

    /// - Parameter answer: Told the request and how many came before it.
    init(_ answer: @escaping @Sendable (EngineRequest, Int) async throws -> EngineResponse) { self.answer = answer }

    var requests: [EngineRequest] { seen.withLock { $0 } }

    func perform(_ request: EngineRequest) async throws -> EngineResponse {
        let number = seen.withLock { seen in
            seen.append(request)
            return seen.count - 1
        }
        return try await answer(request, number)
    }
}

extension EngineResponse {
    static func status(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") -> EngineResponse {
        EngineResponse(status: status, headers: headers, body: Data(body.utf8))
    }
}

extension EngineRequest {
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
