import Foundation

/// The statement that a device is one of an account's no more. Nodes mint it.
///
/// Spec: 50, section 6.3.
package struct DeviceRevocation: RootStatement, Equatable {
    package let account: Data
    package let device: Data
    package let keyEpoch: UInt32

    package init(account: Data, device: Data, keyEpoch: UInt32) {
        self.account = account
        self.device = device
        self.keyEpoch = keyEpoch
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        account = try reader.raw(32, "account")
        device = try reader.raw(32, "device")
        keyEpoch = try reader.u32("key epoch")
    }

    package var payload: Data {
        domainHash("calimero.device.revocation.v1", [account, device, LittleEndian.u32(keyEpoch)])
    }

    /// 132 bytes.
    package func signed(_ signature: Data) -> Data { account + device + LittleEndian.u32(keyEpoch) + signature }
}
