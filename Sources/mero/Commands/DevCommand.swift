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
            "Its registry holds kv-store 1.0.0 and probe 1.0.0 (\"mero app install kv-store 1.0.0\"); it installs signed bundles "
                + "from files, too.",
            "Two \"mero dev\" do not know each other: nobody can join from one what the other one serves. --nodes runs several "
                + "nodes in one process, which do.",
            "With --with-cloud there is a cloud beside it, on a port of its own, with a wallet that approves whoever opens its "
                + "page in a browser: what \"mero cloud\" needs. The node is its relay. Without a browser: \"mero account new\", "
                + "then \"mero cloud login --certified --cloud URL\".",
            "With --json: one line when the node is ready, one when it has stopped.",
        ],
        options: [.devPort, .devData, .devUser, .passwordFromInput, .devNodes, .devBlobLimit, .devCloud, .quiet],
        examples: [
            .init(says: "the usual way", line: "mero dev"),
            .init(says: "with a cloud", line: "mero dev --with-cloud"),
            .init(says: "keep users, keys and contexts in a folder", line: "mero dev --data ./node-data"),
            .init(
                says: "another user, on any free port",
                line: "mero dev --port 0 --user alice --password-stdin < password.txt"),
            .init(says: "two nodes that know each other", line: "mero dev --nodes 2"),
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
    static let devNodes = OptionSpec(
        name: "nodes", value: .count,
        help: "So many nodes that know each other, 8 at most; --port is that of the first one.")
    static let devBlobLimit = OptionSpec(
        name: "blob-limit", value: .count, help: "The largest blob that the node takes, in MiB (1024 when not given).")
    static let devCloud = OptionSpec(
        name: "with-cloud", help: "Run a cloud beside it, with a wallet, and the node as its relay.")
    static let quiet = OptionSpec(name: "quiet", short: "q", help: "Print the node's address and nothing else.")
}

