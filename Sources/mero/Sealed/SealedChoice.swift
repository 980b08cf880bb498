import Foundation
import MeroKit

extension OptionSpec {
    static let sealed = OptionSpec(
        name: "sealed",
        help:
            "Seal everything to the node's enclave, which is attested first: by a release that Calimero signed, or, for "
            + "a node on this machine, by a mock quote.")
    static let transportKey = OptionSpec(
        name: "transport-key", value: .text("KEY"), help: "Seal to this key, 64 hex, without an attestation.")
    static let trustedRelease = OptionSpec(
        name: "min-release", value: .text("VERSION"),
        help: "With --sealed, the oldest release that is trusted (\(Sealing.oldestTrustedRelease)).")

    /// How a command seals what it sends.
    static let sealing: [OptionSpec] = [.sealed, .transportKey, .trustedRelease]
}

/// What the options say about sealing.
enum SealedChoice {
    /// Nil for TLS alone.
    ///
    /// - Parameter isRelay: Relays may take part of it only unsealed, and say so sealed.
    static func sealing(
        _ invocation: Invocation, to node: NodeAddress, isRelay: Bool, certificateAuthorityFile: URL?
    ) throws -> Sealing? {
        let arguments = invocation.arguments
        if let text = arguments.text(.transportKey) {
            guard Hex.is32(text), let key = Hex.decode(text) else {
                throw Failure(
                    code: .usage, message: "The transport key is not 64 hex digits",
                    hint: "\"mero relay attest\" prints the key of a node")
            }
            return .node(key: .fixed(Data(key)))
        }
        guard arguments.has(.sealed) else { return nil }
        let options = HttpOptions(certificateAuthorityFile: certificateAuthorityFile)
        if try takesMockQuotes(of: node, invocation) {
            return .node(at: node.url, verifier: LoopbackQuoteVerifier(), options: options)
        }
        let release = arguments.text(.trustedRelease) ?? Sealing.oldestTrustedRelease
        let admin = AdminApi(http: URLSessionHttpClient(baseURL: node.url, options: options))
        // Tells a version that is none at once.
        let verifier = try SignedReleaseVerifier(
            admin: admin, minReleaseVersion: release,
            source: { version in try await fetchNodeRelease(version, options: options) })
        return isRelay
            ? .signedRelays(minReleaseVersion: release, options: options)
            : .node(at: node.url, verifier: verifier, options: options)
    }

    /// Whether a quote that nobody signs may do: only where nobody stands between the two.
    ///
    /// Throws `Failure` where a proxy would, and for a release, of which such a quote says nothing.
    static func takesMockQuotes(of node: NodeAddress, _ invocation: Invocation) throws -> Bool {
        guard node.isThisMachine else { return false }
        guard invocation.arguments.text(.trustedRelease) == nil else {
            throw Failure(
                code: .usage, message: "A node on this machine shows a mock quote, which names no release",
                hint: "Leave --min-release out")
        }
        let proxies = ProxySettings(variables: invocation.surroundings.variables)
        guard let variable = proxies.variable(for: node) else { return true }
        throw Failure(
            code: .usage,
            message: "\(variable) sends calls to this very machine through a proxy, which could read them",
            hint: "Add localhost,127.0.0.1,::1 to no_proxy, or name the node's key with --transport-key")
    }
}

/// Takes the mock quotes of a node on this machine, which nobody signs: what is between the two is loopback.
struct LoopbackQuoteVerifier: TransportQuoteVerifier {
    var includeCollateral: Bool { false }

    func verify(
        quoteB64: String, nonce: String, reportDataSuffix: String, collateral: JSONValue?
    ) async throws -> Bool {
        guard let quote = Data(base64Encoded: quoteB64), let found = try? RelayNodeKey.reportData(of: quote) else {
            return false
        }
        return found.isMock && Hex.encode(found.reportData) == (nonce + reportDataSuffix).lowercased()
    }
}
