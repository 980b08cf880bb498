import Foundation
import Testing

@testable import MeroKit

@Suite("Device keys")
struct DeviceKeysTests {
    @Test("Keys survive as JSON of two texts")
    func json() throws {
        let keys = try DeviceKeys(
            signSecret: Data(repeating: 0x6d, count: 32), kemSecret: Data(repeating: 0xab, count: 32))
        let json = try JSONEncoder().encode(keys)
        #expect(
            try JSONDecoder().decode([String: String].self, from: json)
                == ["sign_sk": String(repeating: "6d", count: 32), "kem_sk": String(repeating: "ab", count: 32)])
        #expect(try JSONDecoder().decode(DeviceKeys.self, from: json) == keys)
        #expect(keys.deviceSecret == String(repeating: "6d", count: 32))
        #expect(keys.signPublicKey.hasPrefix("8b237d788e8eaaef550c6d12"))
        for bad in [
            "{}", #"{"sign_sk":"00","kem_sk":"00"}"#, #"{"sign_sk":1,"kem_sk":2}"#,
            #"{"sign_sk":"\#(String(repeating: "zz", count: 32))","kem_sk":"\#(keys.deviceSecret)"}"#,
        ] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(DeviceKeys.self, from: Data(bad.utf8)) }
        }
    }

    @Test("Secrets of another size are refused", arguments: [(0, 32), (31, 32), (32, 33), (32, 0)])
    func sizes(sign: Int, kem: Int) {
        let error = #expect(throws: AccountError.self) {
            try DeviceKeys(signSecret: Data(count: sign), kemSecret: Data(count: kem))
        }
        #expect(error?.localizedDescription.contains(sign == 32 ? "kemSecret" : "signSecret") == true)
    }

    @Test("New keys differ, sign, and do not show themselves")
    func generate() throws {
        let keys = DeviceKeys.generate()
        #expect(keys != DeviceKeys.generate())
        let signature = try keys.sign(Data("message".utf8))
        #expect(
            Ed25519.verify(
                publicKey: try keys.signPublicKeyBytes, signature: signature, message: Data("message".utf8)))
        #expect(keys.kemPublicKey == Hex.encode(try X25519.publicKey(secret: keys.kemSecret)))
        struct Holder { let keys: DeviceKeys }
        var dumped = ""
        dump(Holder(keys: keys), to: &dumped)
        let inDecimals = "\(Array(keys.signSecret))".dropFirst().prefix(20)
        let secrets = [keys.deviceSecret, Hex.encode(keys.kemSecret), String(inDecimals)]
        for text in ["\(keys)", String(reflecting: keys), dumped, "\(Holder(keys: keys))", "\([keys])"] {
            #expect(text.contains(keys.signPublicKey))
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }

    @Test("Keys are made once per store")
    func loadOrCreate() throws {
        let memory = AnyValueStore<DeviceKeys>.memory()
        let keys = DeviceKeys.loadOrCreate(in: memory)
        #expect(DeviceKeys.loadOrCreate(in: memory) == keys)
        memory.clear()
        #expect(DeviceKeys.loadOrCreate(in: memory) != keys)
        #expect(DeviceKeys.loadOrCreate(in: .memory(keys)) == keys)
    }

    @Test("Callers at once get the same keys")
    func concurrentCreation() async {
        let store = AnyValueStore<DeviceKeys>.memory()
        let keys = await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { DeviceKeys.loadOrCreate(in: store).signPublicKey } }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    @Test("A file keeps them for its owner only")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("deeper/device.json")
        let keys = DeviceKeys.loadOrCreate(in: AnyValueStore(FileValueStore(url: url)))
        #expect(FileValueStore<DeviceKeys>(url: url).load() == keys)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let store = FileValueStore<DeviceKeys>(url: url)
        try Data("{}".utf8).write(to: url)
        #expect(store.load() == nil)
        try store.store(keys)
        #expect(store.load() == keys)
        store.clear()
        #expect(store.load() == nil)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        try FileManager.default.removeItem(at: folder)
        try Data().write(to: folder)
        #expect(throws: (any Error).self) { try store.store(keys) }
        store.save(keys)
        #expect(store.load() == nil)
    }

    @Test("A signer that signs with another key is found out")
    func lyingSigner() async throws {
        await #expect(throws: AccountError.self) { try await LyingSigner().checkedSignature(over: Data([1])) }
        struct Nobody: DeviceSigner {
            let signPublicKey = "nobody"
            func sign(_ message: Data) async throws -> Data { Data(count: 64) }
        }
        await #expect(throws: AccountError.self) { try await Nobody().checkedSignature(over: Data([1])) }
        struct Broken: DeviceSigner {
            struct Failure: Error {}
            let signPublicKey = DeviceKeys.generate().signPublicKey
            func sign(_ message: Data) async throws -> Data { throw Failure() }
        }
        await #expect(throws: Broken.Failure.self) { try await Broken().checkedSignature(over: Data([1])) }
        let keys = DeviceKeys.generate()
        let signature = try await OpaqueSigner(keys).checkedSignature(over: Data([1]))
        #expect(Ed25519.verify(publicKey: try keys.signPublicKeyBytes, signature: signature, message: Data([1])))
    }
}
