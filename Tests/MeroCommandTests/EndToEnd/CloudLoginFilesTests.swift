import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

/// What is kept of a login, while other commands have the same files.
@Suite("mero cloud login and its files")
struct CloudLoginFilesTests {
    @Test("keys that another command made while the wallet was asked are not written over")
    func otherKeys() async throws {
        try await CloudBench.with { bench in
            let (running, page) = try await bench.startLogin()
            #expect(try await bench.mero("account", "new", "--replace").status == 0)
            let before = try Data(contentsOf: bench.profileFile("account.json"))
            _ = try await Web.deliver(try bench.cloud.wallet.visit(page))
            let outcome = await running.outcome()
            #expect(outcome.status == ExitCode.refused.rawValue && outcome.errors.contains("another device"))
            #expect(try Data(contentsOf: bench.profileFile("account.json")) == before)
            #expect(!FileManager.default.fileExists(atPath: bench.profileFile("cloud-device.json").path))
        }
    }

    @Test(
        "a damaged account or session keeps nobody from signing out", arguments: ["account.json", "cloud-device.json"])
    func damagedLogout(name: String) async throws {
        try await CloudBench.with { bench in
            try await bench.login()
            try Data("{".utf8).write(to: bench.profileFile(name))
            let out = try await bench.mero("cloud", "logout", "--json")
            #expect(out.status == 0 && out.document?["wasSignedIn"] == true, "\(out.errors)")
            #expect(out.document?["cloudWasTold"] == .bool(name == "account.json"))
            #expect(!FileManager.default.fileExists(atPath: bench.profileFile("cloud-device.json").path))
            #expect(FileManager.default.fileExists(atPath: bench.profileFile("account.json").path))
        }
    }

    @Test("a session that another command ended or replaced does not come back")
    func endedMeanwhile() async throws {
        let folder = try TemporaryFolder()
        let profile = Profile(name: "default", variables: ["XDG_CONFIG_HOME": folder.url.path])
        func device(_ account: String, relay: String? = nil) -> CloudFiles.Device {
            CloudFiles.Device(
                cloud: "https://cloud.example", wallet: "https://wallet.example",
                session: CloudSession(account: account, device: "d", credential: "c", relayUrl: relay))
        }
        let mine = device("aa")
        try profile.save(mine)
        let store = CloudSessionFile(profile: profile, device: mine, isNew: false)
        let tokens = CloudTokenFile(FileTokenStore(url: profile.cloudTokensFile), of: store)
        let token = TokenData(accessToken: "a", refreshToken: "r", expiresAt: Date(timeIntervalSince1970: 4e9))
        tokens.setTokens(token)
        #expect(tokens.getTokens() == token)
        await store.settle()
        #expect(tokens.getTokens() == token && FileTokenStore(url: profile.cloudTokensFile).getTokens() == token)
        // Another command found another relay: still the same sign-in.
        try profile.save(device("aa", relay: "https://b.example"))
        #expect(store.load()?.relayUrl == "https://b.example")

        await profile.removeCloudFiles()
        store.save(mine.session)
        tokens.setTokens(token)
        await store.settle()
        #expect(store.load() == nil && store.failure?.code == .notSignedIn)
        for file in profile.cloudFiles { #expect(!FileManager.default.fileExists(atPath: file.path), "\(file)") }

        let next = device("bb")
        try profile.save(next)
        let others = FileTokenStore(url: profile.cloudTokensFile)
        others.setTokens(token)
        store.save(mine.session)
        store.clear()
        tokens.clear()
        await store.settle()
        #expect(profile.heldDevice() == next && others.getTokens() == token && tokens.getTokens() == nil)

        func owner(_ token: String) -> CloudLoginSession {
            CloudLoginSession(sessionToken: token, expiresAt: 0, user: CloudUser(email: "ada@example.com"))
        }
        try await profile.keep(owner("new"), inPlaceOf: owner("old"), at: "https://cloud.example")
        #expect(try profile.loadCloudOwner() == nil)
        try profile.save(CloudFiles.Owner(cloud: "https://cloud.example", session: owner("old")))
        try await profile.keep(owner("new"), inPlaceOf: owner("old"), at: "https://cloud.example")
        #expect(try profile.loadCloudOwner()?.session.sessionToken == "new")
    }

    /// While another command holds the files, nobody's thread waits: what was asked for is made once they are free.
    @Test("another command that holds the files holds up no thread")
    func filesInUse() async throws {
        let folder = try TemporaryFolder()
        let profile = Profile(name: "default", variables: ["XDG_CONFIG_HOME": folder.url.path])
        func device(_ relay: String?) -> CloudFiles.Device {
            CloudFiles.Device(
                cloud: "https://cloud.example", wallet: "https://wallet.example",
                session: CloudSession(account: "aa", device: "d", credential: "c", relayUrl: relay))
        }
        try profile.save(device(nil))
        let store = CloudSessionFile(profile: profile, device: device(nil), isNew: false)
        let tokens = CloudTokenFile(FileTokenStore(url: profile.cloudTokensFile), of: store)
        let token = TokenData(accessToken: "a", refreshToken: "r", expiresAt: Date(timeIntervalSince1970: 4e9))
        let release = DispatchSemaphore(value: 0)
        let held = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? profile.withCloudFilesBlocking {
                held.signal()
                release.wait()
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                held.wait()
                continuation.resume()
            }
        }
        // All of this returns although the lock is not free, and reads what it is about to leave.
        let moved = device("https://relay.example")
        store.save(moved.session)
        tokens.setTokens(token)
        #expect(store.load() == moved.session && tokens.getTokens() == token && profile.heldDevice() == device(nil))
        let waiting = Task { try await profile.withCloudFiles { profile.heldDevice() } }
        release.signal()
        await store.settle()
        #expect(profile.heldDevice() == moved && store.failure == nil)
        #expect(FileTokenStore(url: profile.cloudTokensFile).getTokens() == token)
        #expect(try await waiting.value?.session.account == "aa")
    }
}
