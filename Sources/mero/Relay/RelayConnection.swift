import Foundation
import MeroKit

/// Which relay a command talks to, and as whose device.
struct RelayConnection: Sendable {
    let profile: Profile
    let relay: NodeAddress
    let identity: Identity
    let credential: String
    let account: String
    private let certificateAuthorityFile: URL?
    private let timeout: TimeInterval
    private let sealing: Sealing?

    init(_ invocation: Invocation) throws {
        let arguments = invocation.arguments
        guard let named = invocation.relay else {
            throw Failure(code: .usage, message: "No relay is named", hint: "Add --relay URL, or set MERO_RELAY")
        }
        guard let relay = NodeAddress(named) else {
            throw Failure(
                code: .usage,
                message: "The relay's address \"\(NodeAddress.shown(named))\" cannot be used: "
                    + (NodeAddress.complaint(about: named) ?? ""),
                hint: "It comes from MERO_RELAY; give another one with --relay URL")
        }
        profile = try Connection.profile(invocation)
        self.relay = relay
        identity = try profile.identity()
        guard let credential = identity.credential, let certificate = try identity.certificate() else {
            throw Failure(
                code: .notSignedIn, message: "The keys of profile \"\(profile.name)\" are not certified yet",
                hint: "Certify them with \"mero account device certify\" where the recovery phrase is at hand")
        }
        self.credential = credential
        account = certificate.account
        certificateAuthorityFile = arguments.text(.cacert).map { URL(fileURLWithPath: $0).absoluteURL }
        timeout = arguments.seconds(.timeout) ?? 15
        sealing = try SealedChoice.sealing(
            invocation, to: relay, isRelay: true, certificateAuthorityFile: certificateAuthorityFile)
    }

    /// Shared by all commands of the device: no number may be signed twice.
    var nonces: FileWarrantNonceStore { profile.nonces(of: identity.keys) }

    var client: RelayClient {
        RelayClient(
            relayURL: relay.text, authorAccount: account, authorProof: credential, keys: identity.keys, nonces: nonces,
            timeout: timeout, options: options)
    }

    /// How the relay is spoken to.
    var options: HttpOptions { HttpOptions(certificateAuthorityFile: certificateAuthorityFile, sealing: sealing) }

    /// Reads and events are signed request by request, which needs nothing but the device.
    func transport() throws -> MeroTransportClient {
        try MeroTransportClient(
            .relay(
                RelayTransportConfig(
                    relay: client, proof: ProofCredential(credential: credential, keys: identity.keys))))
    }
}

extension OptionSpec {
    static let relay = OptionSpec(
        name: "relay", short: "r", value: .node,
        help: "Go through this relay, as the account of the profile (\"mero account\").", environment: "MERO_RELAY")
    /// What every command that only talks to a relay understands.
    static let relayConnection = [relay, profile, cacert, timeout]
}
