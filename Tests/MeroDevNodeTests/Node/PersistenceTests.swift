import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct PersistenceTests {
    private struct CustomContract: DevContract {
        let name = "custom"
        let methods: [String: DevMethod] = ["answer": .read { _ in 42 }]
    }

    private func options(_ folder: URL) -> DevNodeOptions { .with { $0.dataDirectory = folder } }

    @Test func everythingSurvivesAnotherProcess() async throws {
        try await withFolder { folder in
            var pair = DevTokens(accessToken: "", refreshToken: "")
            var spent = pair
            var context = ""
            var identity = JsonTree.null
            var revoked = ""
            try await withNode(options(folder)) { fixture async throws in
                fixture.node.addUser(username: "eve", password: "eve-password")
                spent = try await fixture.login(username: "eve", password: "eve-password").pair
                fixture.node.expireAccessTokens()
                pair = try await fixture.refresh(spent).pair
                let admin = fixture.node.mintTokens().accessToken
                revoked = fixture.node.mintTokens().accessToken
                _ = try await fixture.post(
                    "/admin/revoke", ["client_id": claims(revoked)["key_id"] ?? .null], token: admin)
                context = try fixture.node.createContext(ProbeContract())
                let big = JsonTree.number("18446744073709551615")
                #expect(try await fixture.execute(context, "increment", ["by": big], token: admin).output == big)
                identity = try await fixture.call("GET", "/admin-api/identity", token: admin).json
            }
            try await withNode(options(folder)) { fixture async throws in
                #expect(try await fixture.call("GET", "/admin-api/identity", token: pair.accessToken).json == identity)
                #expect(
                    try await fixture.call("GET", "/admin-api/identity", token: spent.accessToken).authError
                        == "token_expired")
                #expect(
                    try await fixture.call("GET", "/admin-api/identity", token: revoked).authError == "token_revoked")
                #expect(try await fixture.refresh(spent).authError == "token_reuse")
                #expect(try await fixture.login(username: "eve", password: "eve-password").status == 200)
                #expect(fixture.node.contexts == [context])
                #expect(
                    try await fixture.execute(context, "count", token: pair.accessToken).output
                        == .number("18446744073709551615"))
            }
        }
    }

    @Test func aRestartKeepsPortAndState() async throws {
        try await withFolder { folder in
            for folder in [folder, nil] {
                try await withNode(.with { $0.dataDirectory = folder }) { fixture in
                    let node = fixture.node
                    let port = node.port
                    let context = try node.createContext(CustomContract())
                    let store = try node.createContext(KeyValueContract())
                    let pair = node.mintTokens()
                    _ = try await fixture.execute(store, "set", ["key": "k", "value": "v"], token: pair.accessToken)
                    node.expireAccessTokens()
                    try await node.restart()
                    #expect(node.port == port)
                    #expect(
                        try await fixture.execute(store, "len", token: pair.accessToken).authError == "token_expired")
                    let token = try await fixture.refresh(pair).pair.accessToken
                    #expect(try await fixture.execute(store, "get", ["key": "k"], token: token).output == "v")
                    #expect(try await fixture.execute(context, "answer", token: token).output == 42)
                    #expect(node.contexts == [context, store])
                    try await node.restart()
                    #expect(try await fixture.refresh(pair).authError == "token_reuse")
                }
            }
        }
    }

    @Test func aContextWithoutItsContractSaysSo() async throws {
        try await withFolder { folder in
            var context = ""
            try await withNode(options(folder)) { fixture in
                context = try fixture.node.createContext(CustomContract())
            }
            try await withNode(options(folder)) { fixture in
                let token = fixture.node.mintTokens().accessToken
                let answer = try await fixture.execute(context, "answer", token: token)
                #expect(answer.rpcType == "ApplicationNotInstalled")
                #expect(answer.rpcData?["application_id"] == .string(ContextBox.applicationId(ofContract: "custom")))
                try fixture.node.createContext(CustomContract(), id: context)
                #expect(try await fixture.execute(context, "answer", token: token).output == 42)
                #expect(throws: DevNodeError.contextExists(context)) {
                    try fixture.node.createContext(KeyValueContract(), id: context)
                }
            }
            try await withNode(
                .with {
                    $0.dataDirectory = folder
                    $0.contracts = [CustomContract()]
                }
            ) { fixture async throws in
                let token = fixture.node.mintTokens().accessToken
                #expect(try await fixture.execute(context, "answer", token: token).output == 42)
            }
        }
    }

    @Test func filesAreTheOwnersAlone() async throws {
        try await withFolder { folder in
            try await withNode(options(folder)) { fixture async throws in
                let context = try fixture.node.createContext(KeyValueContract())
                _ = try await fixture.execute(
                    context, "set", ["key": "k", "value": "v"], token: fixture.node.mintTokens().accessToken)
                let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                #expect(names.contains { $0.hasPrefix("auth.") })
                #expect(names.contains { $0.hasPrefix("contexts/\(context).") })
                for name in names + [""] {
                    let path = folder.appendingPathComponent(name).path
                    let attributes = try FileManager.default.attributesOfItem(atPath: path)
                    let mode = try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
                    #expect(mode & 0o077 == 0, "\(name)")
                    if let data = FileManager.default.contents(atPath: path) {
                        #expect(data.range(of: Data("dev-password".utf8)) == nil)
                    }
                }
            }
        }
    }

    @Test func oneNodePerFolder() async throws {
        try await withFolder { folder in
            try await withNode(options(folder)) { _ in
                await #expect(throws: DevNodeError.self) { try await DevNode.start(options(folder)) }
            }
            try await withNode(options(folder)) { fixture in #expect(fixture.node.contexts.isEmpty) }
        }
    }

    @Test func aStoppedNodeLetsGoOfItsFolderAndMayStartAgain() async throws {
        try await withFolder { folder in
            try await withNode(options(folder)) { fixture in
                let node = fixture.node
                let context = try node.createContext(ProbeContract())
                await node.stop()
                #expect(throws: DevNodeError.self) { try node.createContext(ProbeContract()) }
                try await withNode(options(folder)) { other in
                    let token = other.node.mintTokens().accessToken
                    _ = try await other.execute(context, "increment", token: token)
                    await #expect(throws: DevNodeError.self) { try await node.restart() }
                }
                try await node.restart()
                #expect(node.contextState(context) == ["count": 1])
            }
        }
    }

    @Test func aFolderThatCannotBeUsedIsAnError() async throws {
        let refused = options(URL(fileURLWithPath: "/proc/no-such-place"))
        await #expect(throws: DevNodeError.self) { try await DevNode.start(refused) }
    }

    @Test func aChangedPasswordInTheOptionsIsTaken() async throws {
        try await withFolder { folder in
            try await withNode(options(folder)) { _ in }
            try await withNode(
                .with {
                    $0.dataDirectory = folder
                    $0.users = [("dev", "another-password")]
                }
            ) { fixture async throws in
                #expect(try await fixture.login().status == 401)
                #expect(try await fixture.login(password: "another-password").status == 200)
            }
        }
    }
}

