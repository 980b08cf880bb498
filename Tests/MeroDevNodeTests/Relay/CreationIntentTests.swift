import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// A contract with an `init` that can refuse.
private struct Guarded: DevContract {
    let name = "guarded"
    let methods: [String: DevMethod] = [
        "init": .mutate { call in
            let owner: String? = try call.arg("owner")
            guard let owner else { throw DevContractError.failure("an owner is needed") }
            call.state["owner"] = .string(owner)
            call.state["by"] = .string(call.executor)
            return nil
        },
        "owner": .read { $0.state["owner"] },
    ]
}

@Suite struct CreationIntentTests {
    private static let other = String(repeating: "9", count: 64)
    private static let seed = String(repeating: "ab", count: 32)

    private func warrant(
        _ relay: RelayFixture, _ args: JSONValue = [:], nonce: UInt64 = 1,
        _ change: (inout Warrants.CreationInput) -> Void = { _ in }
    ) throws -> String {
        var input = Warrants.CreationInput(
            group: relay.namespace, seed: Self.seed, authorAccount: relay.ada.accountId,
            executor: relay.node.accountId, executorKey: relay.node.nodeKey,
            applicationId: DevNode.applicationId(of: KeyValueContract()), name: "lobby", initArgs: args, nonce: nonce,
            notAfter: relay.now + 300)
        change(&input)
        return try Warrants.signCreationWarrant(input, keys: relay.ada.keys)
    }

    private func post(
        _ relay: RelayFixture, _ warrant: String, _ args: JSONValue? = nil, proof: String? = nil
    ) async throws -> Answer {
        var body: JsonTree = [
            "warrant": .string(warrant), "authorProof": .string(proof ?? relay.ada.credential),
        ]
        if let args { body = body.replacing("initArgs", JsonTree(args)) }
        return try await relay.fixture.post("/admin-api/groups/\(relay.namespace)/context-intents", body)
    }

    private func create(
        _ relay: RelayFixture, nonce: UInt64 = 1, _ change: (inout Warrants.CreationInput) -> Void = { _ in }
    ) async throws -> Answer {
        try await post(relay, warrant(relay, nonce: nonce, change))
    }

