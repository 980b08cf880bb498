import Foundation
import MeroKit

/// What most commands of `mero group` do.
enum GroupActs {
    static func list(_ run: AdminRun) async throws {
        let id = try run.id("group")
        let admin = try await run.admin
        let isNamespace = try await admin.isNamespace(id)
        let groups = isNamespace ? try await admin.listNamespaceGroups(id) : try await admin.listSubgroups(id)
        try run.list(
            "groups", ["Group", "Name"], groups.map { [$0.groupId, $0.name ?? ""] },
            groups.map { ["groupId": .string($0.groupId), "name": .optional($0.name)] })
    }

    static func show(_ run: AdminRun) async throws {
        let info = try await run.admin.getGroupInfo(try run.id("group"))
        try run.show(
            [
                ("group", info.groupId), ("name", info.metadata?.name), ("namespace", info.namespaceId),
                ("application", info.targetApplicationId), ("bytecode", info.appKey),
                ("members", "\(info.memberCount)"), ("contexts", "\(info.contextCount)"),
                ("visibility", info.subgroupVisibility),
                ("newcomers may", MemberWords.text(info.defaultCapabilities)),
                ("upgrade", info.activeUpgrade.map { "\($0.status), \($0.fromVersion) to \($0.toVersion)" }),
                ("state", info.groupStateHash),
            ],
            [
                "groupId": .string(info.groupId), "name": .optional(info.metadata?.name),
                "namespaceId": .optional(info.namespaceId), "applicationId": .string(info.targetApplicationId),
                "appKey": .string(info.appKey), "memberCount": .whole(info.memberCount),
                "contextCount": .whole(info.contextCount), "visibility": .string(info.subgroupVisibility),
                "defaultCapabilities": .strings(MemberWords.words(info.defaultCapabilities)),
                "defaultCapabilityMask": .whole(info.defaultCapabilities),
                "metadata": try info.metadata.map(Report.encoding) ?? .null,
                "activeUpgrade": try info.activeUpgrade.map(Report.encoding) ?? .null,
                "stateHash": .optional(info.groupStateHash),
                "ownerOpCounter": info.ownerOpCounter.map { .text(.number("\($0)")) } ?? .null,
            ])
    }

    static func create(_ run: AdminRun) async throws {
        let parent = try run.id("parent")
        let name = run.arguments.text(.givenName)
        let visibility = run.arguments.has(.open) ? "open" : "restricted"
        let admin = try await run.admin
        let info = try await admin.getGroupInfo(parent)
        let made: String
        if info.isNamespace {
            let request = CreateGroupInNamespaceRequest(groupName: name, visibility: visibility)
            made = try await admin.createGroupInNamespace(parent, request: request).groupId
        } else {
            made = try await admin.createGroup(
                CreateGroupRequest(applicationId: info.targetApplicationId, name: name, parentGroupId: parent)
            ).groupId
            // This route cannot be told, and what it does by itself depends on the node's version.
            try await admin.setSubgroupVisibility(
                made, request: SetSubgroupVisibilityRequest(subgroupVisibility: visibility))
        }
        try run.show(
            [("group", made), ("name", name), ("visibility", visibility)],
            [
                "groupId": .string(made), "parentId": .string(parent), "name": .optional(name),
                "visibility": .string(visibility),
            ])
    }

    static func contexts(_ run: AdminRun) async throws {
        let id = try run.id("group")
        let admin = try await run.admin
        let contexts = try await Pages.all(id: \.contextId) {
            try await admin.listGroupContexts(id, offset: $0, limit: $1)
        }
        try run.list(
            "contexts", ["Context", "Name"], contexts.map { [$0.contextId, $0.name ?? ""] },
            contexts.map { ["contextId": .string($0.contextId), "name": .optional($0.name)] })
    }

    static func join(_ run: AdminRun) async throws {
        let answer = try await run.admin.joinSubgroupInheritance(try run.id("group"))
        try run.show(
            [
                ("group", answer.groupId), ("own key", answer.memberPublicKey),
                ("before", answer.wasInherited ? "a member through the group above" : "a member already"),
            ],
            [
                "groupId": .string(answer.groupId), "memberPublicKey": .string(answer.memberPublicKey),
                "wasInherited": .bool(answer.wasInherited),
            ])
    }

    static func leave(_ run: AdminRun) async throws {
        let id = try run.id("group")
        try await run.confirm("Leave group \(id)?")
        try await run.admin.leaveGroup(id)
        try run.say("Left group \(id).", ["groupId": .string(id), "left": true])
    }

    static func sync(_ run: AdminRun) async throws {
        let arrival = try await Arrival.bring(try run.id("group"), run)
        try run.say(arrival.line, .object(arrival.members))
    }

