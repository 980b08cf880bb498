import Foundation
import MeroKit

/// What a profile knows of the cloud: this device's session, and the login of the cloud's user. A file each, for its owner
/// only, since each is signed in and out by itself.
enum CloudFiles {
    /// The account that is signed in on this device.
    struct Device: Codable, Sendable, Equatable {
        var cloud: String
        var wallet: String
        var session: CloudSession
    }

    /// Which user of the cloud is signed in. It is of use at that cloud only, and shown to no other.
    struct Owner: Codable, Sendable, Equatable {
        var cloud: String
        var session: CloudLoginSession
    }
}

extension Profile {
    var cloudDeviceFile: URL { folder.appendingPathComponent("cloud-device.json") }
    var cloudOwnerFile: URL { folder.appendingPathComponent("cloud-owner.json") }
    /// Tokens of the relay that the device goes by.
    var cloudTokensFile: URL { folder.appendingPathComponent("cloud-relay-tokens.json") }

    func loadCloudDevice() throws -> CloudFiles.Device? { try load(cloudDeviceFile) }

    func loadCloudOwner() throws -> CloudFiles.Owner? { try load(cloudOwnerFile) }

    func save(_ device: CloudFiles.Device) throws { try save(device, to: cloudDeviceFile) }

    func save(_ owner: CloudFiles.Owner) throws { try save(owner, to: cloudOwnerFile) }

    /// What the profile holds of the device's session now; nil also for what cannot be read.
    func heldDevice() -> CloudFiles.Device? { (try? loadCloudDevice()) ?? nil }

    /// Reads and changes these files while no other command does. Throws what `body` throws, and `Failure` when the lock
    /// cannot be had.
    ///
    /// Whoever holds it replaces one small file, so that this waits no longer than for that. It waits without a thread.
    func withCloudFiles<T: Sendable>(_ body: @Sendable () throws -> T) async throws -> T {
        do {
            return try await cloudLock.withLock(body)
        } catch let error as POSIXError {
            throw unwritable(error)
        }
    }

    /// The same for a queue that may wait.
    func withCloudFilesBlocking<T>(_ body: () throws -> T) throws -> T {
        do {
            return try cloudLock.withLockBlocking(body)
        } catch let error as POSIXError {
            throw unwritable(error)
        }
    }

    private var cloudLock: FileLock {
        FileLock(path: folder.appendingPathComponent("cloud.lock").path, patience: 10)
    }

    private func unwritable(_ error: POSIXError) -> Failure {
        Failure(
            code: .localFile, message: "The folder \(folder.path) cannot be written: \(error.localizedDescription)",
            hint: "Check the folder's owner and free space")
    }

    /// Keeps the token that the cloud gave in place of `began`, unless another command has signed out or in anew.
    func keep(_ now: CloudLoginSession, inPlaceOf began: CloudLoginSession, at cloud: String) async throws {
        guard now.sessionToken != began.sessionToken else { return }
        // A client that was made from a token does not know the user.
        let kept = CloudLoginSession(sessionToken: now.sessionToken, expiresAt: now.expiresAt, user: began.user)
        try await withCloudFiles {
            guard try loadCloudOwner()?.session.sessionToken == began.sessionToken else { return }
            try save(CloudFiles.Owner(cloud: cloud, session: kept))
        }
    }

    /// Forgets both sessions. The device's keys and certificate stay.
    func removeCloudFiles() async {
        let files = cloudFiles.map { PrivateFile(path: $0.path) }
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        // Under the lock, no command that still runs is just about to write. Without it, removing is better than not.
        do {
            try await withCloudFiles { for file in files { file.remove() } }
        } catch {
            for file in files { file.remove() }
        }
    }

    var cloudFiles: [URL] { [cloudDeviceFile, cloudOwnerFile, cloudTokensFile] }

    private func load<Value: Decodable>(_ file: URL) throws -> Value? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard let content = PrivateFile(path: file.path).read() else {
            throw Failure(
                code: .localFile, message: "The file \(file.path) cannot be read, or others can write to it",
                hint: "Look into it, then \"chmod 600\" or remove it")
        }
        guard let value = try? MeroJSON.decode(Value.self, from: content) else {
            throw Failure(
                code: .localFile, message: "The file \(file.path) is damaged",
                hint: "Remove it, then run \"mero cloud login\" again")
        }
        return value
    }

    private func save(_ value: some Encodable, to file: URL) throws {
        try prepareFolder()
        do {
            try PrivateFile(path: file.path).replace(with: MeroJSON.encode(value) + Data("\n".utf8))
        } catch {
            throw Failure(
                code: .localFile, message: "The file \(file.path) cannot be written",
                hint: "Check the folder's owner and free space")
        }
    }
}
