import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// What the node answers, key for key, against what real nodes answered.
@Suite struct WireRecordingTests {
    @Test func theIdentityHasEveryRecordedKey() async throws {
        try await withNode { fixture async throws in
            let data = try #require(try await fixture.admin("GET", "/identity").data)
            for name in ["rc32-node-identity.json", "core/identity/node_identity.res.json"] {
                guard let recorded = WireRecording.read(name)?["data"] else { continue }
                #expect(data.names.isSuperset(of: recorded.names), "\(name)")
                for member in recorded.members {
                    #expect(
                        (data[member.name]?.boolValue == nil) == (member.value.boolValue == nil), "\(member.name)")
                }
            }
        }
    }

    @Test func deviceAliasesAreAMapInTheEnvelope() async throws {
        try await withNode { fixture async throws in
            let recorded = WireRecording.read("rc32-alias-list-device.json")
            let alias = recorded?["data"]?.members.first
            let (name, id) = (alias?.name ?? "laptop", alias?.value.stringValue ?? SomeId.first)
            let created = try await fixture.admin(
                "POST", "/alias/create/device", #"{"alias":"\#(name)","deviceId":"\#(id)"}"#)
            #expect(created.json == ["data": .null])
            let listed = try await fixture.admin("GET", "/alias/list/device")
            #expect(listed.json == ["data": .object([JsonMember(name: name, value: .string(id))])])
            if let recorded { #expect(listed.json == recorded) }
        }
    }

    @Test func aUrlIsRefusedInTheNodesOwnWords() async throws {
        try await withNode { fixture async throws in
            let answer = try await fixture.admin(
                "POST", "/install-application", #"{"url":"https://example.com/app.mpk"}"#)
            answer.expectError(
                400,
                "Invalid JSON data: Failed to deserialize the JSON body into the target type: url: unknown field `url`, "
                    + "expected `package` or `version` at line 1 column 6")
            if let recorded = WireRecording.read("rc32-install-application-url-refused.json") {
                #expect(answer.json == recorded)
            }
        }
    }

    @Test func creatingAContextHasTheRecordedKeys() async throws {
        try await withNode { fixture async throws in
            let namespace = try fixture.node.createNamespace()
            let application = try fixture.node.applications.install(KeyValueContract(), package: "com.example.app")
            var body: JsonTree =
                WireRecording.read("core/contexts/create_context.req.json") ?? [
                    "applicationId": "", "contextSeed": .null, "groupId": "", "identitySecret": .null,
                    "initializationParams": [],
                ]
            body = body.replacing("applicationId", .string(application)).replacing("groupId", .string(namespace))
            let answer = try await fixture.admin("POST", "/contexts", body.text)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.data?.names == ["contextId", "memberPublicKey", "groupId", "groupCreated"])
            #expect(answer.data?["groupCreated"] == false)
            if let recorded = WireRecording.read("core/contexts/create_context.res.json") {
                #expect(answer.data?.names.isSuperset(of: recorded.names) == true)
            }
        }
    }
}
