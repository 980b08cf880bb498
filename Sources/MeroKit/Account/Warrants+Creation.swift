import Foundation

extension Warrants {
    /// A new context in a group.
    ///
    /// Spec: 50, section 10.2.
    public struct CreationInput: Sendable {
        /// Where, 64 hex characters.
        public var group: String
        /// What the node derives the context's id from: 32 random bytes in hex.
        public var seed: String
        /// As whom.
        public var authorAccount: String
        /// The account of the node that is to act.
        public var executor: String
        /// That node's key for the purpose.
        public var executorKey: String
        /// What runs in the context.
        public var applicationId: String
        /// Which of the application's services. Nil and empty are signed differently.
        public var serviceName: String?
        /// How the context is called. Nil and empty are signed differently.
        public var name: String?
        /// The arguments of the application's own initialisation.
        public var initArgs: JSONValue
        /// From a `WarrantNonceStore`.
        public var nonce: UInt64
        /// Unix seconds.
        public var notAfter: UInt64
        /// What the author had seen of its account, at most 64 heads.
        public var accountHeads: [String]
        /// What the author had seen of the group's governance, at most 64 heads.
        public var governanceFloor: [String]
        /// The canonical text of the arguments, where a `JSONValue` could not hold them exactly. Counts in place of
        /// `initArgs`.
        package var canonicalArguments: Data?

        /// Makes a value of its parts. The seed is a new one unless given.
        public init(
            group: String, seed: String = Hex.encode(randomBytes(32)), authorAccount: String, executor: String,
            executorKey: String, applicationId: String, serviceName: String? = nil, name: String? = nil,
            initArgs: JSONValue = [:], nonce: UInt64, notAfter: UInt64, accountHeads: [String] = [],
            governanceFloor: [String] = []
        ) {
            self.group = group
            self.seed = seed
            self.authorAccount = authorAccount
            self.executor = executor
            self.executorKey = executorKey
            self.applicationId = applicationId
            self.serviceName = serviceName
            self.name = name
            self.initArgs = initArgs
            self.nonce = nonce
            self.notAfter = notAfter
            self.accountHeads = accountHeads
            self.governanceFloor = governanceFloor
        }
    }

    /// What a warrant says of the arguments, 32 bytes.
    public static func creationInitHash(_ initArgs: JSONValue) -> Data {
        creationInitHash(canonicalArguments: CanonicalJSON.data(initArgs))
    }

    package static func creationInitHash(canonicalArguments: Data) -> Data {
        domainHash("calimero.context-creation.init.v1", [canonicalArguments])
    }

    /// The 32 bytes that the device signs. Throws `AccountError.invalidInput`.
    public static func creationPreimage(_ input: CreationInput, devicePublicKey: Data) throws -> Data {
        try CreationWarrant(input, deviceKey: devicePublicKey).preimage
    }

    /// The signed warrant in hex. Throws `AccountError.invalidInput`.
    public static func creationWire(_ input: CreationInput, devicePublicKey: Data, signature: Data) throws -> String {
        try wire(CreationWarrant(input, deviceKey: devicePublicKey), signature)
    }

    /// Signs with the device's keys; the warrant in hex. Throws `AccountError.invalidInput`.
    public static func signCreationWarrant(_ input: CreationInput, keys: DeviceKeys) throws -> String {
        try signed(CreationWarrant(input, deviceKey: keys.signPublicKeyBytes), keys)
    }

    /// Signs with a signer; the warrant in hex. Throws `AccountError.invalidInput`, and what the signer throws.
    public static func signCreationWarrant(_ input: CreationInput, signer: any DeviceSigner) async throws -> String {
        try await signed(CreationWarrant(input, deviceKey: signer.signPublicKeyBytes), signer)
    }
}

/// A warrant for a new context, as it travels.
///
/// Spec: 50, section 10.2.
package struct CreationWarrant: SignedWarrant {
    package let group: Data
    package let seed: Data
    package let authorAccount: Data
    package let deviceKey: Data
    package let executor: Data
    package let executorKey: Data
    package let applicationId: Data
    package let serviceName: String?
    package let name: String?
    package let initHash: Data
    package let tail: WarrantTail
    package let signature: Data

    init(_ input: Warrants.CreationInput, deviceKey: Data) throws {
        group = try Hex.id(input.group, "group")
        seed = try Hex.id(input.seed, "seed")
        authorAccount = try Hex.id(input.authorAccount, "authorAccount")
        self.deviceKey = try Warrants.deviceKey(deviceKey)
        executor = try Hex.id(input.executor, "executor")
        executorKey = try Hex.id(input.executorKey, "executorKey")
        applicationId = try Hex.id(input.applicationId, "applicationId")
        try Warrants.check(input.serviceName, atMost: Warrants.maxLabelBytes, "serviceName")
        try Warrants.check(input.name, atMost: Warrants.maxLabelBytes, "name")
        serviceName = input.serviceName
        name = input.name
        initHash = Warrants.creationInitHash(
            canonicalArguments: input.canonicalArguments ?? CanonicalJSON.data(input.initArgs))
        tail = try WarrantTail(
            accountHeads: input.accountHeads, governanceFloor: input.governanceFloor, nonce: input.nonce,
            notAfter: input.notAfter)
        signature = Data()
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        group = try reader.raw(32, "group")
        seed = try reader.raw(32, "seed")
        authorAccount = try reader.raw(32, "author account")
        deviceKey = try reader.raw(32, "device key")
        executor = try reader.raw(32, "executor")
        executorKey = try reader.raw(32, "executor key")
        applicationId = try reader.raw(32, "application")
        serviceName = try reader.optionString("service name")
        name = try reader.optionString("name")
        initHash = try reader.raw(32, "init hash")
        tail = try WarrantTail(from: &reader)
        signature = try reader.raw(64, "signature")
    }

    package var preimage: Data {
        func label(_ text: String?) -> [Data] { [Data([text == nil ? 0 : 1]), Data((text ?? "").utf8)] }
        let head = [group, seed, authorAccount, deviceKey, executor, executorKey, applicationId]
        return domainHash(
            "calimero.context-creation-warrant.v1",
            head + label(serviceName) + label(name) + [initHash] + tail.parts)
    }

    package func bytes(signature: Data) -> Data {
        var writer = BorshWriter()
        writer.raw(group + seed + authorAccount + deviceKey + executor + executorKey + applicationId)
        writer.optionString(serviceName)
        writer.optionString(name)
        writer.raw(initHash)
        tail.write(to: &writer)
        writer.raw(signature)
        return writer.data
    }

    package func checkBounds() throws(Warrants.Problem) {
        try tail.checkBounds()
        guard max(serviceName?.utf8.count ?? 0, name?.utf8.count ?? 0) <= Warrants.maxLabelBytes else {
            throw .labelTooLong
        }
    }
}
