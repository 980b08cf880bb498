import Foundation

/// Learns a node's key for sealed requests, 32 bytes, from an attestation. It is good until the node restarts.
///
/// Throws `AttestationError`, `MeroError` when the node does not answer, what the verifier throws, and `CancellationError`.
/// Spec: 80, section 2.5.
///
/// - Parameters:
///   - admin: Of the node, unsealed: this is how the key becomes known.
///   - verifier: Decides whether the quote is trusted.
///   - applicationId: An application that the quote is to name as well. Only together with its hash.
///   - applicationHash: Of that application's bytecode, 64 hex characters.
public func fetchAttestedTransportKey(
    admin: AdminApi, verifier: any TransportQuoteVerifier, applicationId: String? = nil, applicationHash: String? = nil
) async throws -> Data {
    guard (applicationId == nil) == (applicationHash == nil) else {
        throw AttestationError(.invalidInput, "An application's id and its hash are given together or not at all")
    }
    let inner = try applicationHash.map { text throws(AttestationError) in
        guard Hex.is32(text) else { throw AttestationError(.invalidInput, "The hash is not 64 hex characters") }
        return Data(Hex.decode(text) ?? [])
    }
    let nonce = Hex.encode(randomBytes(32))
    let answer = try await admin.attestation(
        TeeAttestRequest(
            nonce: nonce, applicationId: applicationId, bindTransportKey: true,
            includeCollateral: verifier.includeCollateral))
    guard let text = answer.transportPublicKey else {
        throw AttestationError(.unsupported, "The node predates sealed transport: it named no transport key")
    }
    guard Hex.is32(text), let key = Hex.decode(text).map({ Data($0) }) else {
        throw AttestationError(.malformed, "The node's transport key is not 64 hex characters")
    }
    let suffix = try transportKeyBinding(inner: inner ?? ReportDataBinding.nothing, transportKey: key)
    let isTrusted = try await verifier.verify(
        quoteB64: answer.quoteB64, nonce: nonce, reportDataSuffix: Hex.encode(suffix), collateral: answer.collateral)
    guard isTrusted else { throw AttestationError(.refused, "The quote is not one that is trusted") }
    return key
}

/// What is needed of an answer. The node's own rendering of its quote proves nothing and is not read, whatever its form.
struct AttestationAnswer: Sendable {
    let quoteB64: String
    let transportPublicKey: String?
    let collateral: JSONValue?
}

extension AdminApi {
    func attestation(_ request: TeeAttestRequest) async throws -> AttestationAnswer {
        let (body, _) = try await http.sendRaw(AdminEndpoints.teeAttest.request([], body: .encoding(request)))
        guard let data = (try? JSONValue(jsonBytes: body))?["data"], let quote = data["quoteB64"]?.stringValue else {
            throw AttestationError(.malformed, "The node's attestation has no quote")
        }
        let key = data["transportPublicKey"].flatMap { $0 == .null ? nil : $0.stringValue ?? "" }
        return AttestationAnswer(quoteB64: quote, transportPublicKey: key, collateral: data["collateral"])
    }
}
