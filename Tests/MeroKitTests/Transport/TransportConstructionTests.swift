import Foundation
import Testing

@testable import MeroKit

/// What a transport client can be made of.
@Suite("Transport construction") struct TransportConstructionTests {
    @Test func constructionRefusesWhatCannotBeUsed() async throws {
        let device = try AccountDevice()
        func relay(_ url: String, _ proof: String) -> RelayClient {
            RelayClient(
                relayURL: url, authorAccount: device.account, authorProof: proof, keys: device.keys,
                nonces: MemoryWarrantNonceStore())
        }
        let good = relay("https://relay.example", device.credential)
        let key = String(repeating: "ab", count: 32)
        let configs: [(String, RelayTransportConfig)] = [
            ("url", RelayTransportConfig(relay: relay("ftp://relay.example", device.credential))),
            ("url", RelayTransportConfig(relay: relay("no url", device.credential))),
            ("nodeKey", RelayTransportConfig(relay: good, observe: RelayObserveConfig(nodeKey: "ab"))),
            (
                "credential",
                RelayTransportConfig(relay: good, observe: RelayObserveConfig(nodeKey: key, credential: "abc"))
            ),
            (
                "credential",
                RelayTransportConfig(relay: good, proof: ProofCredential(credential: "zz", keys: device.keys))
            ),
            (
                "credential",
                RelayTransportConfig(relay: good, proof: ProofCredential(credential: "", keys: device.keys))
            ),
            (
                "observed url",
                RelayTransportConfig(relay: good, observe: RelayObserveConfig(nodeKey: key, relayURL: "x"))
            ),
        ]
        for (what, config) in configs {
            do {
                _ = try MeroTransportClient(.relay(config))
                Issue.record("\(what) was taken")
            } catch let error as AccountError {
                guard case .invalidInput = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        // An empty key is nobody's word, no wrong one.
        #expect(
            try !MeroTransportClient(
                .relay(RelayTransportConfig(relay: good, observe: RelayObserveConfig(nodeKey: "")))
            )
            .canSubscribe)
    }
}
