import Foundation
import MeroKit

/// What the commands of `mero blob` do.
enum BlobActs {
    static func list(_ run: AdminRun) async throws {
        let blobs = try await run.admin.listBlobs().blobs
        try run.list(
            "blobs", ["Blob", "Size"], blobs.map { [$0.blobId, Bytes.text($0.size)] },
            try blobs.map { try Report.encoding($0) })
    }

    static func put(_ run: AdminRun) async throws {
        let file = try source(run)
        let context = try run.id(.blobContext)
        let hash = try hash(run)
        let admin = try await run.admin
        try checkSize(of: file, limit: limit(run))
        // Known before it is sent: a file that is not what it should be stays here, and what the node makes of it is told.
        let digest = try await BlobDigest(ofFile: file)
        if let hash, hash != digest.contentHash {
            throw Failure(
                code: .usage, message: "\(file.path) has the hash \(digest.contentHash), not \(hash)",
                hint: "Nothing was sent")
        }
        let bar = TransferBar(file.lastPathComponent, run)
        let stored: BlobInfo
        do {
            stored = try await admin.uploadBlob(
                file: file, hash: digest.contentHash, contextId: context, limit: limit(run),
                progress: { bar.update($0) })
        } catch {
            await bar.finish()
            throw error
        }
        await bar.finish()
        guard stored.blobId.lowercased() == digest.blobId else {
            throw Failure(
                code: .unexpectedAnswer, message: "The node keeps something else: blob \(stored.blobId)",
                hint: "The file is blob \(digest.blobId); try again")
        }
        try run.console.line(stored.blobId.printable)
        try run.console.document([
            "blobId": .string(stored.blobId), "size": .whole(stored.size), "hash": .string(digest.contentHash),
        ])
    }

    static func get(_ run: AdminRun) async throws {
        let id = try run.id("blob")
        let context = try run.id(.blobContext)
        let hash = try hash(run)
        let file = URL(fileURLWithPath: try run.text("file")).absoluteURL
        try await checkDestination(file, run)
        let admin = try await run.admin
        let bar = TransferBar(file.lastPathComponent, run)
        let info: GetBlobInfoResponseData
        do {
            info = try await admin.downloadBlob(
                id, to: file, contextId: context, hash: hash, progress: { bar.update($0) })
        } catch {
            await bar.finish()
            throw error
        }
        await bar.finish()
        let size = (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber)?.intValue
        try run.say(
            "Wrote \(size.map { Bytes.text($0) } ?? "it") to \(file.path).",
            [
                "blobId": .string(id), "file": .string(file.path), "size": .whole(size ?? info.size),
                "hash": .optional(hash ?? info.hash),
            ])
    }

    static func show(_ run: AdminRun) async throws {
        let info = try await run.admin.getBlobInfo(try run.id("blob"), contextId: try run.id(.blobContext))
        try run.show(
            [
                ("blob", info.blobId), ("size", info.size.map { Bytes.text($0) }), ("hash", info.hash),
                ("type", info.mimeType), ("where", info.source.map { $0 == .local ? "this node" : "a peer" }),
            ],
            [
                "blobId": .string(info.blobId), "size": .whole(info.size), "hash": .optional(info.hash),
                "mimeType": .optional(info.mimeType), "source": .optional(info.source?.rawValue),
            ])
    }

    static func delete(_ run: AdminRun) async throws {
        let id = try run.id("blob")
        try await run.confirm("Delete blob \(id) from the node?")
        let answer = try await run.admin.deleteBlob(id)
        guard answer.deleted else { throw Failure(code: .refused, message: "The node did not delete blob \(id)") }
        try run.say("Deleted blob \(id).", ["blobId": .string(answer.blobId), "deleted": true])
    }

    static func id(_ run: AdminRun) async throws {
        let digest = try await BlobDigest(ofFile: try source(run))
        try run.show(
            [("blob", digest.blobId), ("hash", digest.contentHash), ("size", Bytes.text(digest.size))],
            [
                "blobId": .string(digest.blobId), "hash": .string(digest.contentHash), "size": .integer(digest.size),
            ])
    }

    // MARK: - Details

    /// The file to read. What cannot be read is told before anything is sent.
    private static func source(_ run: AdminRun) throws -> URL {
        let file = URL(fileURLWithPath: try run.text("file")).absoluteURL
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
        let isRegular = FileKind.at(file.path, followingLinks: true) == .regular
        guard exists, isRegular, FileManager.default.isReadableFile(atPath: file.path) else {
            let why =
                !exists
                ? "does not exist"
                : isFolder.boolValue ? "is a folder" : isRegular ? "cannot be read" : "is no regular file"
            throw Failure(code: .localFile, message: "\(file.path) \(why)", hint: "Nothing was sent")
        }
        return file
    }

    /// Before the whole file is read for its hash.
    private static func checkSize(of file: URL, limit: Int64) throws {
        let size = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)[.size]
        guard let bytes = (size as? NSNumber)?.int64Value, bytes > limit else { return }
        throw Failure(
            code: .usage, message: "A blob has at most \(limit) bytes, and \(file.path) has \(bytes)",
            hint: "Nothing was sent")
    }

    private static func checkDestination(_ file: URL, _ run: AdminRun) async throws {
        let manager = FileManager.default
        let folder = file.deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        guard manager.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue,
            manager.isWritableFile(atPath: folder)
        else {
            throw Failure(
                code: .localFile, message: "Nothing can be written to the folder \(folder)",
                hint: "Name another file; nothing was fetched")
        }
        // A link, a pipe or a device would be gone: only a file is replaced.
        switch FileKind.at(file.path, followingLinks: false) {
        case .none: return
        case .regular: break
        case .some(let kind):
            throw Failure(
                code: .localFile, message: "\(file.path) is \(kind.rawValue)", hint: "Name a file; nothing was fetched")
        }
        try await run.confirm("Replace \(file.path)?")
    }

    private static func limit(_ run: AdminRun) -> Int64 {
        guard let mebibytes = run.arguments.count(.blobLimit) else { return AdminApi.blobLimit }
        return Int64(clamping: mebibytes.multipliedReportingOverflow(by: 1 << 20).overflow ? .max : mebibytes << 20)
    }

    private static func hash(_ run: AdminRun) throws -> String? {
        guard let hash = run.arguments.text(.blobHash)?.lowercased() else { return nil }
        guard Hex.is32(hash) else {
            throw Failure(code: .usage, message: "--hash needs 64 hex digits", hint: "Nothing was sent")
        }
        return hash
    }
}
