import Foundation
import Testing

@testable import MeroKit

/// Spec: 80, section 1.4.
@Suite("Sealed answers")
struct SealedFrameReaderTests {
    /// What came out of a stream of frames.
    private struct Answer {
        var head: SealedResponseHead?
        var body = Data()
        var isWhole = false
    }

    /// Feeds pieces of these sizes, over and over; nil feeds all at once.
    private func read(
        _ stream: Data, requestId: UInt64, _ vectors: ExactJSON, pieces: [Int]? = nil
    ) throws -> (answer: Answer, error: SealedTransportError?) {
        var reader = try SealedVectors.session(vectors, before: requestId).seal(head: [], body: Data()).reader
        var answer = Answer()
        var rest = stream[...]
        var turn = 0
        do {
            while !rest.isEmpty {
                let size = min(pieces.map { $0[turn % $0.count] } ?? rest.count, rest.count)
                turn += 1
                try Data(rest.prefix(size)).withUnsafeBytes { bytes in
                    try reader.read(bytes) { frame in
                        switch frame {
                        case .head(let head): answer.head = head
                        case .data(let bytes): answer.body.append(contentsOf: bytes)
                        case .end: answer.isWhole = true
                        }
                    }
                }
                rest = rest.dropFirst(size)
            }
        } catch let error as SealedTransportError {
            return (answer, error)
        }
        return (answer, answer.isWhole || answer.head?.status == 204 ? nil : .cutShort)
    }

    @Test func theVectorsAreReadAsTheySay() throws {
        let vectors = try SealedVectors.load("responses")
        let cases = try vectors.items("cases")
        #expect(cases.count == 29)
        for vector in cases {
            let name = Comment(rawValue: try vector.string("name"))
            let pieces: [Int]? =
                try vector.member("chunkSizes").isNull
                ? nil
                : vector.items("chunkSizes").compactMap {
                    if case .number(let text) = $0 { return Int(text) }
                    return nil
                }
            let expected = try vector.member("expect")
            for pieces in [pieces, [1], [3, 50_000]] {
                let (answer, error) = try read(
                    vector.bytes("stream"), requestId: vector.integer("requestId"), vectors, pieces: pieces)
                if try expected.bool("ok") {
                    #expect(error == nil, name)
                    #expect(answer.head?.status == (try expected.integer("status", as: Int.self)), name)
                    #expect(answer.body == (try expected.bytes("body")), name)
                } else {
                    #expect(error == Self.errors[try expected.string("error")], name)
                    #expect(answer.body == (try expected.bytes("deliveredBeforeError")), name)
                    #expect(!answer.isWhole, name)
                }
            }
        }
    }

    private static let errors: [String: SealedTransportError] = [
        "cutShort": .cutShort, "notOpened": .notFromNode, "malformed": .malformed, "frameTooLarge": .frameTooLarge,
    ]

    @Test func headersKeepTheirNames() throws {
        let json = Array(#"{"status":200,"headers":[["Set-Cookie","a=1"],["set-cookie","b=2"]]}"#.utf8)
        let head = try json.withUnsafeBytes { try SealedResponseHead(json: $0) }
        #expect(head.headers == ["set-cookie": "a=1, b=2"])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"status":"200"}"#, #"{"status":200.5}"#, #"{"status":99}"#, #"{"status":1e300}"#,
        #"{"status":200,"headers":{}}"#, #"{"status":200,"headers":[["a"]]}"#, #"{"status":200,"headers":[[1,2]]}"#,
    ]) func headsThatAreNoneAreRefused(_ text: String) {
        #expect(throws: SealedTransportError.malformed) {
            _ = try Array(text.utf8).withUnsafeBytes { try SealedResponseHead(json: $0) }
        }
    }

    @Test func whateverIsChangedNothingWrongComesOut() throws {
        let vectors = try SealedVectors.load("responses")
        let vector = try #require(
            try vectors.items("cases").first { try $0.string("name") == "many small pieces, one byte at a time" })
        let stream = try vector.bytes("stream")
        let id = try vector.integer("requestId", as: UInt64.self)
        let body = try vector.member("expect").bytes("body")
        for index in stream.indices {
            for bit in [0, 3, 7] {
                var flipped = stream
                flipped[index] ^= 1 << UInt8(bit)
                let (answer, error) = try read(flipped, requestId: id, vectors)
                #expect(error != nil)
                #expect(body.starts(with: answer.body))
            }
            let (answer, error) = try read(stream.prefix(index), requestId: id, vectors)
            #expect(error == .cutShort)
            #expect(body.starts(with: answer.body))
            var shorter = stream
            shorter.remove(at: index)
            #expect(try read(shorter, requestId: id, vectors).error != nil)
        }
    }

    @Test func randomBytesAreNoAnswer() throws {
        let vectors = try SealedVectors.load("responses")
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let bytes = Data(
                (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            let (answer, error) = try read(
                Data([0, 0]) + bytes, requestId: 1, vectors, pieces: [Int.random(in: 1...40, using: &random)])
            #expect(error != nil, "seed \(seed)")
            #expect(answer.body.isEmpty, "seed \(seed)")
        }
    }
}
