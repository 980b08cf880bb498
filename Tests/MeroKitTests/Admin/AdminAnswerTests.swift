import Foundation
import Testing

@testable import MeroKit

/// Answers that are easy to read wrong.
@Suite struct AdminAnswerTests {
    @Test func nullAndAbsentAreToldApart() async throws {
        for (answer, group): (String, String??) in [
            (#"{"data":null}"#, .some(nil)), (#"{"data":"g"}"#, "g"), ("{}", nil),
        ] {
            let (admin, _) = scriptedAdmin(answer: answer)
            if let group {
                #expect(try await admin.getContextGroup("c") == group)
            } else {
                let error = await meroError { _ = try await admin.getContextGroup("c") }
                guard case .emptyResponse("getContextGroup") = error else {
                    return #expect(Bool(false), "\(String(describing: error))")
                }
            }
        }
    }

    @Test(arguments: [#"{"data":null,"error":"no"}"#, #"{"error":"no"}"#])
    func aSuccessWithAnErrorInItIsNone(answer: String) async throws {
        let (admin, _) = scriptedAdmin(answer: answer)
        let calls: [(String, () async throws -> Void)] = [
            (
                "createContextAlias",
                { _ = try await admin.createContextAlias(CreateContextAliasRequest(alias: "a", contextId: "c")) }
            ),
            ("deleteDeviceAlias", { _ = try await admin.deleteDeviceAlias("a") }),
            ("syncContext", { try await admin.syncContext() }), ("syncContext", { try await admin.syncContext("c") }),
            (
                "updateContextApplication",
                {
                    try await admin.updateContextApplication(
                        "c", request: UpdateContextApplicationRequest(applicationId: "a", executorPublicKey: "k"))
                }
            ),
        ]
        for (name, work) in calls {
            let error = await meroError(work)
            guard case .emptyResponse(let text) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(text == "\(name): no")
        }
    }

    @Test(arguments: [#"{"data":null,"error":""}"#, #"{"data":null,"error":null}"#, "", "ok", "[]"])
    func aSuccessThatSaysNothingIsOne(answer: String) async throws {
        let (admin, _) = scriptedAdmin(answer: answer)
        try await admin.syncContext()
        _ = try await admin.createContextAlias(CreateContextAliasRequest(alias: "a", contextId: "c"))
        try await admin.leaveContext("c")
        try await admin.setSubgroupVisibility("g", request: SetSubgroupVisibilityRequest(subgroupVisibility: "open"))
    }

    @Test func membersHaveToBeThere() async throws {
        for answer in ["{}", #"{"members":null}"#, "", "null"] {
            let (admin, _) = scriptedAdmin(answer: answer)
            let error = await meroError {
                _ = try await admin.listGroupMembers("a b\t" + String(repeating: "c", count: 99))
            }
            guard case .emptyResponse(let text) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            let id = "ab" + String(repeating: "c", count: 62)
            #expect(
                text == "Invalid listGroupMembers response for group \(id): missing or non-array `members` field")
        }
        let (admin, _) = scriptedAdmin(answer: #"{"members":{}}"#)
        let error = await meroError { _ = try await admin.listGroupMembers("g") }
        guard case .decoding = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test func aResyncWithoutAWordHasStarted() async throws {
        let (admin, _) = scriptedAdmin(answer: "")
        let started = try await admin.resyncContext("c")
        #expect(started.contextId == "c" && started.resyncStarted)
    }

    @Test func countersOfBothSpellingsTheNewOnesFirst() throws {
        let text = #"""
            {"groupId":"g","status":"s","localContextsTotal":1,"total":9,"localContextsSwapped":null,"completed":2,
            "failed":3}
            """#
        let answer = try MeroJSON.decode(UpgradeGroupResponseData.self, from: Data(text.utf8))
        #expect(answer.total == 1 && answer.completed == 2 && answer.failed == 3)
        let again = try MeroJSON.decode(UpgradeGroupResponseData.self, from: MeroJSON.encode(answer))
        #expect(again.total == 1 && again.completed == 2 && again.failed == 3)
    }

    @Test func integersAreExact() async throws {
        let (admin, engine) = scriptedAdmin(
            answer: #"""
                {"data":{"groupId":"g","appKey":"e3","targetApplicationId":"3f","memberCount":9223372036854775807,
                "contextCount":1,"defaultCapabilities":0,"subgroupVisibility":"open",
                "ownerOpCounter":18446744073709551615}}
                """#)
        let info = try await admin.getGroupInfo("g")
        #expect(info.ownerOpCounter == UInt64.max && info.memberCount == Int.max)
        for number in ["9223372036854775808", "1.5", "-0.5", "1e400"] {
            let (admin, _) = scriptedAdmin(answer: #"{"data":{"sizeInBytes":\#(number)}}"#)
            let error = await meroError { _ = try await admin.getContextStorage("c") }
            guard case .decoding = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
        _ = try? await admin.issueOwnershipProof(
            "g",
            request: IssueOwnershipProofRequest(
                audience: "a", contextId: "c", subject: "s", nonce: "n", expiresAtMs: 18_446_744_073_709_551_615))
        guard case .bytes(let body)? = engine.requests.last?.body else { return #expect(Bool(false), "no body") }
        #expect(String(decoding: body, as: UTF8.self).contains(#""expiresAtMs":18446744073709551615"#))
    }

    @Test func proofsNameTheirPathWhenTheyAreNone() async throws {
        for answer in ["{}", "", "x", #"{"data":null}"#] {
            let (admin, _) = scriptedAdmin(answer: answer)
            let error = await meroError {
                _ = try await admin.issueNamespaceOwnershipProof(
                    "n",
                    request: IssueNamespaceOwnershipProofRequest(
                        audience: "a", subject: "s", nonce: "n", expiresAtMs: 1))
            }
            guard case .decoding(let text) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(text.hasPrefix("/admin-api/groups/n/issue-namespace-ownership-proof: "))
        }
    }

    @Test func untypedAnswersAreNullWhenTheyAreNoJson() async throws {
        for (answer, value): (String, JSONValue) in [("", .null), ("x", .null), ("[1]", [1]), (#""a""#, "a")] {
            let (admin, _) = scriptedAdmin(answer: answer)
            #expect(try await admin.abortMigration("n") == value)
            let proof: JSONValue = try await admin.issueOwnershipProof("g", request: ["a": 1])
            #expect(proof == value)
        }
        let (admin, _) = scriptedAdmin(answer: "")
        #expect(try await admin.getUsage() == .null)
        #expect(try await admin.getNetworkStatus() == .null)
    }

    @Test func scopesOfDevices() throws {
        #expect(try MeroJSON.decode(DeviceScope.self, from: Data(#""all""#.utf8)) == .all)
        #expect(try MeroJSON.decode(DeviceScope.self, from: Data(#"{"only":["a"]}"#.utf8)) == .only(["a"]))
        for text in [#""some""#, "{}", "7", "null", #"{"only":"a"}"#] {
            #expect(throws: DecodingError.self) { try MeroJSON.decode(DeviceScope.self, from: Data(text.utf8)) }
        }
        #expect(try asJSON(DeviceScope.only([])) == ["only": []])
        #expect(try asJSON([DeviceScope.all]) == ["all"])
    }

    @Test func aliasesAreAMapAndAList() throws {
        let aliases = ListAliasesResponseData(aliases: [
            AliasEntry(name: "b", value: "1"), AliasEntry(name: "a", value: "2"), AliasEntry(name: "b", value: "3"),
        ])
        #expect(aliases.entries == ["a": "2", "b": "3"] && aliases.aliases.map(\.name) == ["a", "b"])
        #expect(try asJSON(aliases) == ["a": "2", "b": "3"])
    }

    @Test func anUnsetVisibilityIsRestricted() throws {
        #expect(CreateGroupInNamespaceRequest.defaultVisibility == "restricted")
        #expect(try asJSON(CreateGroupInNamespaceRequest()) == ["visibility": "restricted"])
        let request = CreateGroupInNamespaceRequest(groupName: "g", visibility: "open")
        #expect(try asJSON(request) == ["groupName": "g", "visibility": "open"])
    }

    @Test func flagsThatAreNotSetAreNotSent() throws {
        let plain = TeeAttestRequest(nonce: "00")
        #expect(String(decoding: try MeroJSON.encode(plain), as: UTF8.self) == #"{"nonce":"00"}"#)
        let read = try MeroJSON.decode(TeeAttestRequest.self, from: Data(#"{"nonce":"00","bindNodeKey":true}"#.utf8))
        #expect(read.bindNodeKey && !read.bindTransportKey && !read.includeCollateral)
    }
}
