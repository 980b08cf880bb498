import Foundation

/// The statement by which an account's root authorises one owner op, once.
///
/// Spec: 50, section 14.
package struct OwnerAuthorization: RootStatement, Equatable {
    package let account: Data
    package let namespaceId: Data
    package let groupId: Data
    package let kind: UInt8
    package let opDigest: Data
    package let counter: UInt64
    package let keyEpoch: UInt32

    init(
        account: Data, namespaceId: Data, groupId: Data, kind: UInt8, opBytes: Data, counter: UInt64, keyEpoch: UInt32
    ) {
        self.account = account
        self.namespaceId = namespaceId
        self.groupId = groupId
        self.kind = kind
        opDigest = Self.digest(opBytes)
        self.counter = counter
        self.keyEpoch = keyEpoch
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        account = try reader.raw(32, "account")
        namespaceId = try reader.raw(32, "namespace")
        groupId = try reader.raw(32, "group")
        kind = try reader.u8("kind")
        opDigest = try reader.raw(32, "op digest")
        counter = try reader.u64("counter")
        keyEpoch = try reader.u32("key epoch")
    }

    package static func digest(_ opBytes: Data) -> Data {
        domainHash("calimero.account.owner-op.body.v1", [opBytes])
    }

    package var payload: Data {
        domainHash(
            "calimero.account.owner-op.v1",
            [
                account, namespaceId, groupId, Data([kind]), opDigest, LittleEndian.u64(counter),
                LittleEndian.u32(keyEpoch),
            ])
    }

    package var bytes: Data {
        account + namespaceId + groupId + Data([kind]) + opDigest + LittleEndian.u64(counter)
            + LittleEndian.u32(keyEpoch)
    }
}

extension AccountRoot {
    /// Authorises one owner op; the `rootProof` in hex.
    ///
    /// - Parameters:
    ///   - op: what the owner agrees to.
    ///   - namespaceId: the group's namespace, as the group's info has it.
    ///   - groupId: the group; the namespace for a change of its admin and for the TEE policies.
    ///   - counter: the `ownerOpCounter` of the group's info. A proof works once.
    ///
    /// Throws `AccountError.invalidInput`. Spec: 50, section 14.
    public func authorize(_ op: OwnerOp, namespaceId: String, groupId: String, counter: UInt64) throws -> String {
        try authorize(
            kind: op.kind, opBytes: op.bytes, namespaceId: namespaceId, groupId: groupId, counter: counter)
    }

    /// The same for an account whose root was handed on, by the root that is in force now.
    ///
    /// - Parameters:
    ///   - op: what the owner agrees to.
    ///   - namespaceId: the namespace, 64 hex characters.
    ///   - groupId: the group, 64 hex characters.
    ///   - counter: the `ownerOpCounter` of the group's info.
    ///   - genesisPublicKey: the account's first root key.
    ///   - handoffs: from the first root on, each the hex of 132 bytes; as many as there were, and this root is the one
    ///     that the last of them names.
    ///
    /// Throws `AccountError.invalidInput`.
    public func authorize(
        _ op: OwnerOp, namespaceId: String, groupId: String, counter: UInt64, genesisPublicKey: String,
        handoffs: [String]
    ) throws -> String {
        let chain = try handoffs.map { try Hex.decode($0, label: "handoff", bytes: RootHandoff.size) }
        if let last = chain.last, Hex.encode(last[36..<68]) != publicKey {
            throw AccountError.invalidInput("the last handoff does not name this root")
        }
        guard !chain.isEmpty || genesisPublicKey.lowercased() == publicKey else {
            throw AccountError.invalidInput("without handoffs, the account's first root key has to be this one")
        }
        return try authorize(
            kind: op.kind, opBytes: op.bytes, namespaceId: namespaceId, groupId: groupId, counter: counter,
            genesis: AccountGenesis(rootPublicKey: Hex.id(genesisPublicKey, "genesisPublicKey")), chain: chain)
    }

    func authorize(
        kind: UInt8, opBytes: Data, namespaceId: String, groupId: String, counter: UInt64,
        genesis: AccountGenesis? = nil, chain: [Data] = []
    ) throws -> String {
        let genesis = try genesis ?? AccountGenesis(rootPublicKey: Hex.id(publicKey, "publicKey"))
        let statement = OwnerAuthorization(
            account: genesis.account, namespaceId: try Hex.id(namespaceId, "namespaceId"),
            groupId: try Hex.id(groupId, "groupId"), kind: kind, opBytes: opBytes, counter: counter,
            keyEpoch: UInt32(chain.count))
        var writer = BorshWriter()
        writer.raw(genesis.bytes)
        writer.list(chain)
        writer.raw(statement.bytes)
        writer.raw(try sign(statement.payload))
        return Hex.encode(writer.data)
    }
}
