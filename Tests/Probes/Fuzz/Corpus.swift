#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    /// Sound inputs out of the vectors: every byte string, text and object in there.
    struct Corpus {
        let folder: URL
        /// What was in hex, each once.
        private(set) var bytes: [[UInt8]] = []
        private(set) var texts: [String] = []
        private(set) var trees: [JSONSpoiler] = []

        /// - Parameter folder: That of all fixtures.
        init(folder: URL) throws {
            self.folder = folder
            let crypto = folder.appendingPathComponent("crypto")
            let files = try FileManager.default.contentsOfDirectory(atPath: crypto.path).sorted()
            for file in files where file.hasSuffix(".json") {
                take(try ExactJSON(jsonBytes: Data(contentsOf: crypto.appendingPathComponent(file))))
            }
            bytes = Array(Set(bytes)).sorted { $0.lexicographicallyPrecedes($1) }
            texts = Array(Set(texts)).sorted()
            for text in Self.documents { trees.append(try JSONSpoiler(text: text.utf8)) }
            guard bytes.count > 100, texts.count > 100, trees.count > 100 else {
                throw Seeds.Unreadable(file: crypto.path)
            }
        }

        private mutating func take(_ json: ExactJSON) {
            switch json {
            case .string(let text):
                texts.append(text)
                if let decoded = Hex.decode(text), !decoded.isEmpty { bytes.append(decoded) }
            case .array(let elements): for element in elements { take(element) }
            case .object(let members):
                for member in members { take(member.value) }
                if members.count > 1, members.count < 40 { trees.append(JSONSpoiler(json)) }
            default: break
            }
        }

        func json(_ name: String) throws -> ExactJSON {
            try ExactJSON(jsonBytes: Data(contentsOf: folder.appendingPathComponent(name)))
        }

        /// Texts that look like what a service answers, whatever it was asked.
        private static let documents =
            AdminCall.all.map(\.answer).filter { $0.hasPrefix("{") } + [
                #"{"data":{"access_token":"a.b.c","refresh_token":"r"},"error":null}"#,
                #"{"error":"no","type":"NotFound","data":{"id":1}}"#,
                #"{"jsonrpc":"2.0","id":1,"error":{"type":"FunctionCallError","data":"no","code":-32000,"message":"m"}}"#,
            ]
    }

    /// What comes of reading one input.
    ///
    /// - Parameter isKnown: Whether an error is one that the reader may end with.
    func reading(
        _ isKnown: (any Error) -> Bool, _ body: () async throws -> Void
    ) async throws -> Parser.Outcome {
        do {
            try await body()
            return .accepted
        } catch let error as Finding {
            throw error
        } catch  where isKnown(error) {
            return .refused
        } catch {
            throw Finding("an error of another type, \(type(of: error)): \(error)")
        }
    }

    /// The same for a reader that returns nil for what it refuses.
    func outcome<Value>(_ value: Value?) -> Parser.Outcome { value == nil ? .refused : .accepted }
#endif