    @Test func aMemberCreatesAContextAndWritesToIt() async throws {
        try await withRelay(capabilities: 5) { relay async throws in
            let path = "/admin-api/groups/\(relay.namespace)/context-intents"
            let described = try await relay.fixture.call("GET", path + "?author=\(relay.ada.accountId)").data
            #expect(
                described == [
                    "executorAccount": .string(relay.node.accountId), "executorKey": .string(relay.node.nodeKey),
                    "groupId": .string(relay.namespace), "canCreateOnBehalf": true, "authorMayCreate": true,
                ])
            #expect(try await relay.fixture.call("GET", path).data?["authorMayCreate"] == nil)

            let answer = try await create(relay, nonce: 4)
            #expect(answer.status == 200, "\(answer.text)")
            let id = try #require(answer.data?["contextId"]?.stringValue)
            #expect(answer.data?["groupId"] == .string(relay.namespace))
            #expect(answer.data?["memberPublicKey"] == .string(relay.node.executor(inContext: id) ?? "-"))
            #expect(relay.node.contexts(ofGroup: relay.namespace) == [relay.context, id])
            // The new context's ledger is the one that later writes draw from.
            let key = relay.ada.keys.signPublicKey
            #expect(relay.node.highestNonce(ofDeviceKey: key, context: id) == 4)
            #expect(relay.mark() == nil)
            let write = try relay.warrant(nonce: 4) { input in
                input.context = id
                input.executorKey = relay.node.executor(inContext: id) ?? ""
            }
            let spent = try await relay.fixture.post("/admin-api/contexts/\(id)/intents", relay.body(warrant: write))
            #expect(spent.error == "this warrant's nonce has already been spent by this author device")
            let names = try await relay.fixture.call(
                "GET", "/admin-api/groups/\(relay.namespace)/contexts", token: relay.session())
            #expect(names.data?.arrayValue?.last?["name"] == "lobby")
        }
    }

    @Test func aCreationIsSpentOnceAndASeedTakenOnce() async throws {
        try await withRelay(capabilities: 5) { relay async throws in
            let warrant = try warrant(relay)
            #expect(try await post(relay, warrant).status == 200)
            let again = try await post(relay, warrant)
            #expect(again.status == 403 && again.json == ["error": "this creation warrant has already been spent"])
            let taken = try await create(relay, nonce: 2)
            #expect(taken.status == 409)
            #expect(relay.node.contexts(ofGroup: relay.namespace)?.count == 2)
            #expect(try await create(relay, nonce: 2) { $0.seed = Self.other }.status == 200)
        }
    }

    @Test(arguments: [
        ("group", 403, "this creation warrant authorises a different group than the one it was presented in"),
        ("args", 403, "this creation warrant does not cover the init arguments presented with it"),
        ("expired", 403, "this creation warrant expired at "),
        ("executorKey", 403, "this creation warrant names another executor key than this node's"),
        ("author", 400, "creation delegation does not verify: the credential is another account's"),
        ("executor", 400, "creation delegation does not verify: the executor's credential is another account's"),
        ("application", 404, "is not installed on this node"),
        ("target", 409, "this group no longer targets the application that the member signed"),
    ])
    func whatIsSignedHasToFit(field: String, status: Int, text: String) async throws {
        try await withRelay(capabilities: 5) { relay async throws in
            let answer = try await create(relay) { input in
                switch field {
                case "group": input.group = Self.other
                case "args": input.initArgs = ["a": 1]
                case "expired": input.notAfter = relay.now - 1
                case "executorKey": input.executorKey = Self.other
                case "author": input.authorAccount = Self.other
                case "executor": input.executor = Self.other
                case "application": input.applicationId = Self.other
                default: input.applicationId = DevNode.applicationId(of: ProbeContract())
                }
            }
            #expect(answer.status == status)
            #expect(answer.error?.contains(text) == true, "\(answer.text)")
            #expect(answer.error?.lowercased().contains("nonce") == false)
            #expect(relay.node.contexts(ofGroup: relay.namespace)?.count == 1)
            #expect(try await create(relay).status == 200)
        }
    }

    @Test func everyByteCounts() async throws {
        try await withRelay(capabilities: 5) { relay async throws in
            let warrant = try warrant(relay)
            for index in 0..<(warrant.count / 2) {
                let answer = try await post(relay, flipped(warrant, at: index))
                #expect(answer.status == 400 || answer.status == 403, "byte \(index): \(answer.text)")
            }
            for index in 0..<237 {
                let answer = try await post(relay, warrant, proof: flipped(relay.ada.credential, at: index))
                #expect(answer.status == 400, "byte \(index): \(answer.text)")
            }
            #expect(relay.node.contexts(ofGroup: relay.namespace)?.count == 1)
            #expect(try await post(relay, warrant).status == 200)
        }
    }

    @Test func rightsOfBothSides() async throws {
        try await withRelay(capabilities: 4) { relay async throws in
            let node = relay.node
            func refused(_ text: String) async throws {
                let answer = try await create(relay)
                #expect(answer.status == 403)
                #expect(answer.error?.hasPrefix(text) == true, "\(answer.text)")
            }
            func mayCreate() async throws -> JsonTree? {
                try await relay.fixture.call(
                    "GET", "/admin-api/groups/\(relay.namespace)/context-intents?author=\(relay.ada.accountId)"
                ).data?["authorMayCreate"]
            }
            try await refused(
                "the author may not create contexts in this group (not an admin and CAN_CREATE_CONTEXT is not set)")
            #expect(try await mayCreate() == false)
            try node.setCapabilities(1, of: relay.ada.accountId, group: relay.namespace)
            #expect(try await mayCreate() == true)
            try node.addMember(relay.ada.accountId, role: .readOnly, group: relay.namespace)
            try await refused("the author's role in this group is read-only")
            #expect(try await mayCreate() == false)
            try node.removeMember(relay.ada.accountId, group: relay.namespace)
            try await refused("the author's account is not a member of this group")
            #expect(try await mayCreate() == false)
            try node.addMember(relay.ada.accountId, role: .admin, group: relay.namespace)
            try node.setAuthorship(false, group: relay.namespace)
            try await refused("the executor may not act for members in this group: this node holds no authorship grant")
            try node.setAuthorship(true, group: relay.namespace)
            try node.setRevoked(true, device: relay.ada.deviceId, namespace: relay.namespace)
            try await refused("the author's device has been revoked in this group")
            try node.setRevoked(false, device: relay.ada.deviceId, namespace: relay.namespace)
            #expect(try await create(relay).status == 200)
        }
    }

    @Test func theApplicationHasASay() async throws {
        try await withRelay(contract: Guarded(), capabilities: 5) { relay async throws in
            func create(_ args: JSONValue, nonce: UInt64) async throws -> Answer {
                let warrant = try warrant(relay, args, nonce: nonce) {
                    $0.applicationId = DevNode.applicationId(of: Guarded())
                }
                return try await post(relay, warrant, args)
            }
            let refused = try await create(["owner": .null], nonce: 1)
            #expect(refused.status == 400)
            #expect(refused.error == "the application's init refused: an owner is needed")
            #expect(relay.node.contexts(ofGroup: relay.namespace)?.count == 1)
            let made = try await create(["owner": "ada"], nonce: 1)
            #expect(made.status == 200, "\(made.text)")
            let id = made.data?["contextId"]?.stringValue ?? ""
            #expect(relay.node.contextState(id) == ["owner": "ada", "by": .string(relay.ada.accountId)])
        }
    }

    @Test func namesOfGroupsAndAuthors() async throws {
        try await withRelay { relay async throws in
            func error(_ path: String) async throws -> String {
                let answer = try await relay.fixture.call("GET", "/admin-api/groups/\(path)")
                return "\(answer.status) \(answer.error ?? "")"
            }
            #expect(try await error("zz/context-intents") == "400 group id 'zz' is not hex")
            #expect(try await error("00/context-intents") == "400 group id '00' is not 32 bytes")
            #expect(
                try await error("\(relay.namespace)/context-intents?author=x") == "400 author 'x' is not hex")
            #expect(
                try await error("\(relay.namespace)/context-intents?author=00") == "400 author '00' is not 32 bytes")
            #expect(try await error("\(Self.other)/context-intents") == "404 this node knows no such group")
            #expect(try await error("\(Self.other)/governance-intents") == "404 this node knows no such group")
            let closed: JsonTree = ["warrant": "", "authorProof": "", "initArgs": [:], "extra": 1]
            #expect(
                try await relay.fixture.post("/admin-api/groups/\(relay.namespace)/context-intents", closed).status
                    == 422)
        }
    }
}
