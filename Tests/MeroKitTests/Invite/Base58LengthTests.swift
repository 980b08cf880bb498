import Foundation
import Testing

@testable import MeroKit

/// Base58 takes the square of a text's length in time: whoever reads some from outside has a limit.
///
/// A million characters would take a quarter of an hour, so a reader without one does not get through here.
@Suite("Length of base58") struct Base58LengthTests {
    static let long = String(repeating: "z", count: 1_000_000)

    @Test(.timeLimit(.minutes(1))) func everyReaderHasALimit() async throws {
        let texts = [Self.long, String(repeating: "1", count: 1_000_000), String(repeating: "z", count: 16_385)]
        for text in texts {
            #expect(Base58.decode(text) == nil)
            #expect(InviteCodec.base58Decode(text) == nil)
            #expect(InviteCodec.decode(token: text) == nil)
            #expect(throws: MeroError.self) { try InviteCodec.decode(JSONValue.self, from: text) }
        }
        #expect(InviteCodec.base58Encode(Data(repeating: 0xff, count: 1_000_000)) == "")
        #expect(InviteCodec.encode(json: "{\"a\":\"\(Self.noise(1_000_000))\"}") == nil)
        // What is within is read as before.
        let most = Data(repeating: 0xff, count: 16384 * 5 / 7)
        #expect(InviteCodec.base58Decode(InviteCodec.base58Encode(most)) == most)
        #expect(InviteCodec.base58Encode(most + [0]) == "")
        #expect(Base58.decode("z", lengths: 2...3) == nil && Base58.decode("zz", lengths: 2...3) != nil)
    }

    /// A relay's answers come from whoever answers there.
    @Test(.timeLimit(.minutes(1)), arguments: ["GET intents", "GET context-intents", "GET governance-intents"])
    func everyAnswerOfARelayHasALimit(route: String) async throws {
        let key = #"{"executorAccount":"\#(RelayRig.executor)","executorKey":"\#(Self.long)""#
        let rig = try RelayRig { _, _, _ in
            RelayRig.data(
                key + #","releaseBytecodeId":"\#(RelayRig.release)","releaseVersion":"1","canCreateOnBehalf":true,"#
                    + #""canActOnBehalf":true}"#)
        }
        let error = await failure(of: {
            switch route {
            case "GET intents": _ = try await rig.relay.execute(contextId: RelayRig.context, method: "m")
            case "GET context-intents":
                _ = try await rig.relay.createContext(groupId: RelayRig.group, applicationId: RelayRig.release)
            default:
                try await rig.relay.govern(
                    groupId: RelayRig.group, op: GovernanceOps.memberRemoved(member: RelayRig.executor))
            }
        })
        guard case AccountError.protocolViolation? = error else {
            Issue.record("\(String(describing: error).prefix(200))")
            return
        }
        #expect(rig.routes == [route] && rig.nonces.next(relay: RelayRig.url) == 1)
    }

    /// Hardly compressible.
    private static func noise(_ count: Int) -> String {
        var generator = SeededGenerator(seed: 58)
        return Hex.encode((0..<count / 2).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}
