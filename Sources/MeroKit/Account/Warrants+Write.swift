import Foundation

extension Warrants {
    /// A write in a context. `executor`, `executorKey` and the release come from the relay, read right before signing.
    ///
    /// Spec: 50, section 10.1.
    public struct WarrantInput: Sendable {
        /// Where, 64 hex characters.
        public var context: String
        /// As whom.
        public var authorAccount: String
        /// The account of the node that is to act.
        public var executor: String
        /// That node's key in the context.
        public var executorKey: String
        /// The program that runs there.
        public var releaseBytecodeId: String
        /// The program's version: signed, never compared.
        public var releaseVersion: String
        /// What is called.
        public var method: String
        /// With which arguments; `{}` for none.
        public var argsJson: JSONValue
        /// From a `WarrantNonceStore`.
        public var nonce: UInt64
        /// Unix seconds.
        public var notAfter: UInt64
        /// What the author had seen of its account, at most 64 heads.
        public var accountHeads: [String]
        /// What the author had seen of the group's governance, at most 64 heads.
        public var governanceFloor: [String]
        /// The canonical text of the arguments, where a `JSONValue` could not hold them exactly. Counts in place of
        /// `argsJson`.
        package var canonicalArguments: Data?

        /// Makes a value of its parts.
        public init(
            context: String, authorAccount: String, executor: String, executorKey: String, releaseBytecodeId: String,
            releaseVersion: String, method: String, argsJson: JSONValue, nonce: UInt64, notAfter: UInt64,
            accountHeads: [String] = [], governanceFloor: [String] = []
        ) {
            self.context = context
            self.authorAccount = authorAccount
            self.executor = executor
            self.executorKey = executorKey
            self.releaseBytecodeId = releaseBytecodeId
            self.releaseVersion = releaseVersion
            self.method = method
            self.argsJson = argsJson
            self.nonce = nonce
            self.notAfter = notAfter
            self.accountHeads = accountHeads
            self.governanceFloor = governanceFloor
        }
    }

    /// What a warrant says of method and arguments, 32 bytes.
    public static func intentHash(method: String, argsJson: JSONValue) -> Data {
        intentHash(method: method, canonicalArguments: CanonicalJSON.data(argsJson))
    }

    package static func intentHash(method: String, canonicalArguments: Data) -> Data {
        domainHash("calimero.warrant.intent.v1", [Data(method.utf8), canonicalArguments])
    }

    /// The 32 bytes that the device signs. Throws `AccountError.invalidInput`.
    public static func warrantPreimage(_ input: WarrantInput, devicePublicKey: Data) throws -> Data {
        try WriteWarrant(input, deviceKey: devicePublicKey).preimage
    }

    /// The signed warrant in hex. Throws `AccountError.invalidInput`.
    public static func warrantWire(_ input: WarrantInput, devicePublicKey: Data, signature: Data) throws -> String {
        try wire(WriteWarrant(input, deviceKey: devicePublicKey), signature)
    }

    /// Signs with the device's keys; the warrant in hex. Throws `AccountError.invalidInput`.
    public static func signWarrant(_ input: WarrantInput, keys: DeviceKeys) throws -> String {
        try signed(WriteWarrant(input, deviceKey: keys.signPublicKeyBytes), keys)
    }

    /// Signs with a signer; the warrant in hex. Throws `AccountError.invalidInput`, and what the signer throws.
    public static func signWarrant(_ input: WarrantInput, signer: any DeviceSigner) async throws -> String {
        try await signed(WriteWarrant(input, deviceKey: signer.signPublicKeyBytes), signer)
    }
}

/// A warrant for a write, as it travels.
///
/// Spec: 50, section 10.1.
package struct WriteWarrant: SignedWarrant {
    package let context: Data
    package let authorAccount: Data
    package let deviceKey: Data
    package let executor: Data
    package let executorKey: Data
    package let releaseBytecodeId: Data
    package let releaseVersion: String
    package let method: String
    package let intentHash: Data
    package let tail: WarrantTail
    package let signature: Data

    init(_ input: Warrants.WarrantInput, deviceKey: Data) throws {
        context = try Hex.id(input.context, "context")
        authorAccount = try Hex.id(input.authorAccount, "authorAccount")
        self.deviceKey = try Warrants.deviceKey(deviceKey)
        executor = try Hex.id(input.executor, "executor")
        executorKey = try Hex.id(input.executorKey, "executorKey")
        releaseBytecodeId = try Hex.id(input.releaseBytecodeId, "releaseBytecodeId")
        try Warrants.check(input.releaseVersion, atMost: Warrants.maxReleaseVersionBytes, "releaseVersion")
        releaseVersion = input.releaseVersion
        method = input.method
        intentHash = Warrants.intentHash(
            method: input.method,
            canonicalArguments: input.canonicalArguments ?? CanonicalJSON.data(input.argsJson))
        tail = try WarrantTail(
            accountHeads: input.accountHeads, governanceFloor: input.governanceFloor, nonce: input.nonce,
            notAfter: input.notAfter)
        signature = Data()
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        context = try reader.raw(32, "context")
        authorAccount = try reader.raw(32, "author account")
        deviceKey = try reader.raw(32, "device key")
        executor = try reader.raw(32, "executor")
        executorKey = try reader.raw(32, "executor key")
        releaseBytecodeId = try reader.raw(32, "release")
        releaseVersion = try reader.string("release version")
        method = try reader.string("method")
        intentHash = try reader.raw(32, "intent hash")
        tail = try WarrantTail(from: &reader)
        signature = try reader.raw(64, "signature")
    }

    package var preimage: Data {
        let head = [context, authorAccount, deviceKey, executor, executorKey, releaseBytecodeId]
        return domainHash(
            "calimero.warrant.v2",
            head + [Data(releaseVersion.utf8), Data(method.utf8), intentHash] + tail.parts)
    }

    package func bytes(signature: Data) -> Data {
        var writer = BorshWriter(capacity: 512)
        for id in [context, authorAccount, deviceKey, executor, executorKey, releaseBytecodeId] { writer.raw(id) }
        writer.string(releaseVersion)
        writer.string(method)
        writer.raw(intentHash)
        tail.write(to: &writer)
        writer.raw(signature)
        return writer.data
    }

    package func checkBounds() throws(Warrants.Problem) {
        try tail.checkBounds()
        guard releaseVersion.utf8.count <= Warrants.maxReleaseVersionBytes else { throw .releaseVersionTooLong }
    }
}
