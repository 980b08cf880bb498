import Foundation
import MeroKit

/// What the commands of `mero context` do.
enum ContextActs {
    static func list(_ run: AdminRun) async throws {
        let admin = try await run.admin
        let contexts: [ContextWithGroup]
        let application = try run.id(.applicationId)
        if let application, run.invocation.relay == nil {
            contexts = try await admin.getContextsForApplication(application).contexts
        } else {
            // A relay's listing by application is not an account's to read.
            contexts = try await Pages.all(id: \.id) { try await admin.getContexts(offset: $0, limit: $1).contexts }
                .filter { application == nil || $0.applicationId.lowercased() == application?.lowercased() }
        }
        try run.list(
            "contexts", ["Context", "Name", "Version", "Group"],
            contexts.map { [$0.id, $0.name ?? "", $0.applicationVersion ?? "", $0.groupId ?? ""] },
            contexts.map { context in
                [
                    "contextId": .string(context.id), "name": .optional(context.name),
                    "groupId": .optional(context.groupId), "applicationId": .string(context.applicationId),
                    "applicationVersion": .optional(context.applicationVersion),
                    "serviceName": .optional(context.serviceName), "stateHash": .string(context.contextStateHash),
                ]
            })
    }

    static func show(_ run: AdminRun) async throws {
        let id = try run.id("context")
        let admin = try await run.admin
        let context = try await admin.getContext(id)
        let group = try await admin.getContextGroup(id)
        let size = try await admin.getContextStorage(id).sizeInBytes
        try run.show(
            [
                ("context", context.id), ("name", context.name), ("group", group),
                ("application", context.applicationId), ("version", context.applicationVersion),
                ("service", context.serviceName), ("state", context.contextStateHash), ("size", Bytes.text(size)),
            ],
            [
                "contextId": .string(context.id), "name": .optional(context.name), "groupId": .optional(group),
                "applicationId": .string(context.applicationId),
                "applicationVersion": .optional(context.applicationVersion),
                "serviceName": .optional(context.serviceName), "stateHash": .string(context.contextStateHash),
                "sizeInBytes": .whole(size),
            ])
    }

    static func create(_ run: AdminRun) async throws {
        let group = try run.id("group")
        let named = try run.id(.applicationId)
        var request = CreateContextRequest(
            applicationId: named ?? "", groupId: group, serviceName: run.arguments.text(.service),
            contextSeed: run.arguments.text(.contextSeed), name: run.arguments.text(.givenName))
        if let seed = request.contextSeed, !Hex.is32(seed) {
            throw Failure(code: .usage, message: "--seed needs 64 hex digits", hint: "Nothing was sent")
        }
        if let word = run.arguments.text(.initArguments) {
            let json = JSONArgument(name: "The value of --init")
            let text = try await json.parse(word, input: run.invocation.surroundings.input).compact
            request.initializationParams = text.utf8.map(Int.init)
        }
        let admin = try await run.admin
        if named == nil { request.applicationId = try await admin.getGroupInfo(group).targetApplicationId }
        let made = try await admin.createContext(request)
        try run.show(
            [
                ("context", made.contextId), ("group", made.groupId ?? group), ("own key", made.memberPublicKey),
            ],
            [
                "contextId": .string(made.contextId), "groupId": .string(made.groupId ?? group),
                "applicationId": .string(request.applicationId), "memberPublicKey": .string(made.memberPublicKey),
            ])
    }

    static func join(_ run: AdminRun) async throws {
        let joined = try await run.admin.joinContext(try run.id("context"))
        try run.show(
            [("context", joined.contextId), ("own key", joined.memberPublicKey)],
            ["contextId": .string(joined.contextId), "memberPublicKey": .string(joined.memberPublicKey)])
    }

    static func leave(_ run: AdminRun) async throws {
        let id = try run.id("context")
        try await run.admin.leaveContext(id)
        try run.say("Left context \(id).", ["contextId": .string(id), "left": true])
    }

    static func sync(_ run: AdminRun) async throws {
        let id = run.arguments.operand("context") == nil ? nil : try run.id("context")
        try await run.admin.syncContext(id)
        try run.say(
            id.map { "Context \($0) asks its peers." } ?? "All contexts ask their peers.",
            ["contextId": .optional(id), "started": true])
    }

    static func resync(_ run: AdminRun) async throws {
        let id = try run.id("context")
        try await run.confirm("Throw away what this node holds of context \(id), and fetch it from peers?")
        let force = run.arguments.has(.force)
        let answer = try await run.admin.resyncContext(
            id, request: ResyncContextRequest(force: force ? true : nil))
        try run.say(
            answer.resyncStarted ? "The state of context \(id) is being fetched." : "There was nothing to fetch.",
            ["contextId": .string(answer.contextId), "started": .bool(answer.resyncStarted)])
    }

    static func identities(_ run: AdminRun) async throws {
        let id = try run.id("context")
        let admin = try await run.admin
        let answer =
            run.arguments.has(.own)
            ? try await admin.getContextIdentitiesOwned(id) : try await admin.getContextIdentities(id)
        for key in answer.identities { try run.console.line(key.printable) }
        if answer.identities.isEmpty { try run.console.remark("No identities.") }
        try run.console.document([
            "contextId": .string(id), "identities": .strings(answer.identities),
            "identitiesOf": .optional(answer.identitiesOf?.rawValue),
        ])
    }

    static func rename(_ run: AdminRun) async throws {
        let id = try run.id("context")
        let name = try run.text("name")
        let admin = try await run.admin
        guard let group = try await admin.getContextGroup(id) else {
            throw Failure(code: .refused, message: "Context \(id) is in no group, which would keep its name")
        }
        // What is sent replaces the whole record.
        let old = try await admin.getContextMetadata(group, contextId: id)
        try await admin.setContextMetadata(
            group, contextId: id, request: SetContextMetadataRequest(name: name, data: old?.data ?? [:]))
        try run.say("Context \(id) is called \(name).", ["contextId": .string(id), "name": .string(name)])
    }

    static func update(_ run: AdminRun) async throws {
        let id = try run.id("context")
        let application = try run.id("application")
        let named = try run.id(.executorKey)
        try await run.confirm("Run context \(id) with application \(application), without a migration?")
        let admin = try await run.admin
        let own = named == nil ? try await admin.getContextIdentitiesOwned(id).identities.first : nil
        guard let key = named ?? own else {
            throw Failure(
                code: .refused, message: "The session has no key in context \(id)",
                hint: "Join it first (\"mero context join\"), or name a key with --key")
        }
        try await admin.updateContextApplication(
            id, request: UpdateContextApplicationRequest(applicationId: application, executorPublicKey: key))
        try run.say(
            "Context \(id) runs application \(application).",
            ["contextId": .string(id), "applicationId": .string(application)])
    }

    static func delete(_ run: AdminRun) async throws {
        let id = try run.id("context")
        try await run.confirm("Delete context \(id) from this node, with what it holds of it?")
        let answer = try await run.admin.deleteContext(id)
        guard answer.isDeleted else {
            throw Failure(code: .refused, message: "The node did not delete context \(id)")
        }
        try run.say("Deleted context \(id).", ["contextId": .string(id), "deleted": true])
    }
}
