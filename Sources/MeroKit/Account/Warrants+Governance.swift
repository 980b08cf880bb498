import Foundation

extension Warrants {
    /// One change to a group or to a namespace, in the form that may be delegated. `GovernanceOps` makes them.
    ///
    /// Spec: 50, section 12.2.
    public struct GovernanceOp: Sendable, Equatable {
        /// What an op changes.
        public enum Kind: UInt8, Sendable {
            /// The group it is posted to.
            case group = 0
            /// The tree of groups: it is posted to the namespace.
            case root = 1
        }

        /// What it changes.
        public let kind: Kind
        /// Borsh.
        public let bytes: Data

        /// Makes a value of its parts.
        public init(kind: Kind, bytes: Data) {
            self.kind = kind
            self.bytes = bytes
        }
    }

    /// One op on a group.
    ///
    /// Spec: 50, section 10.3.
    public struct GovernanceInput: Sendable {
        /// The group itself for an op of kind `group`, the namespace for one of kind `root`; 64 hex characters.
        public var scope: String
        /// What is changed.
        public var op: GovernanceOp
        /// As whom.
        public var authorAccount: String
        /// The account of the node that is to act.
        public var executor: String
        /// That node's key for the purpose.
        public var executorKey: String
        /// From a `WarrantNonceStore`.
        public var nonce: UInt64
        /// Unix seconds.
        public var notAfter: UInt64
        /// What the author had seen of its account, at most 64 heads.
        public var accountHeads: [String]
        /// What the author had seen of the group's governance, at most 64 heads.
        public var governanceFloor: [String]

        /// Makes a value of its parts.
        public init(
            scope: String, op: GovernanceOp, authorAccount: String, executor: String, executorKey: String,
            nonce: UInt64, notAfter: UInt64, accountHeads: [String] = [], governanceFloor: [String] = []
        ) {
            self.scope = scope
            self.op = op
            self.authorAccount = authorAccount
            self.executor = executor
            self.executorKey = executorKey
            self.nonce = nonce
            self.notAfter = notAfter
            self.accountHeads = accountHeads
            self.governanceFloor = governanceFloor
        }
    }

    /// What a warrant says of the op, 32 bytes.
    public static func governanceOpHash(_ op: GovernanceOp) -> Data {
        domainHash("calimero.governance-warrant.op.v1", [Data([op.kind.rawValue]), op.bytes])
    }

    /// The 32 bytes that the device signs. Throws `AccountError.invalidInput`.
    public static func governancePreimage(_ input: GovernanceInput, devicePublicKey: Data) throws -> Data {
        try GovernanceWarrant(input, deviceKey: devicePublicKey).preimage
    }

    /// The signed warrant in hex. Throws `AccountError.invalidInput`.
    public static func governanceWire(
        _ input: GovernanceInput, devicePublicKey: Data, signature: Data
    ) throws -> String {
        try wire(GovernanceWarrant(input, deviceKey: devicePublicKey), signature)
    }

    /// Signs with the device's keys; the warrant in hex. Throws `AccountError.invalidInput`.
    public static func signGovernanceWarrant(_ input: GovernanceInput, keys: DeviceKeys) throws -> String {
        try signed(GovernanceWarrant(input, deviceKey: keys.signPublicKeyBytes), keys)
    }

    /// Signs with a signer; the warrant in hex. Throws `AccountError.invalidInput`, and what the signer throws.
    public static func signGovernanceWarrant(
        _ input: GovernanceInput, signer: any DeviceSigner
    ) async throws -> String {
        try await signed(GovernanceWarrant(input, deviceKey: signer.signPublicKeyBytes), signer)
    }
}

/// A warrant for an op on a group, as it travels.
///
/// Spec: 50, section 10.3.
package struct GovernanceWarrant: SignedWarrant {
    package let scope: Data
    package let kind: Warrants.GovernanceOp.Kind
    package let authorAccount: Data
    package let deviceKey: Data
    package let executor: Data
    package let executorKey: Data
    package let opHash: Data
    package let tail: WarrantTail
    package let signature: Data

    init(_ input: Warrants.GovernanceInput, deviceKey: Data) throws {
        scope = try Hex.id(input.scope, "scope")
        kind = input.op.kind
        authorAccount = try Hex.id(input.authorAccount, "authorAccount")
        self.deviceKey = try Warrants.deviceKey(deviceKey)
        executor = try Hex.id(input.executor, "executor")
        executorKey = try Hex.id(input.executorKey, "executorKey")
        opHash = Warrants.governanceOpHash(input.op)
        tail = try WarrantTail(
            accountHeads: input.accountHeads, governanceFloor: input.governanceFloor, nonce: input.nonce,
            notAfter: input.notAfter)
        signature = Data()
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        scope = try reader.raw(32, "scope")
        guard let kind = Warrants.GovernanceOp.Kind(rawValue: try reader.u8("kind")) else { throw .invalid("kind") }
        self.kind = kind
        authorAccount = try reader.raw(32, "author account")
        deviceKey = try reader.raw(32, "device key")
        executor = try reader.raw(32, "executor")
        executorKey = try reader.raw(32, "executor key")
        opHash = try reader.raw(32, "op hash")
        tail = try WarrantTail(from: &reader)
        signature = try reader.raw(64, "signature")
    }

    package var preimage: Data {
        let head = [scope, Data([kind.rawValue]), authorAccount, deviceKey, executor, executorKey, opHash]
        return domainHash("calimero.governance-warrant.v1", head + tail.parts)
    }

    package func bytes(signature: Data) -> Data {
        var writer = BorshWriter()
        writer.raw(scope)
        writer.u8(kind.rawValue)
        writer.raw(authorAccount + deviceKey + executor + executorKey + opHash)
        tail.write(to: &writer)
        writer.raw(signature)
        return writer.data
    }

    package func checkBounds() throws(Warrants.Problem) { try tail.checkBounds() }
}
