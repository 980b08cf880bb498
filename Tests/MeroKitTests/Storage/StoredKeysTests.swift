import Foundation
import Testing

@testable import MeroKit

/// Keys are a device: what is stored of them is never replaced by accident.
@Suite("Stored keys")
struct StoredKeysTests {
    /// What can be where the keys should be, and cannot be read as keys.
    enum Damage: String, CaseIterable, Sendable {
        case cut, empty, otherJSON, otherKeys, writableByOthers, folder, tooLarge

        func apply(to url: URL, keys: DeviceKeys) throws {
            let whole = try MeroJSON.encode(keys)
            switch self {
            case .cut: try whole.dropLast(10).write(to: url)
            case .empty: try Data().write(to: url)
            case .otherJSON: try Data("{oops".utf8).write(to: url)
            case .otherKeys: try Data(#"{"sign_sk":"00","kem_sk":"00"}"#.utf8).write(to: url)
            case .writableByOthers:
                try whole.write(to: url)
                try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: url.path)
            case .folder: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            case .tooLarge: try (whole + Data(repeating: 0x20, count: 1 << 20)).write(to: url)
            }
        }
    }

    private static func with(_ body: (_ folder: URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test("What cannot be read stays as it is", arguments: Damage.allCases)
    func damaged(_ damage: Damage) async throws {
        try await Self.with { folder in
            let url = folder.appendingPathComponent("device.json")
            try damage.apply(to: url, keys: .generate())
            func content() -> Data? { try? Data(contentsOf: url) }
            let before = content()
            let store = AnyValueStore(FileValueStore<DeviceKeys>(url: url))

            let error = #expect(throws: SecureValueStoreError.self) { try DeviceKeys.stored(in: store) }
            #expect(error?.localizedDescription.contains(url.path) == true)
            #expect(error?.localizedDescription.contains("oops") == false)
            var failures: [any Error] = []
            let first = DeviceKeys.loadOrCreate(in: store) { failures.append($0) }
            // One device for as long as the process runs, however the store was made.
            let again = DeviceKeys.loadOrCreate(in: AnyValueStore(FileValueStore(url: url))) { failures.append($0) }
            #expect(first == again && DeviceKeys.loadOrCreate(in: store) == first)
            #expect(failures.count == 2 && failures.allSatisfy { $0 is SecureValueStoreError })
            #expect(content() == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["device.json"])
        }
    }

    @Test("A path that cannot be written gives one device, and says so")
    func unwritable() async throws {
        try await Self.with { folder in
            let file = folder.appendingPathComponent("file")
            try Data().write(to: file)
            let store = AnyValueStore(FileValueStore<DeviceKeys>(url: file.appendingPathComponent("device.json")))
            #expect(throws: SecureValueStoreError.self) { try DeviceKeys.stored(in: store) }
            var failures = 0
            let keys = DeviceKeys.loadOrCreate(in: store) { _ in failures += 1 }
            #expect(DeviceKeys.loadOrCreate(in: store) == keys)
            #expect(failures == 1)
        }
    }

    @Test("A file is created once, whoever tries")
    func createdOnce() async throws {
        try await Self.with { folder in
            let file = PrivateFile(path: folder.appendingPathComponent("deeper/secret").path)
            let winners = await withTaskGroup(of: Int?.self) { group in
                for number in 0..<20 {
                    group.addTask { (try? file.create(with: Data("\(number)".utf8))) == true ? number : nil }
                }
                return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
            }
            #expect(winners.count == 1)
            #expect(try file.content() == winners.first.map { Data("\($0)".utf8) })
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("deeper").path)
            #expect(left == ["secret"])
        }
    }

    @Test("A store of one's own, which can only load and save, works as far as that goes")
    func storeOfOnesOwn() throws {
        final class Forgetful: SecureValueStore {
            func load() -> DeviceKeys? { nil }
            func save(_ value: DeviceKeys) {}
            func clear() {}
        }
        let memory = AnyValueStore<DeviceKeys>.memory()
        let keys = try DeviceKeys.stored(in: memory)
        #expect(try DeviceKeys.stored(in: memory) == keys)
        #expect(try memory.create(.generate()) == false)
        #expect(throws: SecureValueStoreError.self) { try DeviceKeys.stored(in: AnyValueStore(Forgetful())) }
        #expect(DeviceKeys.loadOrCreate(in: AnyValueStore(Forgetful())) != keys)
    }

    @Test("An account that is half written is told from none")
    func halfAnAccount() throws {
        let credentials = AnyValueStore<DelegatedCredential>.memory()
        let sessions = AnyValueStore<DelegatedSession>.memory()
        let store = DelegatedAccountStore(credentials: credentials, sessions: sessions)
        #expect(try store.read() == nil)
        let half = DelegatedCredential(account: String(repeating: "ab", count: 32), credential: "", deviceKey: "")
        credentials.save(half)
        #expect(throws: SecureValueStoreError.self) { try store.read() }
        #expect(store.load() == nil)
        sessions.save(DelegatedSession(credential: half))
        #expect(throws: SecureValueStoreError.self) { try store.read() }
    }
}
