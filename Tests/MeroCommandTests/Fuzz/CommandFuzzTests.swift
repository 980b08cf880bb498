import Foundation
import MeroKit
import Testing

@testable import mero

/// What the command reads: its words, what is piped into it, and the files of a profile, spoilt.
///
/// `MEROKIT_FUZZ_SEED` repeats a run, `MEROKIT_FUZZ_COUNT` and `MEROKIT_FUZZ_MINUTES` (of each parser) make it longer.
@Suite("Random words and files") struct CommandFuzzTests {
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "words", "addresses", "json", "event-lines", "profile", "identity", "cloud-device", "cloud-owner",
            "invitations",
            "phrases", "clocks", "failures",
        ])
    func noFault(name: String) async throws {
        let variables = ProcessInfo.processInfo.environment
        let seed = variables["MEROKIT_FUZZ_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max / 2)
        let minutes = variables["MEROKIT_FUZZ_MINUTES"].flatMap(Double.init)
        let count = minutes == nil ? variables["MEROKIT_FUZZ_COUNT"].flatMap(Int.init) ?? 2000 : .max
        let folder = try TemporaryFolder()
        let parser = try #require(try Self.parsers(folder).first { $0.name == name })
        // Other tests have the processor, too: the time of one input says nothing here.
        var campaign = Campaign(patience: .infinity, isVerbose: false)
        let end = minutes.map { Date(timeIntervalSinceNow: $0 * 60) } ?? .distantFuture
        let inputs = await campaign.run(parser, seed: seed, count: count, until: end)
        print("mero \(name): \(inputs) inputs from seed \(seed)")
        #expect(inputs > 0 && !campaign.hasFindings, "seed \(seed)")
    }

    private static func parsers(_ folder: TemporaryFolder) throws -> [Parser] {
        let profile = Profile(name: "p", variables: ["XDG_CONFIG_HOME": folder.url.path])
        try profile.prepareFolder()
        let keys = DeviceKeys.generate()
        let root = AccountRoot.generate()
        let session = CloudSession(
            account: root.accountId, device: root.accountId, credential: "02", relayUrl: "https://r",
            executorAccount: nil, note: "n")
        let login = CloudLoginSession(sessionToken: "t", expiresAt: 1, user: CloudUser(email: "e", name: "n"))
        return [
            words(), addresses(), try json(), try eventLines(),
            try stored(
                "profile", profile.settingsFile,
                Profile.Settings(node: "http://n", user: "u", certificateAuthorityFile: "/c")
            ) { try profile.loadSettings() },
            try stored("identity", profile.identityFile, try Identity.certified(by: root)) {
                let identity = try profile.identity()
                _ = try? identity.certificate()
                return identity
            },
            try stored(
                "cloud-device", profile.cloudDeviceFile,
                CloudFiles.Device(cloud: "https://c", wallet: "https://w", session: session)
            ) { try profile.loadCloudDevice() },
            try stored("cloud-owner", profile.cloudOwnerFile, CloudFiles.Owner(cloud: "https://c", session: login)) {
                try profile.loadCloudOwner()
            },
            invitations(), phrases(keys), clocks(), failures(),
        ]
    }

    // MARK: - Words

    private static func words() -> Parser {
        let parser = ArgumentParser(root: CommandTable.root)
        func commands(_ command: Command, _ path: [String]) -> [(path: [String], command: Command)] {
            [(path, command)] + command.subcommands.flatMap { commands($0, path + [$0.name]) }
        }
        let all = commands(CommandTable.root, [])
        let values =
            Mutator.pieces + [
                "http://n", "1", "0", "86400", "86401", "1e300", "nan", "inf", "-5", "65536", "{}", "a=b", "=", "--",
                "-", "-x",
            ]
        return Parser("words") { mutator in
            let (path, command) = mutator.pick(all)
            var words = path
            for option in command.allOptions where mutator.once(in: 4) {
                let value = mutator.pick(values)
                switch mutator.below(4) {
                case 0: words.append("\(option.flag)=\(value)")
                case 1: words += [option.flag, value]
                case 2: words += option.short.map { ["-\($0)\(value)"] } ?? [option.flag]
                default: words.append(mutator.maybeSpoil(option.flag))
                }
            }
            for operand in command.operands where !mutator.once(in: 5) {
                words.append(mutator.maybeSpoil(operand.choices.first ?? mutator.pick(values)))
            }
            if mutator.once(in: 3) { words.shuffle(using: &mutator) }
            return try await reading {
                let parsed = try parser.parse(words)
                for option in parsed.command.allOptions {
                    _ = (parsed.arguments.count(option), parsed.arguments.ports(option))
                    // What waits for so long must be able to.
                    if option.value == .seconds, let seconds = parsed.arguments.seconds(option) {
                        try Finding.require(seconds > 0 && seconds <= 86_400, "\(seconds) s")
                    }
                }
                _ = HelpPage.usage(of: parsed.path)
            }
        }
    }

    private static func addresses() -> Parser {
        let texts = [
            "http://localhost:2428/", "https://n.example/p/", "http://[::1]:80", "http://u:p@n.example",
            "HTTP://N:99999",
            "http://n.example:8080@evil.example/", "http://127.0.0.1", "http://127.1.evil.example",
        ]
        return Parser("addresses") { mutator in
            let text = mutator.maybeSpoil(mutator.pick(texts), with: mutator.pick(texts))
            let shown = NodeAddress.shown(text)
            if text.contains("://u:p@") { try Finding.require(!shown.contains("u:p@"), "a password is shown") }
            guard let address = NodeAddress(text) else { return .refused }
            try Finding.require(address.isSameNode(as: address), "not itself")
            if address.isLoopback {
                let host = URLComponents(string: text)?.host ?? ""
                let isNear = ["localhost", "127.", "::1", "[::1]"].contains { host.lowercased().contains($0) }
                try Finding.require(isNear, "\(host) is no loopback")
            }
            _ = ProfileName.complaint(about: text)
            return .accepted
        }
    }

    // MARK: - JSON and events

    private static let documents = [
        #"{"key":"a","value":[1,2,{"b":null}],"n":18446744073709551616,"t":"\u001b[31m\u202e"}"#,
        #"{"contextId":"c0ffee","type":"StateMutation","data":{"newRoot":"77","events":[{"kind":"Set","data":[34,27,34]}]}}"#,
        #"{"contextId":"c","type":"SyncStatus","data":{"syncState":{"state":"receivingSnapshot","records":5,"percent":50},"failureCount":3,"lastError":"e"}}"#,
        #"{"contextId":"c","type":"XCall","data":{"targetContextId":"d","function":"f","outcome":{"status":"denied","detail":{"reason":"r"}}}}"#,
        #"{"contextId":"c","type":"Ephemeral","data":{"author":"a","account":"b","state":[1,2],"removed":false,"ageMs":18446744073709551615}}"#,
        #"{"groupId":"g","type":"MigrationCompleted","data":{"toVersion":"2","completedAt":18446744073709551615}}"#,
        #"{"groupId":"g","type":"MigrationProgress","data":{"migrated":1,"total":2,"inProgress":0,"failed":0,"unknown":0}}"#,
        #"{"groupId":"g","type":"CascadeProgress","data":{"subgroupId":"s","localContextsSwapped":1,"localContextsTotal":2}}"#,
    ]

    private static func json() throws -> Parser {
        let trees = try documents.map { try JSONSpoiler(text: $0.utf8) }
        return Parser("json") { mutator in
            let text = String(decoding: mutator.pick(trees).spoilt(&mutator), as: UTF8.self)
            return try await reading {
                let parsed = try await JSONArgument(name: "x").parse(text, input: PreparedInput(text))
                let again = try ExactJSON(jsonBytes: Array(parsed.compact.utf8))
                try Finding.require(again.compact == parsed.compact, "another text when printed and read")
                try checkPrintable(parsed.compact)
                _ = parsed.pretty()
            }
        }
    }

    private static func eventLines() throws -> Parser {
        let trees = try documents.dropFirst().map { try JSONSpoiler(text: $0.utf8) }
        return Parser("event-lines") { mutator in
            let input = mutator.pick(trees).spoilt(&mutator)
            guard let payload = try? JSONValue(jsonBytes: input) else { return .refused }
            let event = ContextEvent(
                contextId: payload["contextId"]?.stringValue ?? "", kind: payload["type"]?.stringValue ?? "",
                payload: payload, groupId: payload["groupId"]?.stringValue)
            let moment = Moment(Date(timeIntervalSince1970: 1_790_000_000))
            try checkPrintable(EventLine(style: Style(colours: false)).text(event, at: moment))
            _ = EventDocument.event(event, at: moment)
            return .accepted
        }
    }

    /// Whatever a stranger wrote: nothing in it may steer the terminal.
    private static func checkPrintable(_ text: String) throws {
        let bad = text.unicodeScalars.first(where: String.isControl)
        try Finding.require(bad == nil, "U+\(String(bad?.value ?? 0, radix: 16)) in \(text.debugDescription)")
    }

    // MARK: - Files and input

    /// A file that holds a value as JSON.
    private static func stored<Value: Codable & Equatable>(
        _ name: String, _ file: URL, _ value: Value, _ load: @escaping () throws -> Value?
    ) throws -> Parser {
        let tree = try JSONSpoiler(text: MeroJSON.encode(value))
        return Parser(name) { mutator in
            try PrivateFile(path: file.path).replace(with: Data(tree.spoilt(&mutator)))
            return try await reading {
                guard let value = try load() else { throw Finding("there is a file, and nothing in it") }
                let again = try MeroJSON.decode(Value.self, from: MeroJSON.encode(value))
                try Finding.require(value == again, "another value when stored and read")
            }
        }
    }

    private static func invitations() -> Parser {
        let texts = [
            "https://links.calimero.network/app/join?invitation=3BVYAKByWypBH", "3BVYAKByWypBH", "eyJhIjoxfQ",
            #"{"a":1}"#,
        ]
        return Parser("invitations") { mutator in
            let text = mutator.maybeSpoil(mutator.pick(texts), with: mutator.pick(texts))
            return try await reading {
                let invitation = try await InvitationInput.read("-", invocation(text))
                _ = (try? invitation.groupId(), invitation.expires, invitation.roleWord)
            }
        }
    }

    private static func phrases(_ keys: DeviceKeys) -> Parser {
        let phrase = Array(repeating: "abandon", count: 23) + ["art"]
        return Parser("phrases") { mutator in
            let text = mutator.maybeSpoil(phrase.joined(separator: mutator.pick([" ", "\n", "  "])))
            var invocation = invocation(text)
            invocation.arguments.turnOn(.phraseFromInput)
            return try await reading { _ = try await RootInput(invocation: invocation).ask() }
        }
    }

    private static func invocation(_ input: String) -> Invocation {
        let sink = MemorySink()
        let surroundings = Surroundings(
            variables: [:], input: PreparedInput(input), output: sink, errors: sink, outputIsTerminal: false,
            errorsIsTerminal: false)
        return Invocation(
            arguments: Arguments(),
            console: Console(
                output: sink, errors: sink, json: false, style: Style(colours: false), errorStyle: Style(colours: false)
            ),
            surroundings: surroundings)
    }

    private static func clocks() -> Parser {
        Parser("clocks") { mutator in
            let text = mutator.maybeSpoil("Wed, 21 Oct 2015 07:28:00 GMT")
            guard let skew = ClockSkew(dateHeader: text, before: Date(), after: Date()) else { return .refused }
            _ = skew.check
            return .accepted
        }
    }

    /// What the person is told of what a node answered.
    private static func failures() -> Parser {
        let bodies = [
            #"{"error":"no\u001b[2J","type":"NotFound","data":{"id":1}}"#, #"{"error":{"code":"busy","message":"m"}}"#,
        ]
        return Parser("failures") { mutator in
            let answer = HTTPError(
                status: mutator.pick([-1, 0, 301, 400, 401, 403, 404, 409, 429, 500, 503, 999]), statusText: "x",
                url: "http://n/\u{1b}",
                headers: mutator.once(in: 2) ? ["x-auth-error": mutator.maybeSpoil("token_expired")] : [:],
                bodyText: mutator.maybeSpoil(mutator.pick(bodies)))
            let text = mutator.maybeSpoil("reason")
            let errors: [any Error] = [
                MeroError.http(answer), MeroError.authRevoked(reason: text, http: answer), MeroError.decoding(text),
                MeroError.rpc(RpcError(code: -1, message: text, type: text, data: .string(text))),
                MeroError.network(text),
                AccountError.intentRefused(reason: text, retryable: true, status: 400), AccountError.invalidInput(text),
            ]
            for error in errors {
                let failure = Failure(describing: error)
                try checkPrintable(failure.line)
                _ = failure.report
            }
            return .accepted
        }
    }

    private static func reading(_ body: () async throws -> Void) async throws -> Parser.Outcome {
        do {
            try await body()
            return .accepted
        } catch let error as Finding {
            throw error
        } catch  where error is Failure || error is UsageError || error is AccountError {
            return .refused
        }
    }
}
