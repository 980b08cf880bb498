import Foundation
import Testing

@testable import MeroKit

@Suite("Root-guarded owner ops")
struct OwnerOpTests {
    private static func mode(_ args: ExactJSON) throws -> OwnerOp.TeeMode {
        try args.string("mode") == "relay" ? .relay : .replica
    }

    private static func op(_ input: ExactJSON) throws -> OwnerOp {
        let args = input["args"] ?? .null
        switch try input.string("kind") {
        case "transferOwnership": return .transferOwnership(newOwner: try args.string("newOwner"))
        case "adminChanged": return .adminChanged(newAdmin: try args.string("newAdmin"))
        case "groupDelete": return .groupDelete
        case "teeAuthoringPolicy": return .teeAuthoringPolicy(allowedMrtd: try args.strings("allowedMrtd"))
        case "teeAdmissionPolicy":
            return .teeAdmissionPolicy(
                .init(
                    allowedMrtd: try args.strings("allowedMrtd"), allowedRtmr0: try args.strings("allowedRtmr0"),
                    allowedRtmr1: try args.strings("allowedRtmr1"), allowedRtmr2: try args.strings("allowedRtmr2"),
                    allowedRtmr3: try args.strings("allowedRtmr3"),
                    allowedTcbStatuses: try args.strings("allowedTcbStatuses"),
                    acceptMock: try args.bool("acceptMock"), mode: try mode(args)))
        case "teeReleaseAdmissionPolicy":
            return .teeReleaseAdmissionPolicy(
                .init(
                    allowedProfiles: try args.strings("allowedProfiles"),
                    minReleaseVersion: try args.optionalString("minReleaseVersion"),
                    allowedTcbStatuses: try args.strings("allowedTcbStatuses"),
                    acceptMock: try args.bool("acceptMock"), mode: try mode(args)))
        case let other: throw CryptoVector.Missing(field: other)
        }
    }

    @Test("Ops, digests and proofs", arguments: CryptoVector.load("owner-ops"))
    func ops(vector: CryptoVector) throws {
        let input = vector.input
        let opBytes: Data
        let op: OwnerOp?
        if input["opBytes"] != nil {
            (opBytes, op) = (try input.bytes("opBytes"), nil)
        } else {
            op = try Self.op(input)
            opBytes = try Self.op(input).bytes
        }
        if let expected = vector.expected["opBytes"]?.text { #expect(Hex.encode(opBytes) == expected) }
        if let expected = vector.expected["opDigest"]?.text {
            #expect(Hex.encode(OwnerAuthorization.digest(opBytes)) == expected)
        }
        guard input["rootSecret"] != nil else {
            #expect(vector.expected["rootProof"] == nil)
            return
        }
        let first = try AccountRoot(secret: input.bytes("rootSecret"))
        let chain = input["chain"] == nil ? [] : try input.strings("chain")
        let root = chain.isEmpty ? first : try AccountRoot(secret: input.bytes("signingSecret"))
        let (namespace, group) = try (input.string("namespaceId"), input.string("groupId"))
        let counter: UInt64 = try input.integer("counter")
        let statement = OwnerAuthorization(
            account: try Hex.id(first.accountId, "account"), namespaceId: try Hex.id(namespace, "namespace"),
            groupId: try Hex.id(group, "group"), kind: op?.kind ?? 0, opBytes: opBytes, counter: counter,
            keyEpoch: try input.integer("keyEpoch"))
        if let expected = vector.expected["payload"]?.text { #expect(Hex.encode(statement.payload) == expected) }
        let proof: String
        switch op {
        case let op? where chain.isEmpty:
            proof = try root.authorize(op, namespaceId: namespace, groupId: group, counter: counter)
        case let op?:
            proof = try root.authorize(
                op, namespaceId: namespace, groupId: group, counter: counter, genesisPublicKey: first.publicKey,
                handoffs: chain)
        case nil:
            proof = try root.authorize(
                kind: 0, opBytes: opBytes, namespaceId: namespace, groupId: group, counter: counter)
        }
        try expectSameSigned(
            proof, vector.expected.string("rootProof"), key: Hex.id(root.publicKey, "key"),
            message: statement.payload)
        let read = try AccountProof<OwnerAuthorization>(Hex.decodeUnsized(proof, label: "proof"))
        try read.verify()
        #expect(read.statement == statement)
    }

    @Test("A chain that does not end at this root is refused")
    func chains() throws {
        let (first, second, third) = (AccountRoot.generate(), AccountRoot.generate(), AccountRoot.generate())
        let id = String(repeating: "1a", count: 32)
        let handoff = try first.handOff(to: second.publicKey)
        func authorize(_ root: AccountRoot, _ handoffs: [String]) throws -> String {
            try root.authorize(
                .groupDelete, namespaceId: id, groupId: id, counter: 1, genesisPublicKey: first.publicKey,
                handoffs: handoffs)
        }
        #expect(throws: AccountError.self) { try authorize(third, [handoff]) }
        #expect(throws: AccountError.self) { try authorize(second, []) }
        #expect(throws: AccountError.self) { try authorize(second, [String(handoff.dropLast(2))]) }
        #expect(throws: AccountError.self) {
            try first.authorize(.transferOwnership(newOwner: "x"), namespaceId: id, groupId: id, counter: 1)
        }
        let next = try second.handOff(to: third.publicKey, fromEpoch: 1, account: first.accountId)
        for (root, handoffs) in [(first, []), (second, [handoff]), (third, [handoff, next])] {
            try AccountProof<OwnerAuthorization>(Hex.decodeUnsized(authorize(root, handoffs), label: "proof")).verify()
        }
    }
}
