import Foundation
import Testing

@testable import MeroKit

/// The engines that the behaviour suite runs over.
enum EngineUnderTest: String, CaseIterable, Codable, CustomTestStringConvertible {
    #if os(Linux)
        case curl
    #endif
    case urlSession

    var testDescription: String { rawValue }

    func make() throws -> any HttpEngine {
        switch self {
        #if os(Linux)
            case .curl: CurlEngine()
        #endif
        case .urlSession: URLSessionEngine(session: nil)
        }
    }
}

extension EngineUnderTest {
    /// Foundation on Linux aborts the process when a connection ends within an answer's header line, or in one that holds
    /// control characters; a test of its own shows it.
    static var thatSurviveCutHeads: [EngineUnderTest] {
        #if canImport(FoundationNetworking)
            allCases.filter { $0 != .urlSession }
        #else
            allCases
        #endif
    }

    /// Foundation on Linux can only be given a stream without crashing, and sends that in chunks.
    var announcesFileSizes: Bool {
        #if canImport(FoundationNetworking)
            self != .urlSession
        #else
            true
        #endif
    }

    /// A random answer: noise, or something that starts like HTTP and goes astray.
    func noise(_ random: inout some RandomNumberGenerator) -> Data {
        func bytes(_ count: Int, _ range: ClosedRange<UInt8> = 0...255) -> Data {
            Data((0..<count).map { _ in UInt8.random(in: range, using: &random) })
        }
        let starts = [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 204 No Content\r\n", "HTTP/1.1 302 Found\r\nLocation: ",
            "HTTP/1.0 404 \r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: ", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: ",
            "HTTP/1.1 200 OK\r\nContent-Type: ", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX: ", "HTTP/1.1 ",
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: ",
        ]
        let end = Data("\r\n\r\n".utf8)
        let start = Data((starts.randomElement(using: &random) ?? "").utf8)
        let survivesAnything = Self.thatSurviveCutHeads.contains(self)
        switch Int.random(in: 0..<(survivesAnything ? 7 : 5), using: &random) {
        case 0: return bytes(Int.random(in: 1...300, using: &random))
        case 1: return start + end
        case 2: return start + bytes(Int.random(in: 0...60, using: &random), 32...126) + end
        case 3: return start + bytes(Int.random(in: 0...9, using: &random), 48...57) + end + bytes(100)
        case 4: return start + bytes(Int.random(in: 0...40, using: &random), 32...126) + end + bytes(500)
        case 5: return start + bytes(Int.random(in: 0...200, using: &random)) + end
        default:
            let whole = start + bytes(Int.random(in: 0...60, using: &random), 32...126) + end
            return whole.prefix(Int.random(in: 0...whole.count, using: &random))
        }
    }
}

extension EngineRequest {
    /// A request for tests: a `GET` that is kept in memory and may stand still for a minute, since the
    /// machine may be busy.
    init(
        _ url: String, method: String = "GET", headers: [(String, String)] = [], body: EngineBody = .none,
        timeout: TimeInterval = 60, once: Bool = false, sink: EngineSink = .memory(limit: 64 << 20)
    ) {
        self.init(
            url: url, method: method, headers: headers.map { (name: $0.0, value: $0.1) }, body: body,
            inactivityTimeout: timeout, sendAtMostOnce: once, sink: sink)
    }
}

/// The `EngineError` that `work` ends with; anything else is recorded as an issue.
func engineError(
    sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> EngineResponse
) async -> EngineError? {
    do {
        let response = try await work()
        Issue.record("An answer (\(response.status)) instead of an error", sourceLocation: sourceLocation)
    } catch let error as EngineError {
        return error
    } catch {
        Issue.record("\(error) instead of an EngineError", sourceLocation: sourceLocation)
    }
    return nil
}

/// Waits until `condition` holds, at most `seconds`; records an issue otherwise.
func eventually(
    within seconds: TimeInterval = 60, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async throws {
    let deadline = Date() + seconds
    while !condition() {
        guard Date() < deadline else {
            Issue.record("Still not so after \(seconds) s", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(nanoseconds: 2_000_000)
    }
}

/// A folder for one test, removed with this value.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("merokit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// What lies in the folder.
    var contents: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
}
