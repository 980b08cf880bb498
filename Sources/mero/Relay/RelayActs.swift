import Foundation
import MeroKit

/// What the commands of `mero relay` do.
enum RelayActs {
    static func describe(_ invocation: Invocation) async throws -> ExitCode {
        let client = try RelayConnection(invocation).client
        switch (invocation.arguments.operand("context"), invocation.arguments.text(.describedGroup)) {
        case (let context?, nil):
            let answer = try await client.describe(context)
            try tell(
                [
                    ("executor account", "executorAccount", .string(answer.executorAccount)),
                    ("key in the context", "executorKey", .string(answer.executorKey)),
                    ("group", "groupId", .string(answer.groupId)),
                    ("writes for others", "canAuthorOnBehalf", .bool(answer.canAuthorOnBehalf)),
                    ("release", "releaseVersion", .string(answer.releaseVersion)),
                    ("release id", "releaseBytecodeId", .string(answer.releaseBytecodeId)),
                ], invocation.console)
        case (nil, let group?):
            let governance = try await client.describeGovernance(groupId: group)
            let creation = try await client.describeCreation(groupId: group, author: client.authorAccount)
            try tell(
                [
                    ("executor account", "executorAccount", .string(governance.executorAccount)),
                    ("node key", "executorKey", .string(governance.executorKey)),
                    ("group", "groupId", .string(governance.groupId)),
                    ("changes groups", "canActOnBehalf", .bool(governance.canActOnBehalf)),
                    ("makes contexts", "canCreateOnBehalf", .bool(creation.canCreateOnBehalf)),
                    ("for this account", "authorMayCreate", creation.authorMayCreate.map(Report.bool) ?? .null),
                ], invocation.console)
        default:
            throw Failure(
                code: .usage, message: "\"mero relay describe\" needs either <context> or --group ID",
                hint: "Nothing was sent")
        }
        return .done
    }

    static func call(_ invocation: Invocation) async throws -> ExitCode {
        try await self.call(try await CallArguments(invocation), invocation)
    }

    static func call(_ call: CallArguments, _ invocation: Invocation) async throws -> ExitCode {
        let transport = RelayTransport(try RelayConnection(invocation).client)
        let answer: RawJSON = try await transport.execute(
            contextId: call.context, method: call.method, argsJson: call.arguments)
        try CallCommand.show(answer, invocation)
        return .done
    }

    static func query(_ invocation: Invocation) async throws -> ExitCode {
        let call = try await CallArguments(invocation)
        let client = try RelayConnection(invocation).transport()
        defer { client.close() }
        do {
            let answer = try await client.admin.queryContext(
                RawJSON.self, call.context, method: call.method, argsJson: call.arguments)
            try CallCommand.show(answer, invocation)
        } catch MeroError.http(let answer) where answer.status == 409 && answer.refusal?.type == nil {
            // An untyped 409 says that the method writes.
            var failure = Failure(describing: MeroError.http(answer), ofRelay: true)
            failure.hint = "A method that writes goes out with \"mero relay call\""
            throw failure
        }
        return .done
    }

    static func found(_ invocation: Invocation) async throws -> ExitCode {
        let arguments = invocation.arguments
        guard let account = arguments.text(.executor), let key = arguments.text(.nodeKey) else {
            throw Failure(
                code: .usage, message: "\"mero relay found\" needs --executor and --node-key",
                hint: "The one who runs the relay tells both; never take them from the relay itself")
        }
        let founded = try await RelayConnection(invocation).client.foundNamespace(
            executor: RelayExecutor(executorAccount: account.lowercased(), executorKey: key.lowercased()),
            defaultCapabilities: try capabilities(arguments.text(.memberCapabilities)),
            application: try application(arguments))
        try tell(
            [
                ("namespace", "namespaceId", .string(founded.namespaceId)),
                ("salt", "salt", .string(founded.salt)),
                ("open to attested relays", "teeEnabled", .bool(founded.teeEnabled)),
                ("why not", "teeError", .optional(founded.teeError)),
                ("application set", "applicationSet", founded.applicationSet.map(Report.bool) ?? .null),
                ("why not", "applicationError", .optional(founded.applicationError)),
                (
                    "capabilities set", "defaultCapabilitiesSet",
                    founded.defaultCapabilitiesSet.map(Report.bool) ?? .null
                ),
                ("why not", "defaultCapabilitiesError", .optional(founded.defaultCapabilitiesError)),
            ], invocation.console)
        return .done
    }

