import Foundation
import MeroKit

/// What the node signs or seals for others to see.
enum ProofActs {
    private static let longestValidity = 300
    private static let largestSecret = 65_536

    /// `mero namespace prove`.
    static func ownership(_ run: AdminRun) async throws {
        let namespace = try run.id("namespace")
        let context = try run.id(.provenContext)
        guard let audience = run.arguments.text(.audience), let subject = run.arguments.text(.subject) else {
            throw Failure(
                code: .usage, message: "--audience and --subject say who the proof is for, and what about",
                hint: "Nothing was sent")
        }
        let seconds = run.arguments.count(.validSeconds) ?? longestValidity
        guard seconds <= longestValidity else {
            throw Failure(
                code: .usage, message: "A proof is valid for \(longestValidity) seconds at most",
                hint: "Nothing was sent")
        }
        let nonce = run.arguments.text(.nonce) ?? Hex.encode(randomBytes(16))
        let expiry = UInt64((Date().timeIntervalSince1970 + Double(seconds)) * 1000)
        let admin = try await run.admin
        let proof: IssueOwnershipProofResponseData
        if let context {
            proof = try await admin.issueOwnershipProof(
                namespace,
                request: IssueOwnershipProofRequest(
                    audience: audience, contextId: context, subject: subject, nonce: nonce, expiresAtMs: expiry))
        } else {
            proof = try await admin.issueNamespaceOwnershipProof(
                namespace,
                request: IssueNamespaceOwnershipProofRequest(
                    audience: audience, subject: subject, nonce: nonce, expiresAtMs: expiry))
        }
        try run.show(
            [
                ("signed by", proof.signerPublicKey), ("payload", proof.signedPayload), ("signature", proof.signature),
                ("founder", proof.founding?.founderAccountId), ("salt", proof.founding?.salt),
                ("credential", proof.credential),
            ], try .encoding(proof))
    }

    /// `mero identity sign`.
    static func sign(_ run: AdminRun) async throws {
        let payload: String
        let text = try run.text("text")
        if run.arguments.has(.hexText) {
            guard Hex.decode(text) != nil else {
                throw Failure(code: .usage, message: "<text> is no hex", hint: "Nothing was sent")
            }
            payload = text.lowercased()
        } else {
            payload = Hex.encode(Data(text.utf8))
        }
        let signed = try await run.admin.signWithAccountRoot(
            AccountSignWithRootRequest(domain: "mdma.account-\(try run.text("purpose"))", payload: payload))
        try run.show(
            [("account", signed.accountId), ("root", signed.rootPublicKey), ("signature", signed.signature)],
            try .encoding(signed))
    }

    /// `mero member seal`: what is sealed is never an argument, which others on the machine could see.
    static func seal(_ run: AdminRun) async throws {
        let (group, account) = (try run.id("group"), try run.id("account"))
        // Before anything secret is typed.
        let admin = try await run.admin
        let secret = try await secret(run)
        let sealed = try await admin.sealToAccount(
            group, account: account, request: SealToAccountRequest(plaintext: Hex.encode(secret)))
        try run.show(
            [
                ("for", account), ("root epoch", "\(sealed.accountRootEpoch)"),
                ("ephemeral key", sealed.ephemeralPublicKey), ("nonce", sealed.nonce),
                ("ciphertext", sealed.ciphertext),
            ], try Report.encoding(sealed).with("account", .string(account)))
    }

    private static func secret(_ run: AdminRun) async throws -> Data {
        let input = run.invocation.surroundings.input
        let bytes: [UInt8]
        if input.isTerminal {
            try run.console.errors.write("What to seal (not shown): ")
            defer { try? run.console.errors.write("\n") }
            bytes = try await input.line(hidden: true, limit: largestSecret) ?? []
        } else {
            bytes = try await input.everything(limit: largestSecret)
        }
        guard !bytes.isEmpty else {
            throw Failure(code: .usage, message: "There is nothing to seal on standard input", hint: "Nothing was sent")
        }
        return Data(bytes)
    }
}

extension OptionSpec {
    static let audience = OptionSpec(
        name: "audience", value: .text("NAME"), help: "Who the proof is for; they refuse one for others.")
    static let subject = OptionSpec(
        name: "subject", value: .text("TEXT"), help: "What it is about, as whoever asks for it says.")
    static let nonce = OptionSpec(
        name: "nonce", value: .text("HEX"),
        help: "What they gave to be signed once, 32 to 128 hex digits; random when not given.")
    static let validSeconds = OptionSpec(
        name: "valid", value: .count, help: "Seconds until it expires, 300 at most and when not given.")
    static let provenContext = OptionSpec(
        name: "context", value: .text("ID"), help: "Prove it for this context of the namespace.")
    static let hexText = OptionSpec(name: "hex", help: "The text is hex, and its bytes are signed.")
}
