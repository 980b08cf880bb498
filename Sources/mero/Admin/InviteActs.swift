import Foundation
import MeroKit

/// What the commands of `mero invite` do.
enum InviteActs {
    static let operand = Command.Operand(
        name: "invitation", help: "A link, a token, JSON, or - for standard input.")

    /// An invitation that was made, and for which group.
    private struct Made {
        let groupId: String
        let name: String?
        let invitation: SignedGroupOpenInvitation
        let token: String
        let link: String?
    }

    static func create(_ run: AdminRun) async throws {
        if run.arguments.has(.asAccount) { return try await AccountInvites.create(run) }
        let group = try run.id("group")
        let admitters = try run.arguments.texts(.admitter).map { account in
            guard Hex.is32(account.lowercased()) else {
                throw Failure(
                    code: .usage, message: "--admitter needs an account, 64 hex digits", hint: "Nothing was sent")
            }
            return account.lowercased()
        }
        let request = CreateNamespaceInvitationRequest(
            expirationTimestamp: run.arguments.seconds(.lifetime).map { Int($0.rounded(.up)) },
            recursive: run.arguments.has(.recursive) ? true : nil, admitters: admitters)
        let answers = try await ask(group, request, run)
        let slug = run.arguments.text(.slug)
        let made = try answers.map { groupId, name, invitation in
            let token = try InviteCodec.encode(
                CreateNamespaceInvitationResponseData(invitation: invitation, groupName: name))
            return Made(
                groupId: groupId, name: name, invitation: invitation, token: token,
                link: slug.map { InviteLink.invitation(token: token, slug: $0) })
        }
        if run.arguments.has(.recursive) {
            for one in made { try run.console.line("\(one.groupId)  \(one.link ?? one.token)".printable) }
            try run.console.document(["invitations": .array(try made.map(document))])
        } else if let one = made.first {
            try run.console.line((one.link ?? one.token).printable)
            try run.console.document(try document(one))
        }
        if let expires = made.first?.invitation.expires {
            try run.console.remark("It holds until \(Report.timestamp(expires)).")
        }
    }

    /// Namespaces and the groups below them have a route each.
    private static func ask(
        _ group: String, _ request: CreateNamespaceInvitationRequest, _ run: AdminRun
    ) async throws -> [(groupId: String, name: String?, invitation: SignedGroupOpenInvitation)] {
        let admin = try await run.admin
        if try await admin.isNamespace(group) {
            switch try await admin.createNamespaceInvitation(group, request: request) {
            case .single(let answer): return [(group, answer.groupName, answer.invitation)]
            case .recursive(let answer): return answer.invitations.map { ($0.groupId, $0.groupName, $0.invitation) }
            }
        }
        let groupRequest = CreateGroupInvitationRequest(
            expirationTimestamp: request.expirationTimestamp, recursive: request.recursive,
            admitters: request.admitters)
        switch try await admin.createGroupInvitation(group, request: groupRequest) {
        case .single(let answer): return [(group, answer.groupName, answer.invitation)]
        case .recursive(let answer): return answer.invitations.map { ($0.groupId, $0.groupName, $0.invitation) }
        }
    }

    private static func document(_ made: Made) throws -> Report {
        [
            "groupId": .string(made.groupId), "name": .optional(made.name), "token": .string(made.token),
            "link": .optional(made.link), "expiresAt": .time(made.invitation.expires),
            "invitation": .text(try ExactJSON(jsonBytes: MeroJSON.encode(made.invitation))),
        ]
    }

