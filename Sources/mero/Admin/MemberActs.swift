import MeroKit

/// What the commands of `mero member` do.
enum MemberActs {
    static func list(_ run: AdminRun) async throws {
        let members = try await all(try run.id("group"), run)
        try run.list(
            "members", ["Account", "Role", "Name"], members.map { [$0.identity, $0.role, $0.name ?? ""] },
            members.map {
                ["account": .string($0.identity), "role": .string($0.role), "name": .optional($0.name)]
            })
    }

    static func show(_ run: AdminRun) async throws {
        let group = try run.id("group")
        let account = try run.id("account")
        let admin = try await run.admin
        // First who it is: what a stranger may do is a question that nodes answer, too.
        let members = try await all(group, run)
        guard let member = members.first(where: { $0.identity.lowercased() == account.lowercased() }) else {
            throw Failure(
                code: .refused, message: "\(account) is no member of group \(group)",
                hint: "\"mero member list\" shows the members; members are accounts, not devices")
        }
        let mask = try await admin.getMemberCapabilities(group, identity: account).capabilities
        let metadata = try await admin.getMemberMetadata(group, identity: account)
        let name = member.name ?? metadata?.name
        try run.show(
            [
                ("account", member.identity), ("name", name), ("role", member.role),
                ("may", member.role == "Admin" ? MemberWords.textOfAdmin(mask) : MemberWords.text(mask)),
            ],
            [
                "account": .string(member.identity), "groupId": .string(group), "name": .optional(name),
                "role": .string(member.role), "capabilities": .strings(MemberWords.words(mask)),
                "capabilityMask": .whole(mask), "metadata": try metadata.map(Report.encoding) ?? .null,
            ])
    }

    static func devices(_ run: AdminRun) async throws {
        let group = try run.id("group")
        let admin = try await run.admin
        let members = try await Pages.all(id: \.account) {
            try await admin.listMemberDevices(group, offset: $0, limit: $1)
        }
        let rows = members.flatMap { member in member.devices.map { (member.account, $0) } }
        try run.list(
            "devices", ["Account", "Device", "Signing key"],
            rows.map { [$0.0, $0.1.deviceId, $0.1.signingKey] },
            rows.map {
                [
                    "account": .string($0.0), "deviceId": .string($0.1.deviceId),
                    "signingKey": .string($0.1.signingKey),
                ]
            })
    }

    static func add(_ run: AdminRun) async throws {
        let group = try run.id("group")
        let accounts = try run.ids("account")
        let role = MemberWords.role(run.arguments.text(MemberWords.roleOption) ?? "member")
        try await run.admin.addGroupMembers(
            group,
            request: AddGroupMembersRequest(members: accounts.map { GroupMemberInput(identity: $0, role: role) }))
        try run.say(
            "Added \(accounts.joined(separator: ", ")) to group \(group) as \(role).",
            ["groupId": .string(group), "added": .strings(accounts), "role": .string(role)])
    }

    static func remove(_ run: AdminRun) async throws {
        let group = try run.id("group")
        let accounts = try run.ids("account")
        try await run.confirm("Remove \(accounts.joined(separator: ", ")) from group \(group)?")
        try await run.admin.removeGroupMembers(group, request: RemoveGroupMembersRequest(members: accounts))
        try run.say(
            "Removed \(accounts.joined(separator: ", ")) from group \(group).",
            ["groupId": .string(group), "removed": .strings(accounts)])
    }

    static func role(_ run: AdminRun) async throws {
        let group = try run.id("group")
        let account = try run.id("account")
        let role = MemberWords.role(try run.text("role"))
        try await run.admin.updateMemberRole(
            group, identity: account, request: UpdateMemberRoleRequest(role: role))
        try run.say(
            "\(account) is \(role) in group \(group).",
            ["groupId": .string(group), "account": .string(account), "role": .string(role)])
    }

    static func grant(_ run: AdminRun) async throws { try await change(run) { $0 | $1 } }

    static func revoke(_ run: AdminRun) async throws { try await change(run) { $0 & ~$1 } }

    private static func change(_ run: AdminRun, _ apply: (UInt32, UInt32) -> UInt32) async throws {
        let group = try run.id("group")
        let account = try run.id("account")
        let asked = MemberWords.mask(run.arguments.operandWords("capability"))
        let admin = try await run.admin
        let held = try await admin.getMemberCapabilities(group, identity: account).capabilities
        let current = UInt32(truncatingIfNeeded: held)
        let wanted = apply(current, asked)
        if wanted != current {
            try await admin.setMemberCapabilities(
                group, identity: account, request: SetMemberCapabilitiesRequest(capabilities: Int(wanted)))
        }
        try run.say(
            "\(account) may in group \(group): \(MemberWords.text(Int(wanted))).",
            [
                "groupId": .string(group), "account": .string(account),
                "capabilities": .strings(MemberWords.words(Int(wanted))),
                "capabilityMask": .integer(Int64(wanted)), "changed": .bool(wanted != current),
            ])
    }

    static func rename(_ run: AdminRun) async throws {
        let group = try run.id("group")
        let account = try run.id("account")
        let name = try run.text("name")
        let admin = try await run.admin
        // What is sent replaces the whole record.
        let old = try await admin.getMemberMetadata(group, identity: account)
        try await admin.setMemberMetadata(
            group, identity: account, request: SetMemberMetadataRequest(name: name, data: old?.data ?? [:]))
        try run.say(
            "\(account) is called \(name) in group \(group).",
            ["groupId": .string(group), "account": .string(account), "name": .string(name)])
    }

    static func follow(_ run: AdminRun) async throws {
        let group = try run.id("group")
        let account = try run.id("account")
        guard let contexts = run.arguments.text(.followContexts), let groups = run.arguments.text(.followGroups) else {
            throw Failure(
                code: .usage, message: "\"mero member follow\" needs --new-contexts and --new-groups, on or off",
                hint: "A node sets both at once and does not tell what they were; nothing was sent")
        }
        try await run.admin.setMemberAutoFollow(
            group, identity: account,
            request: [
                "autoFollowContexts": .bool(contexts == "on"), "autoFollowSubgroups": .bool(groups == "on"),
            ])
        try run.say(
            "\(account) in group \(group): new contexts \(contexts), new groups \(groups).",
            [
                "groupId": .string(group), "account": .string(account), "newContexts": .bool(contexts == "on"),
                "newGroups": .bool(groups == "on"),
            ])
    }

    private static func all(_ group: String, _ run: AdminRun) async throws -> [GroupMember] {
        let admin = try await run.admin
        return try await Pages.all(id: \.identity) {
            try await admin.listGroupMembers(group, offset: $0, limit: $1).members
        }
    }
}
