import Foundation
import MeroKit

/// What stands before an act that only the owner's account root may authorise.
///
/// Spec: 30, section 7; 50, section 14.
struct OwnerGuard {
    let op: OwnerOp
    /// What the request carried.
    let proof: AccountProof<OwnerAuthorization>?
    let identity: NodeIdentity

    private static let field = "rootProof"

    init(_ op: OwnerOp, proof: String?, identity: NodeIdentity) throws {
        self.op = op
        self.identity = identity
        guard let proof else {
            self.proof = nil
            return
        }
        func refused(_ why: String) -> NodeRefusal {
            NodeRefusal(400, "Field '\(Self.field)' contains invalid hex encoding: \(why)")
        }
        guard !proof.isEmpty else { throw refused("empty; omit the field entirely if you have no proof") }
        guard let bytes = Hex.decode(proof) else { throw refused("not valid hex") }
        do {
            self.proof = try AccountProof(Data(bytes))
        } catch {
            throw NodeRefusal(400, "root proof is invalid: \(error)")
        }
    }

    /// Checks the authority and counts the act. Throws `NodeRefusal`.
    func pass(_ actor: String, in id: String, _ state: inout GroupState) throws {
        guard let group = state[id], let namespace = state.namespace(of: id) else { throw RelayService.unknownGroup }
        if let proof, Hex.encode(proof.statement.account) != actor {
            throw NodeRefusal(403, "root proof is for another account than the one this node's device is bound to")
        }
        guard group.owner == actor else { throw NodeRefusal(403, "only the owner of group \(id) may do this") }
        guard let proof else {
            guard identity.holdsRoot else {
                throw NodeRefusal(403, "root proof required: this node does not hold the account root of \(actor)")
            }
            state.groups[id]?.ownerOpCounter += 1
            return
        }
        try check(proof, namespace, id, known: state[namespace]?.rootKeys[actor] ?? [])
        let counter = group.ownerOpCounter
        guard proof.statement.counter == counter else {
            throw NodeRefusal(409, "stale owner-op counter: expected \(counter), got \(proof.statement.counter)")
        }
        state.groups[namespace]?.rootKeys[actor] = Self.keys(proof)
        state.groups[id]?.ownerOpCounter += 1
    }

    private func check(
        _ proof: AccountProof<OwnerAuthorization>, _ namespace: String, _ id: String, known: [String]
    ) throws {
        func refused(_ why: String) -> NodeRefusal { NodeRefusal(400, "root proof \(why)") }
        let statement = proof.statement
        do {
            try proof.verify()
        } catch {
            throw refused("does not verify: \(error)")
        }
        guard (0...5).contains(statement.kind) else { throw refused("is not for a guarded kind of op") }
        let bytes: Data
        do {
            bytes = try op.bytes
        } catch {
            throw refused("cannot be checked against this op")
        }
        guard Hex.encode(statement.namespaceId) == namespace, Hex.encode(statement.groupId) == id,
            statement.kind == op.kind, statement.opDigest == OwnerAuthorization.digest(bytes)
        else { throw refused("does not match the op presented with it") }
        let keys = Self.keys(proof)
        guard keys.count >= known.count else {
            throw refused("has root epoch \(statement.keyEpoch), below the recorded \(known.count - 1)")
        }
        guard keys.starts(with: known) else { throw refused("carries a forked root chain") }
    }

    /// The account's root keys up to the one that signed.
    private static func keys(_ proof: AccountProof<OwnerAuthorization>) -> [String] {
        let handoffs = proof.handoffs.prefix(Int(proof.statement.keyEpoch))
        return [Hex.encode(proof.genesis.rootPublicKey)] + handoffs.map { Hex.encode($0.newRootPublicKey) }
    }
}