    static func show(_ run: AdminRun) async throws {
        let payload = try await InvitationInput.payload(run.arguments.operand("invitation") ?? "", run.invocation)
        let invitation = payload.invitation
        let group = try invitation.groupId()
        let expires = invitation.expires
        let extra = payload.extra
        let isOver = expires.map { $0 <= Date() } ?? false
        try run.show(
            [
                ("group", group), ("role", invitation.roleWord), ("invited by", invitation.inviterAccount),
                ("holds until", expires.map { Report.timestamp($0) + (isOver ? " (over)" : "") } ?? "no end"),
                ("let in by", invitation.invitation.admitters.joined(separator: " ")),
                ("reached at", invitation.admitterAddrs.joined(separator: " ")),
                ("application", application(invitation)),
                ("the app says", extra.isEmpty ? nil : Report(.object(extra)).json),
            ],
            [
                "groupId": .string(group), "role": .string(invitation.roleWord),
                "inviterAccount": .optional(invitation.inviterAccount), "expiresAt": .time(expires),
                "expired": .bool(isOver), "admitters": .strings(invitation.invitation.admitters),
                "admitterAddrs": .strings(invitation.admitterAddrs),
                "applicationId": .optional(application(invitation)), "extra": Report(.object(extra)),
                "token": .optional(try? payload.token()),
                "invitation": .text(try ExactJSON(jsonBytes: MeroJSON.encode(invitation))),
            ])
    }

    /// `mero invite link`.
    static func link(_ run: AdminRun) async throws {
        guard let slug = run.arguments.text(.slugOfLink) else {
            throw Failure(
                code: .usage, message: "--slug says which app the link is for", hint: "Add --slug com.example.app")
        }
        let payload = try await InvitationInput.payload(run.arguments.operand("invitation") ?? "", run.invocation)
        guard let token = try? payload.token() else {
            throw Failure(
                code: .usage, message: "The invitation is too large for a link",
                hint: "Pass it on as a file: \"mero invite show - < FILE\" reads it as well")
        }
        let link = InviteLink.invitation(token: token, slug: slug)
        try run.console.line(link)
        try run.console.document([
            "link": .string(link), "token": .string(token), "groupId": .string(payload.namespaceId),
            "expiresAt": .time(payload.invitation.expires),
        ])
        if payload.invitation.isExpired() { try run.console.remark("The invitation is over already.") }
    }

    private static func application(_ invitation: SignedGroupOpenInvitation) -> String? {
        invitation.applicationId.map { Hex.encode($0.compactMap(UInt8.init(exactly:))) }
    }

    static func accept(_ run: AdminRun) async throws {
        if run.arguments.has(.asAccount) { return try await AccountInvites.accept(run) }
        if run.arguments.has(.admittingRelay) {
            throw Failure(code: .usage, message: "--relay needs --as-account", hint: "Nothing was sent")
        }
        let invitation = try await read(run)
        let group = try invitation.groupId()
        try invitation.checkNotExpired()
        let name = run.arguments.text(.callMe)
        let admin = try await run.admin
        let joined: (id: String, key: String, account: String?)
        if run.arguments.has(.subgroup) {
            let answer = try await admin.joinGroup(JoinGroupRequest(invitation: invitation, groupName: name))
            joined = (answer.groupId, answer.memberIdentity, answer.memberAccount)
        } else {
            let answer = try await admin.joinNamespace(
                group, request: JoinNamespaceRequest(invitation: invitation, groupName: name))
            joined = (answer.namespaceId, answer.memberIdentity, answer.memberAccount)
        }
        var members: [Report.Member] = [
            .init(name: "groupId", value: .string(joined.id)),
            .init(name: "memberAccount", value: .optional(joined.account)),
            .init(name: "memberIdentity", value: .string(joined.key)),
        ]
        try run.console.line("Joined \(joined.id)\(joined.account.map { " as \($0)" } ?? "").".printable)
        if !run.arguments.has(.noContexts) {
            // Joined it is, whatever comes of the contexts.
            do {
                let arrival = try await Arrival.bring(joined.id, run)
                try run.console.line(arrival.line.printable)
                members += arrival.members.filter { $0.name != "groupId" }
            } catch let error as MeroError {
                try run.console.remark(
                    "Its contexts are not here yet (\"mero group sync\" tries again): \(error.localizedDescription)")
            }
        }
        try run.console.document(.object(members))
    }

    private static func read(_ run: AdminRun) async throws -> SignedGroupOpenInvitation {
        try await InvitationInput.read(run.arguments.operand("invitation") ?? "", run.invocation)
    }
}
