import Foundation
import MeroDevNode
import MeroKit

extension Command {
    static let dev = Command(
        name: "dev", summary: "run a node for development on this machine",
        details: [
            "Runs until Ctrl-C. The node listens on this machine only, has one user and a context with a key-value contract "
                + "(set, get, get_result, get_unchecked, len, remove, clear, entries), and refuses what a real node refuses.",
            "The user is \"dev\" with the password \"dev-password\", unless --user names another: its password is asked for "
                + "or comes from standard input. Everything is in memory and forgotten at the end, unless --data names a "
                + "folder.",
            "It is a relay as well, for accounts that join its namespace with the invitation that it prints.",
            "With --json: one line when the node is ready, one when it has stopped.",
        ],
        options: [.devPort, .devData, .devUser, .passwordFromInput, .devBlobLimit, .quiet],
        examples: [
            .init(says: "the usual way", line: "mero dev"),
            .init(says: "keep users, keys and contexts in a folder", line: "mero dev --data ./node-data"),
            .init(
                says: "another user, on any free port",
                line: "mero dev --port 0 --user alice --password-stdin < password.txt"),
        ],
        body: DevCommand.run)
}

extension OptionSpec {
    static let devPort = OptionSpec(
        name: "port", value: .port,
        help: "The port; 0 takes any free one. When not given, the first free one of those that \"mero discover\" asks."
    )
    static let devData = OptionSpec(
        name: "data", short: "d", value: .directory, help: "Keep the node's state in this folder, for the next start.")
    static let devUser = OptionSpec(
        name: "user", short: "u", value: .text("NAME"), help: "The one user, instead of \"dev\".")
    static let devBlobLimit = OptionSpec(
        name: "blob-limit", value: .count, help: "The largest blob that the node takes, in MiB (1024 when not given).")
    static let quiet = OptionSpec(name: "quiet", short: "q", help: "Print the node's address and nothing else.")
}

enum DevCommand {
    /// `kv-store` in hex, filled up. Always the same, so that a command line works again after a restart.
    static let context = "6b762d73746f7265" + String(repeating: "0", count: 48)
    static let user = "dev"
    static let password = "dev-password"

    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let node = try await start(invocation)
        do {
            // With a folder, both may be there from an earlier run.
            let known = node.group(ofContext: context)
            let namespace = try known ?? node.createNamespace(contract: KeyValueContract())
            try node.createContext(KeyValueContract(), id: context, inGroup: namespace)
            try announce(node, namespace: namespace, invocation)
            await untilCancelled()
        } catch {
            await node.stop()
            throw error
        }
        await node.stop()
        try invocation.console.document(["event": "stopped"])
        if !invocation.arguments.has(.quiet) { try invocation.console.line("Stopped.") }
        return .done
    }

    private static func start(_ invocation: Invocation) async throws -> DevNode {
        var options = DevNodeOptions()
        options.users = [try await account(invocation)]
        options.delegatedAccess = true
        if let mebibytes = invocation.arguments.count(.devBlobLimit) {
            options.blobLimit =
                UInt64(mebibytes).multipliedReportingOverflow(by: 1 << 20).overflow
                ? .max : UInt64(mebibytes) << 20
        }
        options.dataDirectory = invocation.arguments.text(.devData).map { URL(fileURLWithPath: $0, isDirectory: true) }
        let named = invocation.arguments.ports(.devPort).last
        let ports = named.map { [$0] } ?? NodeDiscovery.defaultLocalPorts.compactMap(UInt16.init(exactly:)) + [0]
        var lastProblem = ""
        for port in ports {
            options.port = port
            do {
                return try await DevNode.start(options)
            } catch DevNodeError.server(let text) {
                lastProblem = text
            } catch let error as DevNodeError {
                throw Failure(
                    code: .localFile, message: error.localizedDescription,
                    hint: "Give another folder with --data, or none to keep everything in memory")
            }
        }
        throw Failure(
            code: .localFile, message: "The node cannot listen on port \(named ?? 0): \(lastProblem)",
            hint: "Another program may use the port: give another one, or --port 0 for any free one")
    }

    private static func account(_ invocation: Invocation) async throws -> (username: String, password: String) {
        guard let name = invocation.arguments.text(.devUser) else {
            if invocation.arguments.has(.passwordFromInput) {
                throw Failure(code: .usage, message: "--password-stdin needs --user", hint: "Add --user NAME")
            }
            return (user, password)
        }
        let password = try await Password(input: invocation.surroundings.input, console: invocation.console).ask(
            prompt: "Password for \(name) (8 to 128 characters):",
            fromInput: invocation.arguments.has(.passwordFromInput))
        guard (8...128).contains(password.count) else {
            throw Failure(
                code: .usage, message: "A node takes passwords of 8 to 128 characters", hint: "Choose another one")
        }
        return (name, password)
    }

    private static func announce(_ node: DevNode, namespace: String, _ invocation: Invocation) throws {
        let console = invocation.console
        let invitation = InviteCodec.encode(json: try node.createInvitation(namespace: namespace)) ?? ""
        let url = node.url.absoluteString
        let name = invocation.arguments.text(.devUser) ?? user
        let folder = invocation.arguments.text(.devData)
        try console.document([
            "event": "ready", "url": .string(url), "users": [.string(name)], "context": .string(context),
            "contract": .string(KeyValueContract().name), "data": .optional(folder),
            "namespace": .string(namespace), "invitation": .string(invitation), "account": .string(node.accountId),
            "nodeKey": .string(node.nodeKey),
        ])
        if invocation.arguments.has(.quiet) { return try console.line(url) }
        let isDefault = invocation.arguments.text(.devUser) == nil
        let login = "mero login --node \(url) --user \(name)"
        let style = console.style
        try console.line("\(style.bold("A node for development runs at \(url)")) (Ctrl-C stops it).")
        try console.line()
        try console.line("  \(style.dim("User   "))  \(name.printable)\(isDefault ? ", password \(password)" : "")")
        try console.line("  \(style.dim("Context"))  \(context) (\(KeyValueContract().name))")
        try console.line(
            "  \(style.dim("State  "))  \(folder.map { "kept in \($0)".printable } ?? "in memory, forgotten at the end")"
        )
        try console.line()
        try console.line("In another terminal:")
        try console.line("  \(isDefault ? "echo \(password) | \(login) --password-stdin" : login.printable)")
        try console.line("  mero call \(context) set '{\"key\":\"greeting\",\"value\":\"hello\"}'")
        try console.line("  mero call \(context) get '{\"key\":\"greeting\"}'")
        try console.line("  mero watch \(context)")
        try console.line()
        try console.line("It is a relay, too. As an account of your own, without a login:")
        try console.line("  mero account new")
        try console.line("  mero relay join \(invitation) --relay \(url)")
        try console.line("  mero call \(context) get '{\"key\":\"greeting\"}' --relay \(url)")
    }

    private static func untilCancelled() async {
        while !Task.isCancelled { try? await Task.sleep(nanoseconds: 3_600_000_000_000) }
    }
}
