import Foundation

/// Something that an account's root signed, together with what shows that the root is the account's.
///
/// This is what a node checks; it accepts accounts whose root was handed on. Spec: 50, sections 5.2, 6.1 and 22.
package struct AccountProof<Statement: RootStatement>: Sendable {
    /// Why a proof does not hold; the first of these that applies.
    package enum Problem: Error, Equatable {
        case genesisVersion
        case account
        case chain
        case signature
    }

    /// More are never read.
    package static var maxHandoffs: Int { 1024 }

    package let genesis: AccountGenesis
    package let handoffs: [RootHandoff]
    package let statement: Statement
    package let signature: Data

    package init(from reader: inout BorshReader) throws(BorshError) {
        genesis = try AccountGenesis(from: &reader)
        let count = Int(try reader.u32("handoffs"))
        guard count <= reader.remaining / RootHandoff.size else { throw .truncated("handoffs") }
        guard count <= Self.maxHandoffs else { throw .invalid("handoffs") }
        var handoffs: [RootHandoff] = []
        for _ in 0..<count { handoffs.append(try RootHandoff(from: &reader)) }
        self.handoffs = handoffs
        statement = try Statement(from: &reader)
        signature = try reader.raw(64, "signature")
    }

    /// Throws `BorshError`, also when something follows.
    package init(_ bytes: Data) throws(BorshError) {
        var reader = BorshReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// Genesis, account, chain, signature, in this order. Throws `Problem`.
    package func verify() throws(Problem) {
        guard genesis.version == AccountGenesis.currentVersion else { throw .genesisVersion }
        guard genesis.account == statement.account else { throw .account }
        guard handoffs.count >= Int(statement.keyEpoch) else { throw .chain }
        var key = genesis.rootPublicKey
        // Later ones are not read: they say nothing about the key that signed.
        for (epoch, handoff) in handoffs.prefix(Int(statement.keyEpoch)).enumerated() {
            guard handoff.account == statement.account, Int(handoff.fromEpoch) == epoch, handoff.isSigned(by: key)
            else { throw .chain }
            key = handoff.newRootPublicKey
        }
        guard Ed25519.verify(publicKey: key, signature: signature, message: statement.payload) else {
            throw .signature
        }
    }
}

/// What an account's root signs.
package protocol RootStatement: Sendable {
    /// 32 bytes.
    var account: Data { get }
    /// Which of the account's root keys signs: 0 for the first.
    var keyEpoch: UInt32 { get }
    /// The 32 bytes that are signed.
    var payload: Data { get }
    init(from reader: inout BorshReader) throws(BorshError)
}
