import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// An application that wants something to begin with.
private struct Guarded: DevContract {
    let name = "guarded"
    let methods: [String: DevMethod] = [
        "init": .mutate { call in
            let word: String = try call.arg("word")
            guard word != "no" else { throw DevContractError.failure("not with that word") }
            call.state["word"] = .string(word)
            call.state["by"] = .string(call.executor)
            return nil
        },
        "word": .read { $0.state["word"] },
    ]
}

@Suite struct ContextCreationTests {
    private struct Body {
        var application: String
        var group: String
        var parameters: [UInt8] = []
        var more: [(String, JsonTree)] = []

        var text: String {
            JsonTree.object(
                [
                    JsonMember(name: "applicationId", value: .string(application)),
                    JsonMember(name: "groupId", value: .string(group)),
                    JsonMember(name: "initializationParams", value: .array(parameters.map { JsonTree($0) })),
                ] + more.map { JsonMember(name: $0.0, value: $0.1) }
            ).text
        }
    }

    private func create(_ fixture: NodeFixture, _ body: Body, token: String? = nil) async throws -> Answer {
        try await fixture.admin("POST", "/contexts", body.text, token: token)
    }

    /// The whole way: nothing but the admin API and JSON-RPC.
    @Test func anInstalledApplicationRuns() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await withNode { fixture async throws in
                let file = folder.appendingPathComponent("app.mpk")
                try DevBundle(package: "com.example.app", version: "1.2.0").data.write(to: file)
                let installed = try await fixture.admin(
                    "POST", "/install-dev-application", #"{"path":"\#(file.path)"}"#)
                let application = try #require(installed.data?["applicationId"]?.stringValue)
                let namespace = try fixture.node.createNamespace()
                let answer = try await create(
                    fixture, Body(application: application, group: namespace, more: [("name", "lobby")]),
                    token: fixture.token("context:create"))
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.data?.names == ["contextId", "memberPublicKey", "groupId", "groupCreated"])
                #expect(answer.data?["groupId"] == .string(namespace))
                let context = try #require(answer.data?["contextId"]?.stringValue)
                let token = fixture.token("admin")
                let written = try await fixture.execute(
                    context, "set", ["key": "k", "value": "v"], token: token)
                #expect(written.output == .null)
                #expect(try await fixture.execute(context, "get", ["key": "k"], token: token).output == "v")
                let read = try await fixture.admin("GET", "/contexts/\(context)")
                #expect(
                    read.data?.names == [
                        "id", "applicationId", "contextStateHash", "dagHeads", "applicationVersion", "name",
                    ])
                #expect(read.data?["applicationId"] == .string(application))
                #expect(read.data?["applicationVersion"] == "1.2.0")
                #expect(read.data?["name"] == "lobby")
                #expect(fixture.node.releaseBytecodeId(group: namespace) != nil)
                #expect(
                    fixture.node.releaseBytecodeId(group: namespace)
                        == fixture.node.applications.bytecodeId(of: application))
                #expect(fixture.node.contexts(ofGroup: namespace) == [context])
                #expect(answer.data?["memberPublicKey"]?.stringValue == fixture.node.executor(inContext: context))
            }
        }
    }

    @Test func aSeedMakesTheId() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let (one, two) = (try node.createNamespace(), try node.createNamespace())
            let application = try node.applications.install(KeyValueContract(), package: "com.example.app")
            let seed: [(String, JsonTree)] = [("contextSeed", .string(SomeId.first))]
            let first = try await create(fixture, Body(application: application, group: one, more: seed))
            #expect(first.status == 200)
            try await create(fixture, Body(application: application, group: one, more: seed)).expectError(409)
            let elsewhere = try await create(fixture, Body(application: application, group: two, more: seed))
            #expect(elsewhere.status == 200)
            #expect(elsewhere.data?["contextId"] != first.data?["contextId"])
            let id = try #require(first.data?["contextId"]?.stringValue)
            _ = try await fixture.execute(id, "set", ["key": "k", "value": "v"], token: fixture.token("admin"))
            #expect(try await fixture.admin("DELETE", "/contexts/\(id)", "{}").status == 200)
            let again = try await create(fixture, Body(application: application, group: one, more: seed))
            #expect(again.data?["contextId"] == first.data?["contextId"])
            #expect(node.contextState(id) == [:])
        }
    }

    @Test func aHundredAtOnceOfOneSeed() async throws {
        try await withNode { fixture async throws in
            let namespace = try fixture.node.createNamespace()
            let application = try fixture.node.applications.install(KeyValueContract(), package: "com.example.app")
            let body = Body(
                application: application, group: namespace, more: [("contextSeed", .string(SomeId.first))])
            let token = fixture.token("admin")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await create(fixture, body, token: token).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 409 }.count == 19)
            #expect(fixture.node.contexts.count == 1)
        }
    }

    @Test func anIdentityOfOnesOwn() async throws {
        try await withNode { fixture async throws in
            let namespace = try fixture.node.createNamespace()
            let application = try fixture.node.applications.install(KeyValueContract(), package: "com.example.app")
            let seed = Data(repeating: 9, count: 32)
            let answer = try await create(
                fixture,
                Body(
                    application: application, group: namespace,
                    more: [("identitySecret", .string(Hex.encode(seed)))]))
            #expect(answer.data?["memberPublicKey"] == .string(Hex.encode(try Ed25519.publicKey(seed: seed))))
            #expect(!answer.text.contains(Hex.encode(seed)))
        }
    }

    @Test func theApplicationsInit() async throws {
        try await withNode { fixture async throws in
            let namespace = try fixture.node.createNamespace()
            let application = try fixture.node.applications.install(Guarded(), package: "com.example.guarded")
            let refused = try await create(
                fixture,
                Body(application: application, group: namespace, parameters: Array(#"{"word":"no"}"#.utf8)))
            refused.expectError(400, "not with that word")
            for parameters in ["", "{", "{}"] {
                try await create(
                    fixture, Body(application: application, group: namespace, parameters: Array(parameters.utf8))
                ).expectError(400)
            }
            #expect(fixture.node.contexts.isEmpty)
            #expect(fixture.node.contexts(ofGroup: namespace) == [])
            let made = try await create(
                fixture,
                Body(application: application, group: namespace, parameters: Array(#"{"word":"yes"}"#.utf8)))
            let context = try #require(made.data?["contextId"]?.stringValue)
            #expect(try await fixture.execute(context, "word", token: fixture.token("admin")).output == "yes")
            #expect(
                fixture.node.contextState(context)?["by"]?.stringValue == made.data?["memberPublicKey"]?.stringValue)
        }
    }

    @Test func whereAContextMayNotBe() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let ada = try DevAccount()
            let namespace = try node.createNamespace()
            let application = try node.applications.install(KeyValueContract(), package: "com.example.app")
            try await create(fixture, Body(application: SomeId.first, group: namespace)).expectError(
                404, "Application not found")
            try await create(fixture, Body(application: application, group: SomeId.first)).expectError(404)
            let hers = try node.createNamespace(founder: ada.accountId)
            try await create(fixture, Body(application: application, group: hers)).expectError(403)
            try node.setCapabilities(GroupCapability.createContext, of: node.accountId, group: hers)
            #expect(try await create(fixture, Body(application: application, group: hers)).status == 200)
            let other = try node.createNamespace(contract: ProbeContract())
            try await create(fixture, Body(application: application, group: other)).expectError(409)
            node.setReadiness(.starting)
            try await create(fixture, Body(application: application, group: namespace)).expectError(503)
            node.setReadiness(.ready)
            #expect(node.contexts(ofGroup: namespace) == [])
        }
    }

    /// A contract of this process needs no installation.
    @Test func aContractThatNobodyInstalled() async throws {
        try await withNode { fixture async throws in
            let namespace = try fixture.node.createNamespace(contract: ProbeContract())
            let application = DevNode.applicationId(of: ProbeContract())
            let context = try await fixture.makeContext(application, in: namespace)
            #expect(try await fixture.execute(context, "increment", token: fixture.token("admin")).output == 1)
            #expect(try await fixture.admin("GET", "/contexts/\(context)").data?["applicationVersion"] == "1.0.0")
        }
    }
}
