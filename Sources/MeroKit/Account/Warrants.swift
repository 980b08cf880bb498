import Foundation

/// Warrants: a device signs that an executor may do one thing, once.
///
/// There are three: `WarrantInput` for a write in a context, `CreationInput` for a new context, `GovernanceInput` for an op
/// on a group. Each has its hash, its preimage (what is signed), its wire (what is sent) and a call that signs. Everything
/// that a node would refuse at sight is refused here first, with `AccountError.invalidInput`. Spec: 50, section 10.
///
/// ```swift
/// let warrant = try Warrants.signWarrant(
///     .init(
///         context: context, authorAccount: account, executor: relay.executorAccount,
///         executorKey: relay.executorKey, releaseBytecodeId: relay.releaseBytecodeId,
///         releaseVersion: relay.releaseVersion, method: "set", argsJson: ["key": "k", "value": "v"],
///         nonce: nonces.next(relay: url), notAfter: now + 300),
///     keys: keys)
/// ```
public enum Warrants {
    /// How many heads a list may cite.
    public static let maxCitedHeads = 64
    /// How long the version of a release may be, in bytes of UTF-8.
    public static let maxReleaseVersionBytes = 256
    /// How long the labels of a new context may be, in bytes of UTF-8.
    public static let maxLabelBytes = 256

    /// Why a warrant that could be read does not hold.
    package enum Problem: Error, Equatable {
        case tooManyHeads
        case releaseVersionTooLong
        case labelTooLong
        case signature
    }

    static func checkedHeads(_ heads: [String], _ label: String) throws -> [Data] {
        guard heads.count <= maxCitedHeads else {
            throw AccountError.invalidInput("\(label) cites \(heads.count) heads, \(maxCitedHeads) are allowed")
        }
        return try heads.map { try Hex.id($0, label) }
    }

    static func check(_ text: String?, atMost limit: Int, _ label: String) throws {
        guard let text, text.utf8.count > limit else { return }
        throw AccountError.invalidInput("\(label) has \(text.utf8.count) bytes, \(limit) are allowed")
    }

    static func deviceKey(_ key: Data) throws -> Data {
        guard key.count == 32 else {
            throw AccountError.invalidInput("devicePublicKey must be 32 bytes, got \(key.count)")
        }
        return key
    }

    static func wire(_ warrant: some SignedWarrant, _ signature: Data) throws -> String {
        guard signature.count == 64 else {
            throw AccountError.invalidInput("signature must be 64 bytes, got \(signature.count)")
        }
        return Hex.encode(warrant.bytes(signature: signature))
    }

    /// The warrant in hex, signed with the device's keys.
    static func signed(_ warrant: some SignedWarrant, _ keys: DeviceKeys) throws -> String {
        try wire(warrant, keys.sign(warrant.preimage))
    }

    /// The same with a signer.
    static func signed(_ warrant: some SignedWarrant, _ signer: any DeviceSigner) async throws -> String {
        try wire(warrant, await signer.checkedSignature(over: warrant.preimage))
    }
}

/// What the three warrants have in common.
package protocol SignedWarrant: Sendable {
    /// The author's device key, 32 bytes.
    var deviceKey: Data { get }
    /// The 32 bytes that the device signs.
    var preimage: Data { get }
    /// 64 bytes, none in a warrant that is yet to be signed.
    var signature: Data { get }
    /// What travels.
    func bytes(signature: Data) -> Data
    init(from reader: inout BorshReader) throws(BorshError)
    /// Throws for what is above the limits.
    func checkBounds() throws(Warrants.Problem)
}

extension SignedWarrant {
    /// Throws `BorshError`, also when something follows.
    package init(_ bytes: Data) throws(BorshError) {
        var reader = BorshReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// Bounds and signature, in this order. Throws `Warrants.Problem`.
    package func verify() throws(Warrants.Problem) {
        try checkBounds()
        guard Ed25519.verify(publicKey: deviceKey, signature: signature, message: preimage) else {
            throw .signature
        }
    }
}

/// Which state an author had seen, and until when a warrant counts: the end of every warrant.
package struct WarrantTail: Sendable, Equatable {
    package let accountHeads: [Data]
    package let governanceFloor: [Data]
    package let nonce: UInt64
    /// Unix seconds.
    package let notAfter: UInt64

    init(accountHeads: [String], governanceFloor: [String], nonce: UInt64, notAfter: UInt64) throws {
        self.accountHeads = try Warrants.checkedHeads(accountHeads, "accountHeads")
        self.governanceFloor = try Warrants.checkedHeads(governanceFloor, "governanceFloor")
        self.nonce = nonce
        self.notAfter = notAfter
    }

    init(from reader: inout BorshReader) throws(BorshError) {
        accountHeads = try reader.list(of: 32, "account heads")
        governanceFloor = try reader.list(of: 32, "governance floor")
        nonce = try reader.u64("nonce")
        notAfter = try reader.u64("not after")
    }

    var parts: [Data] {
        [LittleEndian.u64(UInt64(accountHeads.count))] + accountHeads
            + [LittleEndian.u64(UInt64(governanceFloor.count))] + governanceFloor
            + [LittleEndian.u64(nonce), LittleEndian.u64(notAfter)]
    }

    func write(to writer: inout BorshWriter) {
        writer.list(accountHeads)
        writer.list(governanceFloor)
        writer.u64(nonce)
        writer.u64(notAfter)
    }

    func checkBounds() throws(Warrants.Problem) {
        guard max(accountHeads.count, governanceFloor.count) <= Warrants.maxCitedHeads else { throw .tooManyHeads }
    }
}
