import Foundation
import Testing

@testable import MeroKit

/// Spec: 80, section 1.3.
@Suite("Sealed requests")
struct SealedSessionTests {
    @Test func theBytesAreThoseOfTheVectors() throws {
        let vectors = try SealedVectors.load("requests")
        let cases = try vectors.items("cases")
        #expect(cases.count == 6)
        for vector in cases {
            let id = try vector.integer("requestId", as: UInt64.self)
            let headers = try vector.items("headers").map { pair -> (name: String, value: String) in
                guard case .array(let parts) = pair, let name = parts.first?.text, let value = parts.last?.text else {
                    throw CryptoVector.Missing(field: "headers")
                }
                return (name, value)
            }
            let head = try SealedRequestHead(
                method: vector.string("method"), path: vector.string("path"), headers: headers)
            #expect(String(decoding: head.json, as: UTF8.self) == (try vector.string("head")))
            let sealed = try SealedVectors.session(vectors, before: id).seal(
                head: head.json, body: vector.bytes("body"))
            #expect(Hex.encode(sealed.envelope) == (try vector.string("envelope")))
        }
    }

    @Test func noIdServesTwice() async throws {
        let session = try SealedVectors.session(SealedVectors.load("requests"), before: 1)
        let ids = await withTaskGroup(of: [Data].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200).compactMap { _ in
                        try? session.seal(head: [], body: Data("same".utf8)).envelope.subdata(in: 17..<25)
                    }
                }
            }
            return await group.reduce(into: [Data]()) { $0 += $1 }
        }
        #expect(ids.count == 1600)
        #expect(Set(ids).count == 1600)
        #expect(!ids.contains(Data(count: 8)))
    }

    @Test func whatANodeWouldNotTakeIsNotSealed() throws {
        let session = try SealedVectors.session(SealedVectors.load("requests"), before: 1)
        let room = SealedSession.envelopeLimit - 25 - 16 - 4 - 2
        #expect(try session.seal(head: [1, 2], body: Data(count: room)).envelope.count == SealedSession.envelopeLimit)
        #expect(throws: SealedTransportError.requestTooLarge(limit: room)) {
            _ = try session.seal(head: [1, 2], body: Data(count: room + 1))
        }
    }

    @Test func whatBelongsToTheOuterRequestStaysOutside() throws {
        let head = try SealedRequestHead(
            method: "GET", path: "/x",
            headers: [
                ("Host", "a"), ("Content-Length", "3"), ("Connection", "close"), ("Transfer-Encoding", "chunked"),
                ("Upgrade", "websocket"), ("Accept-Encoding", "gzip"), ("Accept", "application/json"),
                ("X-Tab", "a\tb"),
            ])
        #expect(
            String(decoding: head.json, as: UTF8.self)
                == #"{"method":"GET","path":"/x","headers":[["accept","application/json"],["x-tab","a\tb"]]}"#)
    }

    @Test(arguments: ["straße", "a\nb", "a\rb", "a\u{0}", "\u{7f}"])
    func headersThatANodeRefusesAreRefusedHere(_ value: String) {
        #expect(throws: SealedTransportError.invalidHeader(name: "X-Name")) {
            _ = try SealedRequestHead(method: "GET", path: "/", headers: [("X-Name", value)])
        }
    }

    @Test func itEndsBeforeTheNodeForgetsIt() throws {
        let session = try SealedVectors.session(SealedVectors.load("requests"), before: 1)
        session.use(at: 3500)
        #expect(session.isUsable(at: 3539.9))
        #expect(!session.isUsable(at: 3540))
    }

    @Test func itIsNotUsedAfterALongPause() throws {
        let session = try SealedVectors.session(SealedVectors.load("requests"), before: 1)
        #expect(session.isUsable(at: 539))
        #expect(!session.isUsable(at: 540))
        session.use(at: 530)
        #expect(session.isUsable(at: 1069))
        #expect(!session.isUsable(at: 1070))
    }
}
