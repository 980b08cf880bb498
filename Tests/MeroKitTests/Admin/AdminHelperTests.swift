import Foundation
import Testing

@testable import MeroKit

/// What makes several requests, or asks somebody else than a node.
@Suite struct AdminHelperTests {
    // MARK: Joining the contexts of a group

    private static let twoContexts = #"{"data":[{"contextId":"c0","name":"n"},{"contextId":"c1"}]}"#

    @Test func groupContextsAreJoinedAndSyncedInOrder() async throws {
        let engine = ScriptedEngine { request, _ in
            request.line.hasSuffix("/contexts") ? .status(200, [:], Self.twoContexts) : .status(500, [:], "")
        }
        let contexts = try await scriptedAdmin(engine).syncGroupContexts("g")
        #expect(contexts.map(\.contextId) == ["c0", "c1"] && contexts[0].name == "n")
        #expect(
            engine.requests.map(\.line) == [
                "POST /admin-api/groups/g/sync", "GET /admin-api/groups/g/contexts",
                "POST /admin-api/contexts/c0/join", "POST /admin-api/contexts/sync/c0",
                "POST /admin-api/contexts/c1/join", "POST /admin-api/contexts/sync/c1",
            ])
        #expect(engine.requests.filter { $0.method == "POST" }.allSatisfy { $0.json == [:] })
    }

    @Test func aListingThatFailsIsThrown() async throws {
        let engine = ScriptedEngine { request, _ in .status(request.method == "GET" ? 403 : 200, [:], "{}") }
        let error = await meroError { try await scriptedAdmin(engine).syncGroupContexts("g") }
        #expect(error?.httpStatus == 403 && engine.requests.count == 2)
    }

    @Test(arguments: [0, 1, 2, 3, 5])
    func cancellationIsNeverIgnored(step: Int) async throws {
        let engine = ScriptedEngine { request, number in
            if number == step { try await Task.sleep(nanoseconds: 60_000_000_000) }
            return .status(200, [:], request.method == "GET" ? Self.twoContexts : #"{"data":null}"#)
        }
        let task = Task { try await scriptedAdmin(engine).syncGroupContexts("g") }
        try await eventually { engine.requests.count > step }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(engine.requests.count == step + 1)
    }

    /// An HTTP client of an app's own that has another word for cancellation.
    @Test func cancellationIsNeverIgnoredWhateverItIsCalled() async throws {
        struct Stopped: Error {}
        struct StubbornClient: HttpClient {
            let calls: Locked<Int>
            func send<T: Decodable>(_ req: HttpRequest) async throws -> T {
                calls.withLock { $0 += 1 }
                while !Task.isCancelled { await Task.yield() }
                throw Stopped()
            }
            func sendVoid(_ req: HttpRequest) async throws { throw Stopped() }
            func sendRaw(_ req: HttpRequest) async throws -> (Data, HeadResult) { throw Stopped() }
            func head(_ path: String, headers: [String: String]) async throws -> HeadResult { throw Stopped() }
            func download(_ req: HttpRequest, to fileURL: URL) async throws -> HeadResult { throw Stopped() }
        }
        let calls = Locked(0)
        let task = Task { try await AdminApi(http: StubbornClient(calls: calls)).syncGroupContexts("g") }
        try await eventually { calls.withLock { $0 } > 0 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(calls.withLock { $0 } == 1)
    }

    // MARK: Grants

    @Test(arguments: [(0, 512), (231, 743), (1023 - 512, 1023), (4_294_966_783, 4_294_967_295)])
    func delegatedExecutionIsOpened(before: Int, after: Int) async throws {
        let engine = ScriptedEngine { _, _ in .status(200, [:], AdminCall.groupInfo(capabilities: "\(before)")) }
        let change = try await scriptedAdmin(engine).openToDelegatedExecution("g")
        #expect(change == DelegatedExecutionChange(changed: true, capabilities: after))
        #expect(
            engine.requests.map(\.line) == [
                "GET /admin-api/groups/g", "PUT /admin-api/groups/g/settings/default-capabilities",
            ])
        #expect(engine.requests[1].json == ["defaultCapabilities": .number(Double(after))])
    }

    @Test func authorshipIsGranted() async throws {
        let engine = ScriptedEngine { _, _ in .status(200, [:], #"{"data":{"capabilities":3}}"#) }
        let change = try await scriptedAdmin(engine).grantAuthorship("g", account: "a")
        #expect(change == DelegatedExecutionChange(changed: true, capabilities: 515))
        let path = "/admin-api/groups/g/members/a/capabilities"
        #expect(engine.requests.map(\.line) == ["GET \(path)", "PUT \(path)"])
        #expect(engine.requests[1].json == ["capabilities": 515])
    }

    @Test func whatIsGrantedAlreadyIsNotWritten() async throws {
        let engine = ScriptedEngine { request, _ in
            .status(
                200, [:],
                request.line.contains("members")
                    ? #"{"data":{"capabilities":515}}"# : AdminCall.groupInfo(capabilities: "512"))
        }
        let admin = scriptedAdmin(engine)
        #expect(
            try await admin.grantAuthorship("g", account: "a")
                == DelegatedExecutionChange(changed: false, capabilities: 515))
        #expect(
            try await admin.openToDelegatedExecution("g")
                == DelegatedExecutionChange(changed: false, capabilities: 512))
        #expect(engine.requests.map(\.method) == ["GET", "GET"])
    }

    @Test func aRefusedGrantIsThrown() async throws {
        let engine = ScriptedEngine { request, _ in
            request.method == "GET" ? .status(200, [:], #"{"data":{"capabilities":0}}"#) : .status(403)
        }
        let error = await meroError { try await scriptedAdmin(engine).grantAuthorship("g", account: "a") }
        #expect(error?.httpStatus == 403)
    }

    // MARK: The registry

    @Test(arguments: [
        ("https://apps.example", "https://apps.example"), ("https://apps.example/", "https://apps.example"),
        ("HTTPS://Apps.Example:443/a/b?c=d#e", "https://apps.example"),
        ("http://127.0.0.1:8080/registry", "http://127.0.0.1:8080"), ("http://[::1]:80", "http://[::1]"),
    ])
    func versionsComeFromTheRegistryItself(url: String, origin: String) async throws {
        let engine = ScriptedEngine { _, _ in
            .status(
                200, [:],
                #"""
                [{"package":"p","appVersion":"1.9.0"},{"package":"p","appVersion":"1.10.0",
                "migration":{"method":"m","toSchemaVersion":2}},{"package":"p","appVersion":"1.10"},
                {"package":"p","appVersion":"2"},{"package":"p","appVersion":"3","yanked":true}]
                """#)
        }
        let versions = try await scriptedAdmin(engine).getRegistryVersions(registryUrl: url, packageName: "a b&c/é")
        #expect(Array(versions.prefix(1)) == ["2"] && versions.last == "1.9.0" && versions.count == 4)
        let request = try #require(engine.requests.first)
        #expect(request.url == "\(origin)/api/v2/bundles?package=a%20b%26c%2F%C3%A9&all_versions=true")
        #expect(request.method == "GET")
        #expect(request.header("Authorization") == nil && request.header("Accept") == "application/json")
    }

    @Test(arguments: [
        "", "apps.example", "ftp://apps.example", "https://", "https://u:p@apps.example", "://x", "https:/x",
    ])
    func whatIsNoRegistryIsNotAsked(url: String) async throws {
        let (admin, engine) = scriptedAdmin(answer: "[]")
        let error = await meroError { _ = try await admin.getRegistryVersions(registryUrl: url, packageName: "p") }
        guard case .emptyResponse = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(engine.requests.isEmpty)
    }

    @Test func aRegistryThatFailsSaysWhatFor() async throws {
        let (admin, _) = scriptedAdmin(answer: "gone", status: 404)
        let error = await meroError {
            _ = try await admin.getRegistryVersions(registryUrl: "https://r.example", packageName: "com.example.a")
        }
        guard case .emptyResponse(let text) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(text.contains("com.example.a") && text.contains("404"))
        let (strange, _) = scriptedAdmin(answer: "{}")
        let decoding = await meroError {
            _ = try await strange.getRegistryVersions(registryUrl: "https://r.example", packageName: "p")
        }
        guard case .decoding = decoding else { return #expect(Bool(false), "\(String(describing: decoding))") }
    }

    @Test(arguments: [
        ("1.10.0", "1.9.0", 1), ("1.0", "1.0.0", 0), ("2", "10", -1), ("1.0.0-rc1", "1.0.0", 1), ("1.a", "1.b", -1),
        ("", "", 0), ("1..2", "1.0.2", -1), ("9223372036854775807", "-9223372036854775808", 1), ("01", "1", -1),
        ("99999999999999999999", "99999999999999999998", 1),
    ])
    func versionsAreCompared(left: String, right: String, sign: Int) {
        #expect(compareSemver(left, right).signum() == sign)
        #expect(compareSemver(right, left).signum() == -sign)
    }

    // MARK: Root proofs

    private static func info(namespace: String, counter: String) -> String {
        #"""
        {"data":{"groupId":"g","appKey":"e3","targetApplicationId":"3f","memberCount":2,"contextCount":1,
        "defaultCapabilities":0,"subgroupVisibility":"open","namespaceId":"\#(namespace)","ownerOpCounter":\#(counter)}}
        """#
    }

    @Test func aRootProofCoversTheGroupAsItIs() async throws {
        let root = AccountRoot.generate()
        let (group, namespace, owner) = (
            String(repeating: "9a", count: 32), String(repeating: "9b", count: 32), String(repeating: "ac", count: 32)
        )
        let answer = Self.info(namespace: namespace, counter: "18446744073709551615")
        let (admin, engine) = scriptedAdmin(answer: answer)
        let request = TransferOwnershipRequest(newOwner: owner)
        let proof = try await root.rootProof(for: request.ownerOp, groupId: group, admin: admin)
        #expect(engine.requests.map(\.line) == ["GET /admin-api/groups/\(group)"])
        let read = try AccountProof<OwnerAuthorization>(Hex.decodeUnsized(proof, label: "proof"))
        try read.verify()
        #expect(read.statement.counter == UInt64.max && read.statement.kind == 0)
        #expect(Hex.encode(read.statement.groupId) == group && Hex.encode(read.statement.namespaceId) == namespace)
        #expect(
            try proof
                == root.authorize(
                    .transferOwnership(newOwner: owner), namespaceId: namespace, groupId: group, counter: .max))
    }

    @Test func withoutACounterThereIsNoProof() async throws {
        let (admin, _) = scriptedAdmin(answer: AdminCall.groupInfo(capabilities: "0"))
        let error = await meroError {
            _ = try await AccountRoot.generate().rootProof(for: .groupDelete, groupId: "9a", admin: admin)
        }
        guard case .emptyResponse = error else { return #expect(Bool(false), "\(String(describing: error))") }
        let namespace = String(repeating: "9b", count: 32)
        let (whole, _) = scriptedAdmin(answer: Self.info(namespace: namespace, counter: "1"))
        await #expect(throws: AccountError.self) {
            _ = try await AccountRoot.generate().rootProof(
                for: .transferOwnership(newOwner: "nobody"), groupId: namespace, admin: whole)
        }
    }

    @Test func requestsNameTheOpTheyStandFor() {
        #expect(ChangeNamespaceAdminRequest(newAdmin: "a").ownerOp == .adminChanged(newAdmin: "a"))
        #expect(SetTeeAuthoringPolicyRequest(allowedMrtd: ["m"]).ownerOp == .teeAuthoringPolicy(allowedMrtd: ["m"]))
        let measured = SetTeeAdmissionPolicyRequest.measurement(
            allowedMrtd: ["m"], allowedRtmr0: ["0"], allowedRtmr1: ["1"], allowedRtmr2: ["2"], allowedRtmr3: ["3"],
            allowedTcbStatuses: ["t"], acceptMock: true)
        #expect(
            measured.ownerOp
                == .teeAdmissionPolicy(
                    OwnerOp.TeeAdmission(
                        allowedMrtd: ["m"], allowedRtmr0: ["0"], allowedRtmr1: ["1"], allowedRtmr2: ["2"],
                        allowedRtmr3: ["3"], allowedTcbStatuses: ["t"], acceptMock: true, mode: .replica)))
        let released = SetTeeAdmissionPolicyRequest.signedRelease(
            SignedReleaseTeePolicy(allowedProfiles: ["p"]), allowedTcbStatuses: [], mode: .relay)
        #expect(
            released.ownerOp
                == .teeReleaseAdmissionPolicy(
                    OwnerOp.TeeReleaseAdmission(
                        allowedProfiles: ["p"], minReleaseVersion: nil, allowedTcbStatuses: [], acceptMock: false,
                        mode: .relay)))
    }
}
