import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct WriteIntentTests {
    private static let other = String(repeating: "9", count: 64)

    @Test func aMemberWithoutANodeWrites() async throws {
        try await withRelay { relay async throws in
            let token = relay.node.mintTokens().accessToken
            let tap = try await relay.fixture.listen(contexts: [relay.context], token: token)
            let described = try await relay.fixture.call("GET", relay.path)
            #expect(described.status == 200)
            let data = try #require(described.data)
            #expect(data["executorAccount"] == .string(relay.node.accountId))
            #expect(data["executorKey"] == .string(relay.node.executor(inContext: relay.context) ?? ""))
            #expect(data["canAuthorOnBehalf"] == true && data["groupId"] == .string(relay.namespace))
            #expect(data["grantedOnGroupId"] == .string(relay.namespace))
            #expect(data["releaseVersion"] == "1.0.0")
            #expect(data["releaseBytecodeId"] == .string(relay.node.releaseBytecodeId(group: relay.namespace) ?? ""))

            let answer = try await relay.write()
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.data?["returns"] == .null)
            let root = try #require(answer.data?["rootHash"]?.stringValue)
            #expect(relay.node.contextState(relay.context) == ["k": "v"])
            #expect(await tap.has(frames: 2))
            #expect(tap.types == ["StateMutation"])
            #expect(tap.events.first?.result["data"]?["newRoot"] == .string(root))
            #expect(relay.mark() == 1)
            let write = try #require(relay.node.delegatedWrites.first)
            #expect(write.account == relay.ada.accountId && write.device == relay.ada.deviceId)
            #expect(write.method == "set" && write.nonce == 1 && write.isWrite && write.rootHash == root)
        }
    }

    @Test func theMethodRunsAsTheAccountAndReadsSpendNothing() async throws {
        try await withRelay(contract: ProbeContract()) { relay async throws in
            let who = try await relay.write("executor", [:])
            #expect(who.data?["returns"] == .string(relay.ada.accountId))
            #expect(relay.mark() == nil)
            let sum = try await relay.write("increment", ["by": 18])
            #expect(sum.data?["returns"] == 18)
            #expect(relay.mark() == 1)
            let slow = try await relay.write("sleep", ["ms": 1], nonce: 2)
            #expect(slow.status == 200 && slow.data?["returns"] == .null)
        }
    }

    /// What is signed differently, and what the relay says to it. The nonce stays free in every case.
    @Test(arguments: [
        ("context", 403, "this warrant authorises a different context than the one it was presented in"),
        ("author", 400, "delegation does not verify: the credential is another account's than the warrant's author"),
        (
            "executor", 400,
            "delegation does not verify: the executor's credential is another account's than the warrant names"
        ),
        ("executorKey", 403, "this warrant names another executor key than this node's in this context"),
        (
            "release", 403, "this warrant pins another release than the one that runs in this context; sign it anew"
        ),
        (
            "method", 403,
            "this warrant does not cover the intent presented with it: it commits to a different method or arguments"
        ),
        (
            "args", 403,
            "this warrant does not cover the intent presented with it: it commits to a different method or arguments"
        ),
        (
            "floor", 403,
            "the delta's governance cut does not reach the governance floor its warrant was signed against; the relay "
                + "must sync and re-execute at a later cut"
        ),
    ])
    func whatIsSignedHasToBeWhatIsAsked(field: String, status: Int, text: String) async throws {
        try await withRelay { relay async throws in
            let warrant = try relay.warrant { input in
                switch field {
                case "context": input.context = Self.other
                case "author": input.authorAccount = Self.other
                case "executor": input.executor = Self.other
                case "executorKey": input.executorKey = relay.node.nodeKey
                case "release": input.releaseBytecodeId = Self.other
                case "method": input.method = "remove"
                case "args": input.argsJson = ["key": "k", "value": "w"]
                default: input.governanceFloor = [Self.other]
                }
            }
            let answer = try await relay.post(relay.body(warrant: warrant))
            #expect(answer.status == status)
            #expect(answer.json == ["error": .string(text)])
            relay.expectUntouched()
            #expect(try await relay.write().status == 200)
        }
    }

    @Test func theVersionIsSignedButNeverCompared() async throws {
        try await withRelay { relay async throws in
            #expect(try await relay.write { $0.releaseVersion = "9.9.9" }.status == 200)
        }
    }

    @Test func everyByteOfAWarrantCounts() async throws {
        try await withRelay { relay async throws in
            let warrant = try relay.warrant()
            for index in 0..<(warrant.count / 2) {
                let answer = try await relay.post(relay.body(warrant: flipped(warrant, at: index)))
                #expect(answer.status == 400, "byte \(index): \(answer.text)")
                #expect(
                    answer.error?.hasPrefix("delegation does not verify: ") == true
                        || answer.error?.hasPrefix("warrant is not a valid statement (") == true, "byte \(index)")
            }
            relay.expectUntouched()
            #expect(try await relay.post(relay.body(warrant: warrant)).status == 200)
        }
    }

    @Test func everyByteOfACredentialCounts() async throws {
        try await withRelay { relay async throws in
            let warrant = try relay.warrant()
            for index in 0..<237 {
                let proof = flipped(relay.ada.credential, at: index, by: 0x80)
                let answer = try await relay.post(relay.body(warrant: warrant, proof: proof))
                #expect(answer.status == 400, "byte \(index): \(answer.text)")
            }
            relay.expectUntouched()
            #expect(try await relay.post(relay.body(warrant: warrant)).status == 200)
        }
    }

    @Test func whatCannotBeRead() async throws {
        try await withRelay { relay async throws in
            let good = try relay.warrant()
            func error(_ warrant: String, _ proof: String? = nil) async throws -> String? {
                let answer = try await relay.post(relay.body(warrant: warrant, proof: proof))
                #expect(answer.status == 400)
                return answer.error
            }
            #expect(try await error("xy") == "warrant is not hex: Invalid character 'x' at position 0")
            #expect(try await error("abc") == "warrant is not hex: Odd number of digits")
            #expect(try await error("") != nil)
            #expect(
                try await error(String(good.dropLast(2)))?.hasPrefix("warrant is not a valid statement (391 bytes): ")
                    == true || good.count != 784)
            #expect(try await error(good + "00")?.hasPrefix("warrant is not a valid statement (") == true)
            #expect(try await error(good, "zz")?.hasPrefix("authorProof is not hex: ") == true)
            #expect(try await error(good, "")?.hasPrefix("authorProof is not a valid credential: ") == true)
            let proof = relay.ada.credential
            for text in [String(proof.dropLast(2)), proof + "00"] {
                #expect(try await error(good, text)?.hasPrefix("authorProof is not a valid credential: ") == true)
            }
            relay.expectUntouched()
        }
    }

    @Test func theBodyIsClosed() async throws {
        try await withRelay { relay async throws in
            let good = relay.body(warrant: try relay.warrant())
            let changes: [(String, JsonTree?)] = [
                ("extra", .null), ("method", nil), ("argsJson", nil), ("warrant", nil), ("authorProof", nil),
                ("method", 7), ("warrant", []),
            ]
            for (name, value) in changes {
                #expect(try await relay.post(good.replacing(name, value)).status == 422, "\(name)")
            }
            #expect(try await relay.fixture.call("POST", relay.path, json: "{").status == 400)
            #expect(try await relay.fixture.send("POST", relay.path, body: good.data).status == 415)
            #expect(try await relay.fixture.call("POST", relay.path, json: "[]").status == 422)
            relay.expectUntouched()
        }
    }

    @Test func credentialsAndKeysBelongTogether() async throws {
        try await withRelay { relay async throws in
            let eve = try DevAccount()
            // Another device of the same account did not sign this.
            let second = try DevAccount(root: relay.ada.root)
            let warrant = try relay.warrant()
            let answers = [
                try await relay.post(relay.body(warrant: warrant, proof: eve.credential)),
                try await relay.post(relay.body(warrant: warrant, proof: second.credential)),
            ]
            #expect(answers.map(\.status) == [400, 400])
            #expect(
                answers[1].error
                    == "delegation does not verify: the credential certifies another device than the one that signed the "
                    + "warrant")
            relay.expectUntouched()
            // But it may sign its own, with a ledger of its own.
            #expect(try await relay.write(as: second).status == 200)
            #expect(relay.mark() == nil && relay.mark(second) == 1)
        }
    }

    @Test func aWarrantLivesThroughItsLastSecond() async throws {
        try await withRelay { relay async throws in
            let end = relay.now + 10
            relay.node.clock.advance(by: 10)
            let last = try await relay.write { $0.notAfter = end }
            #expect(last.status == 200)
            relay.node.clock.advance(by: 1)
            let late = try await relay.write(nonce: 2) { $0.notAfter = end }
            #expect(late.status == 403)
            #expect(late.error == "this warrant expired at \(end) and it is now \(end + 1); mint a fresh one")
            #expect(relay.mark() == 1)
        }
    }

    @Test func aRootMayHaveBeenHandedOn() async throws {
        try await withRelay { relay async throws in
            func credential(_ count: UInt32) throws -> String {
                var chain = ""
                var root = relay.ada.root
                for epoch in 0..<count {
                    let next = AccountRoot.generate()
                    chain += try root.handOff(to: next.publicKey, fromEpoch: epoch, account: relay.ada.accountId)
                    root = next
                }
                let certificate = DeviceCertificate(
                    account: try Hex.id(relay.ada.accountId, "a"), device: try Hex.id(relay.ada.deviceId, "d"),
                    signPublicKey: try relay.ada.keys.signPublicKeyBytes,
                    kemPublicKey: try Hex.id(relay.ada.keys.kemPublicKey, "k"), keyEpoch: count, deviceEpoch: 0)
                return "02" + relay.ada.root.publicKey + Hex.encode(LittleEndian.u32(count)) + chain
                    + Hex.encode(certificate.bytes) + Hex.encode(try root.sign(certificate.payload))
            }
            let long = try await relay.post(relay.body(warrant: relay.warrant(), proof: credential(17)))
            #expect(long.status == 400)
            #expect(long.error == "authorProof carries 17 root-key handoffs; at most 16 are accepted")
            relay.expectUntouched()
            #expect(try await relay.post(relay.body(warrant: relay.warrant(), proof: credential(16))).status == 200)
        }
    }

    @Test(arguments: [
        (#"{"b":1,"a":2}"#, #"{"b":1,"a":2}"#, false), (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#, false),
        (#"{"a":2,"b":1}"#, #"{"a":2,"b":1}"#, true), (#"[1.0]"#, "[1]", false), (#"[1e3]"#, "[1000]", false),
        (#"[ 0.5 ]"#, "[0.5]", true), (#"["\u000a\/é\u0008\f"]"#, #"["\n/é\b\f"]"#, true),
        ("[18446744073709551615]", "[18446744073709551615]", true), ("[1e22]", "[1e+22]", true),
        ("[0.000001]", "[1e-6]", true), ("[0.00001]", "[0.00001]", true), ("[-0]", "[0]", false),
        (#""text""#, #""text""#, true), ("null", "null", true),
    ])
    func theRelayHashesWhatItsWriterMakesOfTheBody(sent: String, hashed: String, isCovered: Bool) async throws {
        try await withRelay(contract: ProbeContract()) { relay async throws in
            let warrant = try relay.warrant("echo") { $0.canonicalArguments = Data(hashed.utf8) }
            let answer = try await relay.fixture.call(
                "POST", relay.path,
                json:
                    #"{"method":"echo","argsJson":\#(sent),"warrant":"\#(warrant)","authorProof":"\#(relay.ada.credential)"}"#
            )
            #expect(answer.status == (isCovered ? 200 : 403), "\(answer.text)")
        }
    }

    @Test func withoutDelegatedAccessTheGuardStandsBefore() async throws {
        try await withRelay(
            .relay {
                $0.delegatedAccess = false
                $0.accountProof = true
            }
        ) { relay async throws in
            let body = relay.body(warrant: try relay.warrant())
            for answer in [try await relay.post(body), try await relay.fixture.call("GET", relay.path)] {
                #expect(answer.status == 401)
                #expect(answer.body.isEmpty)
            }
            relay.expectUntouched()
            let narrow = relay.node.mintTokens(permissions: ["context:list"]).accessToken
            #expect(try await relay.fixture.post(relay.path, body, token: narrow).status == 403)
            let session = try await relay.session()
            #expect(try await relay.fixture.post(relay.path, body, token: session).status == 200)
            #expect(
                try await relay.fixture.call("GET", relay.path, token: relay.node.mintTokens().accessToken).status
                    == 200)
        }
    }
}
