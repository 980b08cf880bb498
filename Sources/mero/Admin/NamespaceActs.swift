import Foundation
import MeroKit

/// What the commands of `mero namespace` do.
enum NamespaceActs {
    static func list(_ run: AdminRun) async throws {
        let application = try run.id(.applicationId)
        let admin = try await run.admin
        // A relay's listing by application is not an account's to read.
        let isNarrowed = run.invocation.relay != nil
        let namespaces = try await Pages.all(id: \.namespaceId) { offset, limit in
            if let application, !isNarrowed {
                return try await admin.listNamespacesForApplication(application, offset: offset, limit: limit)
            }
            return try await admin.listNamespaces(offset: offset, limit: limit)
        }.filter { application == nil || $0.targetApplicationId.lowercased() == application?.lowercased() }
        try run.list(
            "namespaces", ["Namespace", "Name", "Version", "Members", "Groups", "Contexts"],
            namespaces.map {
                [
                    $0.namespaceId, $0.name ?? "", $0.appVersion ?? "", "\($0.memberCount)", "\($0.subgroupCount)",
                    "\($0.contextCount)",
                ]
            }, namespaces.map(document))
    }

    static func show(_ run: AdminRun) async throws {
        let namespace = try await run.admin.getNamespace(try run.id("namespace"))
        let held = namespace.heldOps.map { $0.ops.count + $0.untracked } ?? 0
        try run.show(
            [
                ("namespace", namespace.namespaceId), ("name", namespace.name),
                ("application", namespace.targetApplicationId), ("version", namespace.appVersion),
                ("bytecode", namespace.appKey), ("members", "\(namespace.memberCount)"),
                ("groups", "\(namespace.subgroupCount)"), ("contexts", "\(namespace.contextCount)"),
                ("created", Report.timestamp(Date(timeIntervalSince1970: Double(namespace.createdAt)))),
                ("founder", namespace.founding?.founderAccountId),
                ("held back", held == 0 ? nil : "\(held) changes wait for a key"),
            ], document(namespace))
    }

    static func create(_ run: AdminRun) async throws {
        guard let application = try run.id(.applicationId) else {
            throw Failure(
                code: .usage, message: "No application is named",
                hint: "Add --application ID (\"mero app list\" shows what is installed)")
        }
        let request = CreateNamespaceRequest(
            applicationId: application, name: run.arguments.text(.givenName), appKey: try run.id(.release))
        let made = try await run.admin.createNamespace(request)
        try run.show(
            [("namespace", made.namespaceId), ("name", request.name), ("founder", made.founding?.founderAccountId)],
            [
                "namespaceId": .string(made.namespaceId), "name": .optional(request.name),
                "applicationId": .string(application), "founderAccountId": .optional(made.founding?.founderAccountId),
                "salt": .optional(made.founding?.salt),
            ])
    }

    static func leave(_ run: AdminRun) async throws {
        let id = try run.id("namespace")
        try await run.confirm("Leave namespace \(id) and every group in it?")
        try await run.admin.leaveNamespace(id)
        try run.say("Left namespace \(id).", ["namespaceId": .string(id), "left": true])
    }

    static func admin(_ run: AdminRun) async throws {
        let id = try run.id("namespace")
        var request = ChangeNamespaceAdminRequest(newAdmin: try run.id("account"))
        let (admin, root) = try await OwnerSignature.prepare(
            "Make account \(request.newAdmin) the admin of namespace \(id)?", run)
        request.rootProof = try await root?.rootProof(for: request.ownerOp, groupId: id, admin: admin)
        try await admin.changeNamespaceAdmin(id, request: request)
        try run.say(
            "\(request.newAdmin) is the admin of namespace \(id).",
            ["namespaceId": .string(id), "admin": .string(request.newAdmin)])
    }

    static func usage(_ run: AdminRun) async throws {
        let usage = try await run.admin.getUsage()
        let rows = (usage["namespaces"]?.arrayValue ?? []).map { row -> [String] in
            let bytes = row["bytes"]?["total"]?.intValue.map { Bytes.text($0) }
            func count(_ name: String) -> String { row[name]?.intValue.map(String.init) ?? "" }
            return [
                row["namespaceId"]?.stringValue ?? "", bytes ?? "", count("memberCount"), count("subgroupCount"),
                count("contextCount"),
            ]
        }
        if rows.isEmpty {
            try run.console.remark("No namespaces.")
        } else {
            try run.console.table(
                Table(header: ["Namespace", "Size", "Members", "Groups", "Contexts"], rows: rows))
        }
        try run.console.document(Report(usage))
    }

    static func delete(_ run: AdminRun) async throws {
        let id = try run.id("namespace")
        try await run.confirm("Delete namespace \(id) and all in it?")
        let answer = try await run.admin.deleteNamespace(id)
        guard answer.isDeleted else {
            throw Failure(code: .refused, message: "The node did not delete namespace \(id)")
        }
        try run.say("Deleted namespace \(id).", ["namespaceId": .string(id), "deleted": true])
    }

    private static func document(_ namespace: Namespace) -> Report {
        [
            "namespaceId": .string(namespace.namespaceId), "name": .optional(namespace.name),
            "applicationId": .string(namespace.targetApplicationId),
            "applicationVersion": .optional(namespace.appVersion), "appKey": .string(namespace.appKey),
            "memberCount": .whole(namespace.memberCount), "groupCount": .whole(namespace.subgroupCount),
            "contextCount": .whole(namespace.contextCount),
            "createdAt": .time(Date(timeIntervalSince1970: Double(namespace.createdAt))),
            "founderAccountId": .optional(namespace.founding?.founderAccountId),
            "salt": .optional(namespace.founding?.salt),
            "heldOps": .whole(namespace.heldOps.map { $0.ops.count + $0.untracked } ?? 0),
        ]
    }
}
