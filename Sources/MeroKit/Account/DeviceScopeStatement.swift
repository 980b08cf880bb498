import Foundation

/// The statement that says for which applications a device may speak. None means all.
///
/// Spec: 50, section 6.2.
package struct DeviceScopeStatement: RootStatement, Equatable {
    package let account: Data
    package let device: Data
    package let applications: [Data]
    package let scopeEpoch: UInt32
    package let keyEpoch: UInt32

    package init(account: Data, device: Data, applications: [Data], scopeEpoch: UInt32, keyEpoch: UInt32) {
        self.account = account
        self.device = device
        self.applications = applications
        self.scopeEpoch = scopeEpoch
        self.keyEpoch = keyEpoch
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        account = try reader.raw(32, "account")
        device = try reader.raw(32, "device")
        applications = try reader.list(of: 32, "applications")
        scopeEpoch = try reader.u32("scope epoch")
        keyEpoch = try reader.u32("key epoch")
    }

    /// Here the epochs come before the applications, on the wire after them.
    package var payload: Data {
        domainHash(
            "calimero.device.scope.v1",
            [account, device, LittleEndian.u32(scopeEpoch), LittleEndian.u32(keyEpoch)] + applications)
    }

    package var bytes: Data {
        var writer = BorshWriter()
        writer.raw(account + device)
        writer.list(applications)
        writer.u32(scopeEpoch)
        writer.u32(keyEpoch)
        return writer.data
    }
}

extension AccountRoot {
    /// Says for which applications a device of this account may speak; the proof in hex, to be sent beside its
    /// credential. An empty list means all.
    ///
    /// - Parameters:
    ///   - device: the device's id, 64 hex characters.
    ///   - applications: ids of applications, 64 hex characters each.
    ///   - scopeEpoch: rises with every new scope of the device.
    ///
    /// Throws `AccountError.invalidInput` for what is no id. Spec: 50, section 6.2.
    public func scope(device: String, applications: [String] = [], scopeEpoch: UInt32 = 0) throws -> String {
        let scope = DeviceScopeStatement(
            account: try Hex.id(accountId, "account"), device: try Hex.id(device, "device"),
            applications: try applications.map { try Hex.id($0, "application") }, scopeEpoch: scopeEpoch, keyEpoch: 0)
        let signature = try sign(scope.payload)
        return Hex.encode(try genesisProofHead + scope.bytes + signature)
    }
}