enum DevCommand {
    /// `kv-store` in hex, filled up. Always the same, so that a command line works again after a restart.
    static let context = "6b762d73746f7265" + String(repeating: "0", count: 48)
    static let user = "dev"
    static let password = "dev-password"
    /// What the registry of its node holds.
    static let applications = [KeyValueContract().name, ProbeContract().name].map { "\($0) 1.0.0" }

    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let nodes = try await startAll(invocation)
        var cloud: DevCloud?
        do {
            // With a folder, both may be there from an earlier run.
            let known = nodes[0].group(ofContext: context)
            let namespace = try known ?? nodes[0].createNamespace(contract: KeyValueContract())
            try nodes[0].createContext(KeyValueContract(), id: context, inGroup: namespace)
            if invocation.arguments.has(.devCloud) {
                cloud = try await DevCommandCloud.start(nodes[0], namespace: namespace)
            }
            try announce(nodes, namespace: namespace, cloud, invocation)
            await untilCancelled()
        } catch {
            await cloud?.stop()
            for node in nodes { await node.stop() }
            throw error
        }
        await cloud?.stop()
        for node in nodes { await node.stop() }
        try invocation.console.document(["event": "stopped"])
        if !invocation.arguments.has(.quiet) { try invocation.console.line("Stopped.") }
        return .done
    }

    /// At least one. When one does not start, those before it are stopped.
    private static func startAll(_ invocation: Invocation) async throws -> [DevNode] {
        let count = invocation.arguments.count(.devNodes) ?? 1
        guard count <= mostNodes else {
            throw Failure(code: .usage, message: "--nodes takes at most \(mostNodes)", hint: "Nothing was started")
        }
        let user = try await account(invocation)
        let network = count > 1 ? DevNetwork() : nil
        var nodes: [DevNode] = []
        do {
            for number in 1...count { nodes.append(try await start(invocation, number, user, network)) }
        } catch {
            for node in nodes { await node.stop() }
            throw error
        }
        return nodes
    }

    private static let mostNodes = 8

    private static func start(
        _ invocation: Invocation, _ number: Int, _ user: (username: String, password: String), _ network: DevNetwork?
    ) async throws -> DevNode {
        var options = DevNodeOptions()
        options.users = [user]
        options.delegatedAccess = true
        options.network = network
        options.dataDirectory = invocation.arguments.text(.devData).map { path in
            let folder = URL(fileURLWithPath: path, isDirectory: true)
            return number == 1 ? folder : folder.appendingPathComponent("node-\(number)", isDirectory: true)
        }
        let named = invocation.arguments.ports(.devPort).last.map { number == 1 ? $0 : 0 }
        if let mebibytes = invocation.arguments.count(.devBlobLimit) {
            options.blobLimit =
                UInt64(mebibytes).multipliedReportingOverflow(by: 1 << 20).overflow
                ? .max : UInt64(mebibytes) << 20
        }
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

    private static func announce(
        _ nodes: [DevNode], namespace: String, _ cloud: DevCloud?, _ invocation: Invocation
    ) throws {
        let node = nodes[0]
        let console = invocation.console
        let invitation = InviteCodec.encode(json: try node.createInvitation(namespace: namespace)) ?? ""
        let url = node.url.absoluteString
        let name = invocation.arguments.text(.devUser) ?? user
        let folder = invocation.arguments.text(.devData)
        try console.document([
            "event": "ready", "url": .string(url), "users": [.string(name)], "context": .string(context),
            "contract": .string(KeyValueContract().name), "data": .optional(folder),
            "namespace": .string(namespace), "invitation": .string(invitation), "account": .string(node.accountId),
            "nodeKey": .string(node.nodeKey), "applications": .strings(applications),
            "nodes": .array(
                nodes.map {
                    [
                        "url": .string($0.url.absoluteString), "account": .string($0.accountId),
                        "nodeKey": .string($0.nodeKey),
                    ]
                }), "cloud": cloud.map(DevCommandCloud.document) ?? .null,
        ])
        if invocation.arguments.has(.quiet) {
            for node in nodes { try console.line(node.url.absoluteString) }
            return
        }
        let isDefault = invocation.arguments.text(.devUser) == nil
        let login = "mero login --node \(url) --user \(name)"
        let style = console.style
        try console.line("\(style.bold("A node for development runs at \(url)")) (Ctrl-C stops it).")
        try console.line()
        func row(_ label: String, _ text: String) throws {
            let padded = label.padding(toLength: 12, withPad: " ", startingAt: 0)
            try console.line("  \(style.dim(padded))  \(text.printable)")
        }
        try row("User", "\(name)\(isDefault ? ", password \(password)" : "")")
        try row("Context", "\(context) (\(KeyValueContract().name))")
        try row("Namespace", namespace)
        try row("Account", node.accountId)
        try row("Node key", node.nodeKey)
        try row("Applications", applications.joined(separator: ", "))
        try row("State", folder.map { "kept in \($0)" } ?? "in memory, forgotten at the end")
        for (index, other) in nodes.enumerated().dropFirst() {
            try row("Node \(index + 1)", "\(other.url.absoluteString), the same user, account \(other.accountId)")
        }
        try console.line()
        try console.line("In another terminal:")
        try console.line("  \(isDefault ? "echo \(password) | \(login) --password-stdin" : login.printable)")
        try console.line("  mero call \(context) set '{\"key\":\"greeting\",\"value\":\"hello\"}'")
        try console.line("  mero call \(context) get '{\"key\":\"greeting\"}'")
        try console.line("  mero watch \(context)")
        try console.line()
        if let other = nodes.dropFirst().first {
            try console.line("Somebody else, on the second node:")
            let second = "mero login --profile other --node \(other.url.absoluteString) --user \(name)"
            try console.line("  \(isDefault ? "echo \(password) | \(second) --password-stdin" : second.printable)")
            try console.line("  mero invite accept \(invitation) --profile other")
            try console.line("  mero call \(context) get '{\"key\":\"greeting\"}' --profile other")
            try console.line()
        }
        try console.line("It is a relay, too. As an account of your own, without a login:")
        try console.line("  mero account new")
        try console.line("  mero relay join \(invitation) --relay \(url)")
        try console.line("  mero call \(context) get '{\"key\":\"greeting\"}' --relay \(url)")
        if let cloud {
            try DevCommandCloud.announce(
                cloud, namespace: namespace, context: context, invitation: invitation, relay: url, console)
        }
    }

    private static func untilCancelled() async {
        while !Task.isCancelled { try? await Task.sleep(nanoseconds: 3_600_000_000_000) }
    }
}
