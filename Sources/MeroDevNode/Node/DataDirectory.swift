import Foundation
import MeroKit

/// The folder of a node whose state survives a restart. Held exclusively: two nodes on one folder would overwrite each other.
final class DataDirectory: Sendable {
    let url: URL
    private let lockDescriptor: Int32

    init(_ url: URL) throws {
        self.url = url
        do {
            try OwnerOnlyFile.makeDirectory(url)
            try OwnerOnlyFile.makeDirectory(url.appendingPathComponent("contexts"))
        } catch {
            throw DevNodeError.storage("cannot create \(url.path): \(error.localizedDescription)")
        }
        lockDescriptor = try OwnerOnlyFile.openFile(url.appendingPathComponent("lock"), O_RDWR | O_CREAT)
        guard flock(lockDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(lockDescriptor)
            throw DevNodeError.storage("\(url.path) is in use by another node")
        }
    }

    deinit { close(lockDescriptor) }

    func open(_ name: String) throws -> (journal: Journal, entries: [String: JsonTree]) {
        do {
            return try Journal.open(directory: url, name: name)
        } catch let error as JsonSyntaxProblem {
            throw DevNodeError.storage("\(name).json in \(url.path) is damaged: \(error)")
        }
    }
}