@Suite struct JournalTests {
    private func reopen(_ directory: DataDirectory) throws -> [String: JsonTree] {
        try Journal.open(directory: directory, name: "map").entries
    }

    @Test func changesAreReplayed() async throws {
        try await withFolder { folder in
            let directory = DataDirectory(folder)
            try directory.acquire()
            let (journal, entries) = try Journal.open(directory: directory, name: "map")
            #expect(entries.isEmpty)
            try journal.record([("a", 1), ("b", ["x": .number("18446744073709551615")])]) { [:] }
            try journal.record([("a", nil), ("c", "line\nbreak")]) { [:] }
            let expected: [String: JsonTree] = ["b": ["x": .number("18446744073709551615")], "c": "line\nbreak"]
            #expect(try reopen(directory) == expected)
            // Opening again compacted it; the log is empty and the snapshot says the same.
            #expect(try Data(contentsOf: folder.appendingPathComponent("map.log")).isEmpty)
            #expect(try reopen(directory) == expected)
        }
    }

    @Test func halfALineAtTheEndIsIgnored() async throws {
        try await withFolder { folder in
            let directory = DataDirectory(folder)
            try directory.acquire()
            let (journal, _) = try Journal.open(directory: directory, name: "map")
            try journal.record([("a", 1)]) { [:] }
            try journal.record([("b", 2)]) { [:] }
            let log = folder.appendingPathComponent("map.log")
            let bytes = try Data(contentsOf: log)
            try bytes.dropLast(5).write(to: log)
            #expect(try reopen(directory) == ["a": 1])
        }
    }

    @Test func aLongLogIsFoldedIntoTheSnapshot() async throws {
        try await withFolder { folder in
            let directory = DataDirectory(folder)
            try directory.acquire()
            let (journal, _) = try Journal.open(directory: directory, name: "map")
            var model: [String: JsonTree] = [:]
            let filler = String(repeating: "x", count: 2_000)
            for index in 0..<400 {
                let value: JsonTree = .string("\(index) \(filler)")
                let before = model
                try journal.record([("key \(index % 7)", value)]) { before }
                model["key \(index % 7)"] = value
            }
            let size = try Data(contentsOf: folder.appendingPathComponent("map.log")).count
            #expect(size < 400 * 2_000)
            #expect(try reopen(directory) == model)
        }
    }

    @Test func withoutTheFolderNothingIsWritten() async throws {
        try await withFolder { folder in
            let directory = DataDirectory(folder)
            try directory.acquire()
            let (journal, _) = try Journal.open(directory: directory, name: "map")
            directory.release()
            #expect(throws: DevNodeError.self) { try journal.record([("a", 1)]) { [:] } }
            try directory.acquire()
            try journal.record([("b", 2)]) { [:] }
            #expect(try reopen(directory) == ["b": 2])
        }
    }

    @Test func aDamagedSnapshotIsAnError() async throws {
        try await withFolder { folder in
            let directory = DataDirectory(folder)
            try directory.acquire()
            try Data("{".utf8).write(to: folder.appendingPathComponent("map.json"))
            #expect(throws: JsonSyntaxProblem.self) { try reopen(directory) }
        }
    }
}
