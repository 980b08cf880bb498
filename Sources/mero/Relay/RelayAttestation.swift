import Foundation
import MeroKit

/// What `mero relay attest` does.
enum RelayAttestation {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let arguments = invocation.arguments
        guard let relay = arguments.text(.relay).flatMap(NodeAddress.init) else {
            throw Failure(code: .usage, message: "No relay is named", hint: "Add --relay URL")
        }
        let certificates = arguments.text(.cacert).map { URL(fileURLWithPath: $0).absoluteURL }
        let options = HttpOptions(certificateAuthorityFile: certificates)
        let timeout = arguments.seconds(.timeout) ?? 15
        let admin = AdminApi(
            http: URLSessionHttpClient(
                baseURL: relay.url, timeout: timeout, options: options))
        let release = arguments.text(.trustedRelease) ?? Sealing.oldestTrustedRelease
        let isMock = try SealedChoice.takesMockQuotes(of: relay, invocation)
        let verifier: any TransportQuoteVerifier =
            isMock
            ? LoopbackQuoteVerifier()
            : try SignedReleaseVerifier(
                admin: admin, minReleaseVersion: release,
                source: { version in try await fetchNodeRelease(version, timeout: timeout, options: options) })
        let nodeKey = try await nodeKey(admin, relay, verifier)
        let transportKey = Hex.encode(try await fetchAttestedTransportKey(admin: admin, verifier: verifier))
        let version = isMock ? nil : try await fetchNodeReleaseVersion(admin: admin)
        let trust = isMock ? "a mock quote of a node on this machine: nothing proves it" : "signed release"
        try RelayActs.tell(
            [
                ("node key", "nodeKey", .string(nodeKey)), ("transport key", "transportKey", .string(transportKey)),
                ("trusted by", "trustedBy", .string(trust)), ("release", "release", .optional(version)),
            ], invocation.console)
        return .done
    }

    private static func nodeKey(
        _ admin: AdminApi, _ relay: NodeAddress, _ verifier: any TransportQuoteVerifier
    ) async throws -> String {
        let nonce = Hex.encode(randomBytes(32))
        let answer = try await admin.teeAttest(
            TeeAttestRequest(nonce: nonce, bindNodeKey: true, includeCollateral: verifier.includeCollateral))
        return try await AttestedRelayKeyVerifier(verifier).verify(
            RelayAttestation.question(relay, nonce, answer))
    }

    private static func question(
        _ relay: NodeAddress, _ nonce: String, _ answer: TeeAttestResponseData
    ) -> MeroKit.RelayAttestation {
        MeroKit.RelayAttestation(
            relayURL: relay.text, nonce: nonce, quoteB64: answer.quoteB64, boundPublicKey: answer.boundPublicKey ?? "",
            collateral: answer.collateral)
    }
}
