import MeroKit

extension Command {
    static let accountDevice = Command(
        name: "device", summary: "have keys certified elsewhere, or certify others",
        details: [
            "So that the recovery phrase is typed on one machine only: \"new\" here, \"certify\" there with the two keys that "
                + "it prints, \"accept\" here with the certificate that comes out."
        ],
        examples: [
            .init(says: "here", line: "mero account device new"),
            .init(says: "where the phrase is at hand", line: "mero account device certify $SIGN_KEY $KEM_KEY"),
            .init(says: "here again", line: "mero account device accept $CREDENTIAL"),
        ],
        subcommands: [deviceNew, deviceCertify, deviceAccept])

    private static let deviceNew = Command(
        name: "new", summary: "make keys for this machine and print their public halves",
        options: [.replaceAccount, .profile],
        examples: [.init(says: "make them", line: "mero account device new")],
        body: AccountDeviceCommand.new)

    private static let deviceCertify = Command(
        name: "certify", summary: "certify the keys of another machine",
        details: [
            "Asks for the recovery phrase. Prints the certificate, which is no secret. This machine's own profile is not touched."
        ],
        operands: [
            .init(name: "sign-key", help: "The other device's signing key, 64 hex characters."),
            .init(name: "kem-key", help: "Its key that nodes seal to, 64 hex characters."),
        ],
        options: [.phraseFromInput],
        examples: [.init(says: "certify", line: "mero account device certify $SIGN_KEY $KEM_KEY")],
        body: AccountDeviceCommand.certify)

    private static let deviceAccept = Command(
        name: "accept", summary: "take the certificate for this machine's keys",
        operands: [.init(name: "credential", help: "What \"mero account device certify\" printed.")],
        options: [.profile],
        examples: [.init(says: "take it", line: "mero account device accept $CREDENTIAL")],
        body: AccountDeviceCommand.accept)
}

enum AccountDeviceCommand {
    static func new(_ invocation: Invocation) async throws -> ExitCode {
        let profile = try AccountCommand.vacant(invocation)
        let identity = Identity(keys: .generate(), credential: nil)
        try profile.save(identity)
        try AccountCommand.describe(identity, profile, invocation.console)
        return .done
    }

    static func certify(_ invocation: Invocation) async throws -> ExitCode {
        let signKey = try key(invocation, "sign-key")
        let kemKey = try key(invocation, "kem-key")
        let root = try await RootInput(invocation: invocation).ask()
        let credential = try Identity.credential(of: signKey, kemKey, by: root)
        let certificate = try DeviceCertificates.verify(credential)
        try invocation.console.line(credential)
        try invocation.console.document([
            "account": .string(certificate.account), "device": .string(certificate.device),
            "credential": .string(credential),
        ])
        return .done
    }

    static func accept(_ invocation: Invocation) async throws -> ExitCode {
        let profile = try Connection.profile(invocation)
        var identity = try profile.identity()
        guard identity.credential == nil else {
            throw Failure(
                code: .usage, message: "This machine's keys are certified already",
                hint: "\"mero account show\" prints for whom")
        }
        identity.credential = invocation.arguments.operand("credential")?.lowercased()
        // Before it is stored: nothing that does not hold together gets into a profile.
        guard try identity.certificate() != nil else {
            throw Failure(code: .usage, message: "No certificate was given", hint: nil)
        }
        try profile.save(identity)
        try AccountCommand.describe(identity, profile, invocation.console)
        return .done
    }

    private static func key(_ invocation: Invocation, _ name: String) throws -> String {
        let text = (invocation.arguments.operand(name) ?? "").lowercased()
        guard Hex.is32(text) else {
            throw Failure(code: .usage, message: "<\(name)> must have 64 hex characters, got \(text.count)", hint: nil)
        }
        return text
    }
}
