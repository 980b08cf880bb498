import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// What the admin API made is there after the node was started again.
@Suite struct AdminPersistenceTests {
    private struct Snapshot: Equatable {
        var answers: [String: JsonTree] = [:]

        static func take(_ fixture: NodeFixture, _ paths: [String]) async throws -> Snapshot {
            var snapshot = Snapshot()
            for path in paths { snapshot.answers[path] = try await fixture.admin("GET", path).json }
            return snapshot
        }
    }

    @Test(arguments: [true, false])
    func everythingIsThereAgain(isOnDisk: Bool) async throws {
        try await withFolder { folder in
            try await withNode(.with { $0.dataDirectory = isOnDisk ? folder : nil }) { fixture async throws in
                let node = fixture.node
                let namespace = try node.createNamespace()
                let application = try node.applications.install(
                    ProbeContract(), package: "com.example.app", version: "1.0.0")
                try node.applications.install(KeyValueContract(), package: "com.example.app", version: "1.1.0")
                node.applications.publish(KeyValueContract(), package: "com.example.later", version: "1.0.0")
                let gone = try node.applications.install(ProbeContract(), package: "com.example.gone")
                let removed = try await fixture.makeContext(gone, in: try node.createNamespace())
                try node.applications.uninstall(gone)
                let context = try await fixture.makeContext(application, in: namespace, name: "lobby")
                let left = try await fixture.makeContext(application, in: namespace)
                let deleted = try await fixture.makeContext(application, in: namespace)
                let blob = try node.blobs.put(Data("blob".utf8), context: context)
                _ = try await fixture.admin(
                    "POST", "/alias/create/context", #"{"alias":"main","contextId":"\#(context)"}"#)
                let identity = try #require(
                    try await fixture.admin("POST", "/identity/context").data?["publicKey"]?.stringValue)
                let token = fixture.token("admin")
                for id in [context, left] {
                    _ = try await fixture.execute(id, "set", ["key": "k", "value": "v"], token: token)
                }
                _ = try await fixture.admin("POST", "/contexts/\(left)/leave", "{}")
                _ = try await fixture.admin("DELETE", "/contexts/\(deleted)")
                let paths = [
                    "/applications", "/applications/\(application)/versions", "/packages", "/contexts", "/blobs",
                    "/contexts/\(context)", "/contexts/\(context)/identities", "/contexts/\(context)/group",
                    "/alias/list/context", "/usage", "/contexts/\(left)", "/contexts/\(deleted)",
                ]
                let before = try await Snapshot.take(fixture, paths)
                try await node.restart()
                let after = try await Snapshot.take(fixture, paths)
                for path in paths { #expect(after.answers[path] == before.answers[path], "\(path)") }
                #expect(node.blobs.data(blob) == Data("blob".utf8))
                #expect(try await fixture.execute(context, "get", ["key": "k"], token: token).output == "v")
                #expect(
                    try await fixture.execute(removed, "count", token: token).rpcType == "ApplicationNotInstalled")
                try await fixture.admin("GET", "/contexts/\(left)").expectError(404)
                #expect(try await fixture.admin("POST", "/contexts/\(left)/join", "{}").status == 200)
                #expect(try await fixture.execute(left, "get", ["key": "k"], token: token).output == "v")
                let change = try await fixture.admin(
                    "POST", "/contexts/\(context)/application",
                    #"{"applicationId":"\#(application)","executorPublicKey":"\#(identity)"}"#)
                #expect(change.status == 200)
                // The registry is no part of the node.
                let later = try await fixture.admin(
                    "POST", "/install-application", #"{"package":"com.example.later","version":"1.0.0"}"#)
                #expect(later.status == 200)
            }
        }
    }

    @Test func manyContextsOutliveTheFoldingOfTheirLog() async throws {
        try await withFolder { folder in
            try await withNode(.with { $0.dataDirectory = folder }) { fixture async throws in
                let directory = folder.appendingPathComponent("node-contexts.log")
                var all: [String] = []
                for _ in 0..<1500 { all.append(try fixture.node.createContext(ProbeContract())) }
                // It was folded at least once.
                #expect(try Data(contentsOf: directory).count < 256 << 10)
                try await fixture.node.restart()
                #expect(fixture.node.contexts == all)
            }
        }
    }

    @Test func whatAnUploadThatDiedLeftBehindIsRemoved() async throws {
        try await withFolder { folder in
            let blobs = folder.appendingPathComponent("blobs")
            try FileManager.default.createDirectory(at: blobs, withIntermediateDirectories: true)
            try Data("half".utf8).write(to: blobs.appendingPathComponent("merodev-upload-x"))
            try await withNode(.with { $0.dataDirectory = folder }) { fixture async throws in
                #expect(try FileManager.default.contentsOfDirectory(atPath: blobs.path).isEmpty)
                let id = try fixture.node.blobs.put(Data("whole".utf8))
                try FileManager.default.removeItem(at: blobs.appendingPathComponent(id))
                try await fixture.node.restart()
                #expect(fixture.node.blobs.ids.isEmpty)
                #expect(try await fixture.admin("GET", "/blobs/\(id)").status == 404)
            }
        }
    }

    @Test func aNodeWithoutAFolderTakesItsBlobsWithIt() async throws {
        var folder: URL?
        do {
            let node = try await DevNode.start()
            let id = try node.blobs.put(Data("gone".utf8))
            let file = node.core.blobs.file(id)
            folder = file.deletingLastPathComponent()
            #expect(FileManager.default.fileExists(atPath: file.path))
            await node.stop()
        }
        let path = try #require(folder?.path)
        #expect(await eventually { !FileManager.default.fileExists(atPath: path) })
    }
}
