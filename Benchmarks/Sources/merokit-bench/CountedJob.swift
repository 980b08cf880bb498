import Foundation
import MeroDevNode
import MeroKit

/// Does one thing a number of times, for its instructions to be counted.
struct CountedJob: Codable {
    enum Work: String, Codable {
        /// A call with a small answer.
        case execute
        /// The same, sealed.
        case sealedExecute
        /// A write by warrant.
        case relayWrite
        /// A warrant that is only made.
        case warrant
        /// Answers into types, and into a tree.
        case typedDecode, treeDecode
    }

    /// What a client has to know of the node that it talks to, which is another process.
    struct Peer: Codable {
        var url: URL
        var token: String
        var context: String
        var transportKey: Data
        var account: String
        var credential: String
        var keys: DeviceKeys
    }

    var work: Work
    var count: Int
    var peer: Peer

    /// - Returns: how often it was done.
    func run() async throws -> Int {
        switch work {
        case .execute: try await execute(HttpOptions())
        case .sealedExecute: try await execute(HttpOptions(sealing: .node(key: .fixed(peer.transportKey))))
        case .relayWrite: try await relayWrite()
        case .warrant: try warrant()
        case .typedDecode: try decode([Record].self) { $0.count }
        case .treeDecode: try decode(JSONValue.self) { $0.arrayValue?.count ?? 0 }
        }
        return count
    }

    private func execute(_ options: HttpOptions) async throws {
        let token = peer.token
        let rpc = RpcClient(
            http: URLSessionHttpClient(
                baseURL: peer.url, hooks: TransportHooks(getAuthToken: { token }), options: options))
        for _ in 0..<count {
            let value: String = try await rpc.execute(
                contextId: peer.context, method: "get", argsJson: ["key": "greeting"])
            guard value == SampleCall.output else { throw BenchError("not the expected answer") }
        }
    }

    private func relayWrite() async throws {
        let relay = RelayClient(
            relayURL: peer.url.absoluteString, authorAccount: peer.account, authorProof: peer.credential,
            keys: peer.keys, nonces: MemoryWarrantNonceStore())
        for _ in 0..<count {
            _ = try await relay.execute(
                contextId: peer.context, method: "set", argsJson: ["key": "colour", "value": "blue"])
        }
    }

    private func warrant() throws {
        func id(_ byte: String) -> String { String(repeating: byte, count: 32) }
        var input = Warrants.WarrantInput(
            context: id("11"), authorAccount: id("22"), executor: id("33"), executorKey: id("44"),
            releaseBytecodeId: id("55"), releaseVersion: "1.2.3", method: "set",
            argsJson: ["key": "greeting", "value": "hello"], nonce: 1, notAfter: 1_800_000_000)
        for _ in 0..<count {
            input.nonce += 1
            _ = try Warrants.signWarrant(input, keys: peer.keys)
        }
    }

    private func decode<T: Decodable>(_ type: T.Type, _ size: (T) -> Int) throws {
        let text = Data("[\((0..<Record.number).map(Record.text).joined(separator: ","))]".utf8)
        for _ in 0..<count {
            guard size(try MeroJSON.decode(type, from: text)) == Record.number else {
                throw BenchError("not the expected records")
            }
        }
    }
}

/// What contracts return lists of.
private struct Record: Decodable {
    struct Position: Decodable {
        var x: Int
        var y: Int
    }

    var id: String
    var author: String
    var text: String
    var likes: UInt64
    var score: Double
    var pinned: Bool
    var parent: String?
    var tags: [String]
    var position: Position

    static let number = 20

    static func text(_ index: Int) -> String {
        """
        {"id":"\(String(repeating: "c", count: 24))\(index)","author":"réné","text":"line one\\nline \\"two\\" \
        \(index)","likes":\(index % 977),"score":\(Double(index) / 8),"pinned":\(index % 3 == 0),"parent":null,\
        "tags":["alpha","beta","gamma"],"position":{"x":\(index % 640),"y":-\(index % 480)}}
        """
    }
}
