import Foundation
import Testing

@testable import MeroKit

/// What every store does. Spec: 60, section 4.2.
@Suite("Warrant nonce stores") struct WarrantNonceStoreTests {
    enum Kind: String, CaseIterable, Sendable {
        case memory, defaults, file
    }

    /// A backing, and as many stores over it as asked for.
    private final class Backing {
        let kind: Kind
        let folder: TemporaryFolder
        private let suite = "merokit-nonces-\(UUID().uuidString)"
        private let memory = MemoryWarrantNonceStore()

        init(_ kind: Kind) throws {
            self.kind = kind
            folder = try TemporaryFolder()
        }

        deinit { UserDefaults.standard.removePersistentDomain(forName: suite) }

        func store() throws -> any WarrantNonceStore {
            switch kind {
            case .memory: return memory
            case .defaults:
                return UserDefaultsWarrantNonceStore(defaults: try #require(UserDefaults(suiteName: suite)))
            case .file: return FileWarrantNonceStore(directory: folder.file("nonces"))
            }
        }
    }

    @Test(arguments: Kind.allCases) func countsFromOneInEachSequence(kind: Kind) throws {
        let backing = try Backing(kind)
        let store = try backing.store()
        #expect((1...5).map { _ in store.next(relay: "https://a.example") } == [1, 2, 3, 4, 5])
        #expect(store.next(relay: "https://b.example") == 1)
        // Another store over the same backing goes on, and slashes at the end make no other key.
        let again = try backing.store()
        #expect(again.next(relay: "https://a.example//") == 6)
        #expect(store.next(relay: "https://a.example/|governance|ab") == 1)
        #expect(store.next(relay: "https://a.example|governance|ab") == 2)
        #expect(!store.isSpent(relay: "https://a.example"))
    }

    @Test(arguments: Kind.allCases) func advanceNeverLowers(kind: Kind) throws {
        let store = try Backing(kind).store()
        store.advance(relay: "r", to: 0)
        #expect(store.next(relay: "r") == 1)
        store.advance(relay: "r", to: 1)
        #expect(store.next(relay: "r") == 2)
        store.advance(relay: "r", to: 9_007_199_254_740_993)
        #expect(store.next(relay: "r") == 9_007_199_254_740_993)
        store.advance(relay: "r", to: 7)
        #expect(store.next(relay: "r") == 9_007_199_254_740_994)
    }

    @Test(arguments: Kind.allCases) func aSpentSequenceNeverWraps(kind: Kind) throws {
        let store = try Backing(kind).store()
        store.advance(relay: "r", to: .max)
        #expect(!store.isSpent(relay: "r"))
        #expect(store.next(relay: "r") == .max)
        #expect(store.isSpent(relay: "r"))
        #expect(store.next(relay: "r") == 0)
        #expect(store.next(relay: "r") == 0)
        store.advance(relay: "r", to: 5)
        #expect(store.next(relay: "r") == 0)
    }

    /// Two stores over one backing, each used by many threads at once.
    @Test(arguments: Kind.allCases) func concurrentCallsGetDistinctNumbers(kind: Kind) async throws {
        let backing = try Backing(kind)
        let stores = [try backing.store(), try backing.store()]
        let numbers = Locked<[UInt64]>([])
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let number = try? await NonceDesk.next(stores[index % 2], "https://relay.example/")
                    numbers.withLock { $0.append(number ?? 0) }
                }
            }
        }
        #expect(numbers.withLock { $0.sorted() } == Array(1...200))
    }

    @Test func whatIsNoNumberIsTheBeginning() throws {
        for text in ["", "nonsense", "-4", "1.5", "99999999999999999999999"] {
            #expect(WarrantNonceSequence.last(from: text) == 0)
        }
        #expect(WarrantNonceSequence.last(from: nil) == 0)
        #expect(WarrantNonceSequence.last(from: "18446744073709551615\n") == .max)
    }

    @Test func theDefaultsHoldDecimalText() throws {
        let suite = "merokit-nonces-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
        let store = UserDefaultsWarrantNonceStore(defaults: defaults)
        store.advance(relay: "https://r.example/", to: 9_007_199_254_740_993)
        _ = store.next(relay: "https://r.example")
        #expect(defaults.string(forKey: "calimero.nonce.https://r.example") == "9007199254740993")
    }

    #if os(Linux)
        /// A number that is not on disk is not handed out, and a sequence that cannot be read does not begin again.
        @Test func withoutADiskThereIsNoNumber() async throws {
            let folder = try TemporaryFolder()
            // The folder's place is taken by a file.
            try Data().write(to: folder.file("taken"))
            let store = FileWarrantNonceStore(directory: folder.file("taken").appendingPathComponent("deeper"))
            #expect(store.next(relay: "r") == 0)
            #expect(!store.isSpent(relay: "r"))
            await #expect(throws: AccountError.self) { try await NonceDesk.next(store, "r") }

            let directory = folder.file("nonces")
            let good = FileWarrantNonceStore(directory: directory)
            #expect(good.next(relay: "r") == 1)
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: directory.path).first { !$0.hasSuffix(".lock") })
            let file = directory.appendingPathComponent(name)
            #expect(try String(contentsOf: file, encoding: .utf8) == "1")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            // Others may write to it: whatever it says, it is not this store's word.
            chmod(file.path, 0o666)
            #expect(good.next(relay: "r") == 0)
            chmod(file.path, 0o600)
            #expect(good.next(relay: "r") == 2)
        }
    #endif

    @Test func aSpentSequenceIsARefusalAndAStoreWithoutNumbersIsInvalidInput() async throws {
        let store = MemoryWarrantNonceStore()
        store.advance(relay: "r", to: .max)
        #expect(try await NonceDesk.next(store, "r") == .max)
        do {
            _ = try await NonceDesk.next(store, "r")
            Issue.record("a number beyond the last")
        } catch AccountError.intentRefused(let reason, let retryable, let status) {
            #expect(reason.contains("spent every nonce") && reason.contains("re-key"))
            #expect(!retryable && status == 409)
        }
        struct Broken: WarrantNonceStore {
            func next(relay: String) -> UInt64 { 0 }
            func advance(relay: String, to floor: UInt64) {}
        }
        do {
            _ = try await NonceDesk.next(Broken(), "r")
            Issue.record("a number from nowhere")
        } catch AccountError.invalidInput(let text) {
            #expect(text.contains("Broken"))
        }
    }

    /// A store that waits for somebody does not hold up a task that was cancelled.
    @Test func drawingEndsWithItsTask() async throws {
        final class Slow: WarrantNonceStore {
            let isAsked = Locked(false)
            let gate = DispatchSemaphore(value: 0)
            func next(relay: String) -> UInt64 {
                isAsked.withLock { $0 = true }
                gate.wait()
                return 1
            }
            func advance(relay: String, to floor: UInt64) {}
        }
        let store = Slow()
        let task = Task { try await NonceDesk.next(store, "slow") }
        try await eventually { store.isAsked.withLock { $0 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        store.gate.signal()
    }
}
