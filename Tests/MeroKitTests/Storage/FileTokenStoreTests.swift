import Foundation
import Testing

@testable import MeroKit

@Suite("FileTokenStore", .timeLimit(.minutes(2)))
final class FileTokenStoreTests: Sendable {
    private let folder: URL
    private let url: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("merokit-\(UUID().uuidString)")
        url = folder.appendingPathComponent("deep/er/session.json")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func tokens(_ name: String) -> TokenData {
        TokenData(accessToken: name, refreshToken: "r-\(name)", expiresAt: Date(timeIntervalSince1970: 1_700_000_000))
    }

    private func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func setMode(_ mode: Int, _ url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).sorted()
    }

    // MARK: The file

    @Test("Starts empty, keeps a session across instances, forgets it")
    func life() throws {
        let store = FileTokenStore(url: url)
        #expect(store.getTokens() == nil)
        store.clear()
        store.setTokens(tokens("a"))
        #expect(FileTokenStore(url: url).getTokens() == tokens("a"))
        FileTokenStore(url: url).setTokens(tokens("b"))
        #expect(store.getTokens() == tokens("b"))
        store.clear()
        #expect(store.getTokens() == nil && FileTokenStore(url: url).getTokens() == nil)
    }

    @Test("Only the owner may read it, and nothing else is left behind")
    func permissions() throws {
        let store = FileTokenStore(url: url)
        try store.store(tokens("a"))
        try store.store(tokens("b"))
        #expect(try mode(url) == 0o600)
        #expect(try mode(url.deletingLastPathComponent()) == 0o700)
        #expect(try mode(folder) == 0o700)
        #expect(try names() == ["session.json"])
        #expect(
            try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? NSDictionary
                == ["access_token": "b", "refresh_token": "r-b", "expires_at": 1_700_000_000_000])
    }

    @Test("A folder that exists keeps its mode")
    func existingFolder() throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        FileTokenStore(url: url).setTokens(tokens("a"))
        #expect(try mode(url.deletingLastPathComponent()) == 0o755)
    }

    @Test("A file that others may read is closed to them", arguments: [0o644, 0o640, 0o604, 0o700])
    func laxMode(mode lax: Int) throws {
        let store = FileTokenStore(url: url)
        try store.store(tokens("a"))
        try setMode(lax, url)
        #expect(store.getTokens() == tokens("a"))
        #expect(try mode(url) & 0o077 == 0)
    }

    @Test(
        "A file that others may write to is not trusted, and the next session replaces it",
        arguments: [0o620, 0o602, 0o666])
    func writableByOthers(mode lax: Int) throws {
        let store = FileTokenStore(url: url)
        try store.store(tokens("a"))
        try setMode(lax, url)
        #expect(store.getTokens() == nil)
        try store.store(tokens("b"))
        #expect(store.getTokens() == tokens("b"))
        #expect(try mode(url) == 0o600)
    }

    @Test(
        "What is no session reads as none and is left alone",
        arguments: ["", "{", "null", "[]", #"{"access_token":"a"}"#, "\u{0}\u{1}"])
    func corrupted(content: String) throws {
        let store = FileTokenStore(url: url)
        try store.store(tokens("a"))
        try Data(content.utf8).write(to: url)
        #expect(store.getTokens() == nil)
        #expect(try FileHandle(forReadingFrom: url).readToEnd() ?? Data() == Data(content.utf8))
        try store.store(tokens("b"))
        #expect(store.getTokens() == tokens("b"))
    }

    @Test("A huge file, a folder or a pipe in its place reads as none, at once")
    func otherThings() throws {
        let store = FileTokenStore(url: url)
        try store.store(tokens("a"))
        try FileHandle(forWritingTo: url).truncate(atOffset: 1 << 30)
        #expect(store.getTokens() == nil)
        store.clear()
        #expect(mkfifo(url.path, 0o600) == 0)
        #expect(store.getTokens() == nil)
        store.clear()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        #expect(store.getTokens() == nil)
        #expect(throws: (any Error).self) { try store.store(tokens("b")) }
        #expect(try names() == ["session.json"])
    }

    @Test("A failure is reported by store and silent in setTokens")
    func failures() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("file")
        try Data("x".utf8).write(to: file)
        let store = FileTokenStore(url: file.appendingPathComponent("session.json"))
        #expect(throws: POSIXError.self) { try store.store(tokens("a")) }
        store.setTokens(tokens("a"))
        #expect(store.getTokens() == nil)
        #expect(try Data(contentsOf: file) == Data("x".utf8))
    }

    @Test("A link in its place is replaced, what it points to stays untouched")
    func link() throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let victim = folder.appendingPathComponent("victim")
        try Data("precious".utf8).write(to: victim)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: victim)
        try FileTokenStore(url: url).store(tokens("a"))
        #expect(try Data(contentsOf: victim) == Data("precious".utf8))
        #expect(FileTokenStore(url: url).getTokens() == tokens("a"))
    }

    @Test("What a crash left half written is never read, and swept away once it is old")
    func leftovers() throws {
        let store = FileTokenStore(url: url)
        try store.store(tokens("a"))
        let parent = url.deletingLastPathComponent()
        let fresh = parent.appendingPathComponent(".session.json.\(UUID().uuidString).tmp")
        let stale = parent.appendingPathComponent(".session.json.\(UUID().uuidString).tmp")
        let foreign = parent.appendingPathComponent(".other.json.\(UUID().uuidString).tmp")
        let old = Date().addingTimeInterval(-PrivateFile.staleAge - 60)
        for file in [fresh, stale, foreign] { try Data(#"{"access_token":"#.utf8).write(to: file) }
        for file in [stale, foreign] {
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file.path)
        }
        #expect(store.getTokens() == tokens("a"))
        try store.store(tokens("b"))
        #expect(store.getTokens() == tokens("b"))
        #expect(try names() == [foreign, fresh, url].map(\.lastPathComponent).sorted())
    }

    @Test("Whoever reads while others write sees one whole session")
    func atomicity() async throws {
        let url = url
        let written = (0..<8).map { "token-\($0)-" + String(repeating: "x", count: $0 * 500) }
        FileTokenStore(url: url).setTokens(tokens(written[0]))
        await withTaskGroup(of: Void.self) { group in
            for name in written {
                let tokens = tokens(name)
                group.addTask { for _ in 0..<10 { FileTokenStore(url: url).setTokens(tokens) } }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 {
                        let read = FileTokenStore(url: url).getTokens()
                        #expect(read.map { written.contains($0.accessToken) } == true)
                    }
                }
            }
        }
        #expect(try names() == ["session.json"])
    }

    // MARK: The lock

    @Test("Two instances take turns: no rotation is lost")
    func takingTurns() async throws {
        let stores = [FileTokenStore(url: url), FileTokenStore(url: url)]
        let inside = Locked(0)
        stores[0].setTokens(tokens("0"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<60 {
                let store = stores[index % 2]
                group.addTask {
                    try await store.withExclusiveAccess {
                        #expect(
                            inside.withLock {
                                $0 += 1
                                return $0
                            } == 1)
                        let count = try #require(store.getTokens().flatMap { Int($0.accessToken) })
                        await Task.yield()
                        try store.store(
                            TokenData(accessToken: String(count + 1), refreshToken: "r", expiresAt: Date()))
                        inside.withLock { $0 -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(stores[1].getTokens()?.accessToken == "60")
        #expect(try mode(URL(fileURLWithPath: url.path + ".lock")) & 0o077 == 0)
    }

    @Test("The section hands out what the body returns, and is free again after it threw")
    func bodyThrows() async throws {
        struct Failure: Error {}
        let store = FileTokenStore(url: url)
        await #expect(throws: Failure.self) { try await store.withExclusiveAccess { throw Failure() } }
        #expect(try await store.withExclusiveAccess { 42 } == 42)
    }

    @Test("A cancelled waiter leaves at once, while the holder goes on")
    func cancellation() async throws {
        let holder = FileTokenStore(url: url)
        let waiter = FileTokenStore(url: url)
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let holding = Task {
            try await holder.withExclusiveAccess {
                enter.finish()
                for await _ in released {}
                return "held"
            }
        }
        for await _ in entered {}
        let ran = Locked(false)
        let waiting = Task { try await waiter.withExclusiveAccess { ran.withLock { $0 = true } } }
        let cancelled = Task { try await waiter.withExclusiveAccess { ran.withLock { $0 = true } } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(ran.withLock { $0 } == false)
        release.finish()
        #expect(try await holding.value == "held")
        try await waiting.value
        #expect(ran.withLock { $0 })
    }

    @Test("A task that is cancelled already does not enter")
    func cancelledBefore() async {
        let store = FileTokenStore(url: url)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.withExclusiveAccess { () -> Void in Issue.record("must not run") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Waiting holds no thread: far more waiters than threads, and the holder still finishes")
    func manyWaiters() async throws {
        let url = url
        let count = Locked(0)
        try await FileTokenStore(url: url).withExclusiveAccess {
            let waiters = (0..<100).map { _ in
                Task { try await FileTokenStore(url: url).withExclusiveAccess { count.withLock { $0 += 1 } } }
            }
            // Comes back only if the pool still has a thread to run on.
            await Task.detached { await Task.yield() }.value
            #expect(count.withLock { $0 } == 0)
            for waiter in waiters.dropFirst(5) { waiter.cancel() }
            for waiter in waiters.dropFirst(5) { _ = await waiter.result }
        }
        while count.withLock({ $0 }) < 5 { await Task.yield() }
    }

    @Test("A lock file that is gone is made again")
    func removedLockFile() async throws {
        let store = FileTokenStore(url: url)
        let lock = URL(fileURLWithPath: url.path + ".lock")
        try await store.withExclusiveAccess { try FileManager.default.removeItem(at: lock) }
        #expect(try await store.withExclusiveAccess { FileManager.default.fileExists(atPath: lock.path) })
    }

    @Test("A place where no lock can be made is an error, and so is a link in its place")
    func noLock() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("file")
        try Data().write(to: file)
        let store = FileTokenStore(url: file.appendingPathComponent("session.json"))
        await #expect(throws: POSIXError.self) { try await store.withExclusiveAccess {} }
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("s.lock"), withDestinationURL: file)
        let linked = FileTokenStore(url: folder.appendingPathComponent("s"))
        await #expect(throws: POSIXError.self) { try await linked.withExclusiveAccess {} }
    }

    @Test(
        "Another process's lock is respected",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")))
    func otherProcess() async throws {
        let store = FileTokenStore(url: url)
        try await store.withExclusiveAccess {}
        let input = Pipe()
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = [url.path + ".lock", "/bin/sh", "-c", "echo held; read line"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        #expect(try output.fileHandleForReading.read(upToCount: 4) == Data("held".utf8))
        let entered = Locked(false)
        let waiting = Task { try await store.withExclusiveAccess { entered.withLock { $0 = true } } }
        let cancelled = Task { try await store.withExclusiveAccess {} }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(entered.withLock { $0 } == false)
        input.fileHandleForWriting.closeFile()
        try await waiting.value
        #expect(entered.withLock { $0 })
        process.waitUntilExit()
    }
}