    static func rename(_ run: AdminRun) async throws {
        let id = try run.id("group")
        let name = try run.text("name")
        let admin = try await run.admin
        // What is sent replaces the whole record.
        let old = try await admin.getGroupMetadata(id)
        try await admin.setGroupMetadata(id, request: SetGroupMetadataRequest(name: name, data: old?.data ?? [:]))
        try run.say("Group \(id) is called \(name).", ["groupId": .string(id), "name": .string(name)])
    }

    static func move(_ run: AdminRun) async throws {
        let id = try run.id("group")
        let parent = try run.id("parent")
        let answer = try await run.admin.reparentGroup(id, request: ReparentGroupRequest(newParentId: parent))
        try run.say(
            answer.reparented ? "Group \(id) is below \(parent)." : "Group \(id) was below \(parent) already.",
            ["groupId": .string(id), "parentId": .string(parent), "moved": .bool(answer.reparented)])
    }

    static func visibility(_ run: AdminRun) async throws {
        let id = try run.id("group")
        let word = try run.text("visibility")
        try await run.admin.setSubgroupVisibility(id, request: SetSubgroupVisibilityRequest(subgroupVisibility: word))
        try run.say("Group \(id) is \(word).", ["groupId": .string(id), "visibility": .string(word)])
    }

    static func grant(_ run: AdminRun) async throws { try await change(run) { $0 | $1 } }

    static func revoke(_ run: AdminRun) async throws { try await change(run) { $0 & ~$1 } }

    private static func change(_ run: AdminRun, _ apply: (UInt32, UInt32) -> UInt32) async throws {
        let id = try run.id("group")
        let asked = MemberWords.mask(run.arguments.operandWords("capability"))
        let admin = try await run.admin
        let current = UInt32(truncatingIfNeeded: try await admin.getDefaultCapabilities(id))
        let wanted = apply(current, asked)
        if wanted != current {
            try await admin.setDefaultCapabilities(
                id, request: SetDefaultCapabilitiesRequest(defaultCapabilities: Int(wanted)))
        }
        try run.say(
            "Who joins group \(id) from now on may: \(MemberWords.text(Int(wanted))).",
            [
                "groupId": .string(id), "defaultCapabilities": .strings(MemberWords.words(Int(wanted))),
                "defaultCapabilityMask": .integer(Int64(wanted)), "changed": .bool(wanted != current),
            ])
    }

    static func detach(_ run: AdminRun) async throws {
        let id = try run.id("group")
        let context = try run.id("context")
        try await run.confirm("Take context \(context) out of group \(id)?")
        try await run.admin.detachContextFromGroup(id, contextId: context)
        try run.say(
            "Context \(context) is out of group \(id).",
            ["groupId": .string(id), "contextId": .string(context), "detached": true])
    }

    static func transfer(_ run: AdminRun) async throws {
        let id = try run.id("group")
        var request = TransferOwnershipRequest(newOwner: try run.id("account"))
        let (admin, root) = try await OwnerSignature.prepare(
            "Give group \(id) to account \(request.newOwner)?", run)
        request.rootProof = try await root?.rootProof(for: request.ownerOp, groupId: id, admin: admin)
        try await admin.transferOwnership(id, request: request)
        try run.say(
            "Group \(id) belongs to \(request.newOwner).",
            ["groupId": .string(id), "owner": .string(request.newOwner)])
    }

    static func delete(_ run: AdminRun) async throws {
        let id = try run.id("group")
        if run.arguments.has(.asOwner) { return try await ownerDelete(id, run) }
        for option in [OptionSpec.sign, .phraseFromInput] where run.arguments.has(option) {
            throw Failure(code: .usage, message: "\(option.flag) goes with --as-owner", hint: "Nothing was sent")
        }
        try await run.confirm("Delete group \(id), all below it and their contexts?")
        let answer = try await run.admin.deleteGroup(id)
        guard answer.isDeleted else { throw Failure(code: .refused, message: "The node did not delete group \(id)") }
        try run.say("Deleted group \(id).", ["groupId": .string(id), "deleted": true])
    }

    private static func ownerDelete(_ id: String, _ run: AdminRun) async throws {
        let (admin, root) = try await OwnerSignature.prepare("Delete group \(id) and all below it, as its owner?", run)
        let proof = try await root?.rootProof(for: .groupDelete, groupId: id, admin: admin)
        try await admin.ownerDeleteGroup(id, request: RootGuardedOpRequest(rootProof: proof))
        try run.say("Deleted group \(id).", ["groupId": .string(id), "deleted": true])
    }
}

extension GroupInfo {
    var isNamespace: Bool { namespaceId?.lowercased() == groupId.lowercased() }
}

extension AdminApi {
    func isNamespace(_ groupId: String) async throws -> Bool { try await getGroupInfo(groupId).isNamespace }
}
