import Foundation
import MeroKit

/// `mero invite create` and `accept` as an account that has no node.
enum AccountInvites {
    static func create(_ run: AdminRun) async throws {
        let namespace = try run.id("group")
        if let option = [OptionSpec.recursive, .admitter].first(where: run.arguments.has) {
            throw Failure(
                code: .usage,
                message: "\(option.flag) does not go with --as-account: only a node knows the groups below, and "
                    + "the namespace's relays are those who admit", hint: "Nothing was sent")
        }
        let desk = try CloudDesk(run.invocation)
        let device = try desk.device()
        let connection = await device.signIn.connect(device.session)
        guard let mero = connection.mero else {
            throw Failure(
                code: .refused, message: connection.readNote ?? "The account has no relay yet",
                hint: "\"mero cloud connect\" says more")
        }
        let admin = await mero.admin
        let members = try await Pages.all(id: \.identity) {
            try await admin.listGroupMembers(namespace, offset: $0, limit: $1).members
        }
        // Nodes do not join without it.
        let application = try await admin.getNamespace(namespace).targetApplicationId
        let invitation = try await GroupInvitations.mint(
            namespaceId: namespace, inviterAccount: device.session.account, keys: device.identity.keys,
            members: members, cloud: try await device.signIn.cloudClient(),
            validForSeconds: run.arguments.seconds(.lifetime).map { Int($0.rounded(.up)) }
                ?? GroupInvitations.maxValiditySeconds,
            applicationId: Hex.is32(application) ? application : nil,
            admitterAddrs: [device.session.relayUrl].compactMap { $0 })
        await mero.close()
        try await device.checkKept()
        let token = try InvitationPayload(invitation).token()
        let link = run.arguments.text(.slug).map { InviteLink.invitation(token: token, slug: $0) }
        try run.console.line((link ?? token).printable)
        try run.console.document([
            "groupId": .string(namespace), "name": .null, "token": .string(token), "link": .optional(link),
            "expiresAt": .time(invitation.expires),
            "invitation": .text(try ExactJSON(jsonBytes: MeroJSON.encode(invitation))),
        ])
        if let expires = invitation.expires { try run.console.remark("It holds until \(Report.timestamp(expires)).") }
    }

    static func accept(_ run: AdminRun) async throws {
        if let option = [OptionSpec.callMe, .noContexts, .subgroup].first(where: run.arguments.has) {
            throw Failure(
                code: .usage, message: "\(option.flag) does not go with --as-account", hint: "Nothing was sent")
        }
        let invitation = try await InvitationInput.read(run.arguments.operand("invitation") ?? "", run.invocation)
        let namespace = try invitation.groupId()
        let desk = try CloudDesk(run.invocation)
        let device = try desk.device()
        let (session, outcome) = try await device.signIn.join(
            namespaceId: namespace, invitation: invitation, nodeURL: run.arguments.text(.admittingRelay))
        try await device.checkKept()
        if outcome.published {
            try run.console.line("\(outcome.relayUrl) lets account \(session.account) in.".printable)
        } else {
            try run.console.remark(
                "\(outcome.relayUrl) has taken the join and not passed it on to the others".printable)
        }
        // Nobody applies what nobody was told.
        let isMember = outcome.published ? try await device.signIn.waitForMembership(namespace) : false
        try await device.checkKept()
        // Its relay may be known only now.
        let now = await device.signIn.restoreSession() ?? session
        let contexts = isMember ? try await contexts(of: namespace, device, now) : []
        if isMember {
            try run.console.line("It is a member of \(namespace).")
            for context in contexts { try run.console.line("Context \(context)".printable) }
            if let context = contexts.first, let words = desk.callWords(context, relay: now.relayUrl) {
                try run.console.line("Next: \(words)".printable)
            }
        } else {
            try run.console.remark(
                "It is no member yet; that takes the others to apply it. \"mero cloud connect\" tells.")
        }
        try run.console.document([
            "groupId": .string(namespace), "account": .string(session.account), "published": .bool(outcome.published),
            "admittedBy": .string(outcome.relayUrl), "member": .bool(isMember), "contexts": .strings(contexts),
            "relayUrl": .optional(now.relayUrl),
        ])
    }

    private static func contexts(
        of namespace: String, _ device: CloudDevice, _ session: CloudSession
    ) async throws -> [String] {
        guard let mero = await device.signIn.connect(session).mero else { return [] }
        let admin = await mero.admin
        let contexts = try await Pages.all(id: \.contextId) {
            try await admin.listGroupContexts(namespace, offset: $0, limit: $1)
        }
        await mero.close()
        return contexts.map(\.contextId)
    }
}