    static func join(_ invocation: Invocation) async throws -> ExitCode {
        let relay = try RelayConnection(invocation)
        let invitation = try await InvitationInput.read(invocation.arguments.operand("invitation") ?? "", invocation)
        let namespace = try invitation.groupId()
        let outcome = try await AccountJoin.join(
            invitation: invitation, at: relay.relay.text,
            credential: DelegatedCredential(
                account: relay.account, credential: relay.credential, deviceKey: relay.identity.keys.signPublicKey),
            keys: relay.identity.keys, nonces: relay.nonces, options: relay.options)
        let contexts = outcome.published ? try await Self.contexts(of: namespace, at: relay) : nil
        var facts: [(label: String, name: String, value: Report)] = [
            ("namespace", "namespaceId", .string(namespace)), ("account", "account", .string(relay.account)),
            ("published", "published", .bool(outcome.published)),
        ]
        if let contexts, !invocation.console.json {
            facts += contexts.map { ("context", "context", .string($0)) }
        } else {
            facts.append(("contexts", "contexts", contexts.map { .strings($0) } ?? .null))
        }
        try tell(facts, invocation.console)
        if contexts?.isEmpty != false {
            try invocation.console.remark(
                "No context of it can be seen yet. \"mero context list --relay \(relay.relay.text)\" shows them once the "
                    + "network has let the account in.")
        }
        return .done
    }

    /// What the account may see of a namespace, asked for until there is something: it takes the network a moment to let it
    /// in. Nil when the relay does not answer that.
    private static func contexts(of namespace: String, at relay: RelayConnection) async throws -> [String]? {
        let client = try relay.transport()
        defer { client.close() }
        let admin = try await client.admin
        for attempt in 0..<arrivalAttempts {
            if attempt > 0 { try await Task.sleep(nanoseconds: 250_000_000) }
            do {
                let found = try await Pages.all(id: \.id) {
                    try await admin.getContexts(offset: $0, limit: $1).contexts
                }
                .filter { $0.groupId?.lowercased() == namespace.lowercased() }
                if !found.isEmpty { return found.map(\.id) }
            } catch let error as MeroError where error.httpStatus == 403 {
                // Not a member yet.
            } catch is MeroError {
                return nil
            }
        }
        return []
    }

    /// A quarter of a second lies between two.
    private static let arrivalAttempts = 12

    // MARK: - Details

    private static func capabilities(_ word: String?) throws -> UInt32? {
        guard let word else { return nil }
        guard let mask = UInt32(word) else {
            throw Failure(
                code: .usage, message: "--member-capabilities is no number from 0 to 4294967295",
                hint: "Nothing was sent")
        }
        return mask
    }

    private static func application(_ arguments: Arguments) throws -> FoundingApplication? {
        switch (arguments.text(.application), arguments.text(.package), arguments.text(.packageVersion)) {
        case (nil, nil, nil): return nil
        case (let id?, let package?, let version?):
            return FoundingApplication(applicationId: id, package: package, version: version)
        default:
            throw Failure(
                code: .usage, message: "--application, --package and --package-version go together",
                hint: "Nothing was sent")
        }
    }

    /// Rows for people, without those that say nothing; a document for programs.
    static func tell(_ facts: [(label: String, name: String, value: Report)], _ console: Console) throws {
        let shown = facts.filter { if case .null = $0.value { return false } else { return true } }
        let width = shown.map(\.label.count).max() ?? 0
        for fact in shown {
            let label = fact.label.padding(toLength: width, withPad: " ", startingAt: 0)
            try console.line("\(console.style.dim(label))  \(word(fact.value).printable)")
        }
        try console.document(.object(facts.map { Report.Member(name: $0.name, value: $0.value) }))
    }

    private static func word(_ value: Report) -> String {
        switch value {
        case .bool(let value): return value ? "yes" : "no"
        case .string(let value): return value
        default: return value.json
        }
    }
}
