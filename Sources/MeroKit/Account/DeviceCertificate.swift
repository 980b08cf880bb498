import Foundation

/// The statement by which an account takes in a device.
///
/// Spec: 50, section 5.
package struct DeviceCertificate: RootStatement, Equatable {
    package let account: Data
    package let device: Data
    package let signPublicKey: Data
    package let kemPublicKey: Data
    package let keyEpoch: UInt32
    package let deviceEpoch: UInt32

    package init(
        account: Data, device: Data, signPublicKey: Data, kemPublicKey: Data, keyEpoch: UInt32, deviceEpoch: UInt32
    ) {
        self.account = account
        self.device = device
        self.signPublicKey = signPublicKey
        self.kemPublicKey = kemPublicKey
        self.keyEpoch = keyEpoch
        self.deviceEpoch = deviceEpoch
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        account = try reader.raw(32, "account")
        device = try reader.raw(32, "device")
        signPublicKey = try reader.raw(32, "signing key")
        kemPublicKey = try reader.raw(32, "KEM key")
        keyEpoch = try reader.u32("key epoch")
        deviceEpoch = try reader.u32("device epoch")
    }

    package var payload: Data {
        domainHash(
            "calimero.device.cert.v1",
            [
                account, device, signPublicKey, kemPublicKey, LittleEndian.u32(keyEpoch),
                LittleEndian.u32(deviceEpoch),
            ])
    }

    package var bytes: Data {
        account + device + signPublicKey + kemPublicKey + LittleEndian.u32(keyEpoch) + LittleEndian.u32(deviceEpoch)
    }
}
