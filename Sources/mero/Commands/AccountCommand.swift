import Foundation
import MeroKit

extension Command {
    static let account = Command(
        name: "account", summary: "the account that this machine acts for at relays",
        details: [
            "An account is a root secret, which 24 words stand for. It certifies devices; a device signs what a relay does for "
                + "the account. The profile keeps the keys of one device, in a file that only you can read. The words are "
                + "shown once and kept nowhere."
        ],
        examples: [
            .init(says: "a new account, this machine being its first device", line: "mero account new"),
            .init(says: "this machine as one more device of it", line: "mero account import"),
        ],
        subcommands: [accountNew, accountShow, accountExport, accountImport, accountDevice])

    private static let accountNew = Command(
        name: "new", summary: "make an account, with this machine as its first device",
        details: [
            "Prints the recovery phrase: write it down and keep it away from this machine. Whoever has it is the account, and "
                + "it cannot be shown again."
        ],
        options: [.replaceAccount, .profile],
        examples: [.init(says: "make one", line: "mero account new")],
        body: AccountCommand.new)

    private static let accountShow = Command(
        name: "show", summary: "print the account, the device and its public keys",
        options: [.profile],
        examples: [
            .init(says: "the account's id, for an invitation or a grant", line: "mero account show"),
            .init(says: "the certificate too, for a script", line: "mero account show --json"),
        ],
        body: AccountCommand.show)

    private static let accountExport = Command(
        name: "export", summary: "write this device, secret keys included, to a file",
        details: [
            "Whoever has the file can write as this device. It is made for you alone (mode 0600); an existing one is not "
                + "replaced."
        ],
        operands: [.init(name: "file", help: "Where to.")],
        options: [.profile],
        examples: [.init(says: "move the device to another machine", line: "mero account export device.json")],
        body: AccountCommand.export)

    private static let accountImport = Command(
        name: "import", summary: "take over an account: by its recovery phrase, or an exported device",
        details: [
            "With a file, the profile becomes the device that was exported. Without one, the recovery phrase is asked for and "
                + "this machine becomes a new device of the account."
        ],
        operands: [.init(name: "file", help: "What \"mero account export\" wrote.", optional: true)],
        options: [.phraseFromInput, .replaceAccount, .profile],
        examples: [
            .init(says: "by the recovery phrase, typed", line: "mero account import"),
            .init(says: "an exported device", line: "mero account import device.json"),
        ],
        body: AccountCommand.import)
}

enum AccountCommand {
    static func new(_ invocation: Invocation) async throws -> ExitCode {
        let profile = try vacant(invocation)
        let root = AccountRoot.generate()
        let identity = try Identity.certified(by: root)
        try profile.save(identity)
        try describe(identity, profile, invocation.console, phrase: root.phrase)
        return .done
    }

    static func show(_ invocation: Invocation) async throws -> ExitCode {
        let profile = try Connection.profile(invocation)
        try describe(try profile.identity(), profile, invocation.console)
        return .done
    }

    static func export(_ invocation: Invocation) async throws -> ExitCode {
        let identity = try Connection.profile(invocation).identity()
        let file = URL(fileURLWithPath: invocation.arguments.operand("file") ?? "")
        guard !FileManager.default.fileExists(atPath: file.path) else {
            throw Failure(
                code: .localFile, message: "\(file.path) exists", hint: "Remove it or name another file")
        }
        try Profile.write(identity, to: file)
        try invocation.console.line(
            "Wrote the device with its secret keys to \(file.path). Remove it once it is imported.")
        try invocation.console.document(["file": .string(file.path)])
        return .done
    }

    static func `import`(_ invocation: Invocation) async throws -> ExitCode {
        let profile = try vacant(invocation)
        let identity: Identity
        if let path = invocation.arguments.operand("file") {
            let file = URL(fileURLWithPath: path)
            guard let exported = try Profile.identity(at: file, hint: "Name a file that \"mero account export\" wrote")
            else {
                throw Failure(code: .localFile, message: "There is no file \(file.path)", hint: nil)
            }
            identity = exported
        } else {
            identity = try Identity.certified(by: try await RootInput(invocation: invocation).ask())
        }
        // Before it is stored: nothing that does not hold together gets into a profile.
        _ = try identity.certificate()
        try profile.save(identity)
        try describe(identity, profile, invocation.console)
        return .done
    }

    /// The profile, which must not hold a device that would be lost.
    static func vacant(_ invocation: Invocation) throws -> Profile {
        let profile = try Connection.profile(invocation)
        guard !invocation.arguments.has(.replaceAccount), try profile.loadIdentity() != nil else { return profile }
        throw Failure(
            code: .usage, message: "Profile \"\(profile.name)\" holds a device already, and its keys would be lost",
            hint: "Use --profile NAME for another one, or --replace to give this one up")
    }

    static func describe(
        _ identity: Identity, _ profile: Profile, _ console: Console, phrase: String? = nil
    ) throws {
        let certificate = try identity.certificate()
        try console.line("account   \(certificate?.account ?? "none: the keys are not certified yet")")
        if let certificate { try console.line("device    \(certificate.device)") }
        try console.line("sign key  \(identity.keys.signPublicKey)")
        try console.line("kem key   \(identity.keys.kemPublicKey)")
        if let phrase {
            try console.line()
            try console.line("Recovery phrase, shown this once. Write it down:")
            let words = phrase.split(separator: " ")
            for start in stride(from: 0, to: words.count, by: 6) {
                try console.line("  " + words[start..<min(start + 6, words.count)].joined(separator: " "))
            }
        }
        var members: [Report.Member] = [
            .init(name: "profile", value: .string(profile.name)),
            .init(name: "account", value: .optional(certificate?.account)),
            .init(name: "device", value: .optional(certificate?.device)),
            .init(name: "signPublicKey", value: .string(identity.keys.signPublicKey)),
            .init(name: "kemPublicKey", value: .string(identity.keys.kemPublicKey)),
            .init(name: "credential", value: .optional(identity.credential)),
        ]
        if let phrase { members.append(.init(name: "recoveryPhrase", value: .string(phrase))) }
        try console.document(.object(members))
    }
}
