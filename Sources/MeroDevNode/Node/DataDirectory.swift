import Foundation
import MeroKit

/// The folder of a node whose state survives a restart. Held exclusively while the node runs: two nodes on one folder
/// would overwrite each other.
final class DataDirectory: Sendable {
    let url: URL
    /// Descriptor of the locked file; -1 while the folder is not held.
    private let lockDescriptor = Locked<Int32>(-1)

    init(_ url: URL) { self.url = url }

    deinit { release() }

    var isHeld: Bool { lockDescriptor.withLock { $0 >= 0 } }

    /// Does nothing when the folder is held already. Throws `DevNodeError`.
    func acquire() throws {
        try lockDescriptor.withLock { held in
            guard held < 0 else { return }
            do {
                try OwnerOnlyFile.makeDirectory(url)
                try OwnerOnlyFile.makeDirectory(url.appendingPathComponent("contexts"))
            } catch {
                throw DevNodeError.storage("cannot create \(url.path): \(error.localizedDescription)")
            }
            let descriptor = try OwnerOnlyFile.openFile(url.appendingPathComponent("lock"), O_RDWR | O_CREAT)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw DevNodeError.storage("\(url.path) is in use by another node")
            }
            held = descriptor
        }
    }

    /// What is opened here can't be changed any more until the next `acquire`.
    func release() {
        lockDescriptor.withLock { held in
            if held >= 0 { close(held) }
            held = -1
        }
    }

    /// Deletes the files of a map that nobody has open any more.
    func remove(_ name: String) {
        guard isHeld else { return }
        for suffix in ["json", "log"] { unlink(url.appendingPathComponent("\(name).\(suffix)").path) }
    }

    func open(_ name: String) throws -> (journal: Journal, entries: [String: JsonTree]) {
        do {
            return try Journal.open(directory: self, name: name)
        } catch let error as JsonSyntaxProblem {
            throw DevNodeError.storage("\(name).json in \(url.path) is damaged: \(error)")
        }
    }
}
