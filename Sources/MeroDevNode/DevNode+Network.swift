import Foundation
import MeroKit

/// A node among others, and upgrades under way.
extension DevNode {
    /// Invites an account's node to a namespace, as JSON text like ``createInvitation(namespace:role:admitters:validFor:)``,
    /// and joins the other node with it. Both nodes have to be part of one ``DevNetwork``. Throws ``DevNodeError``.
    public func admit(_ other: DevNode, to namespace: String, role: DevRole = .member) throws {
        let text = try createInvitation(namespace: namespace, role: role)
        do {
            let invitation = try InvitationReader.read(try JsonParser.parse(text.utf8))
            try other.core.admission.join(invitation)
        } catch let refusal as NodeRefusal {
            throw DevNodeError.refused(refusal.status, refusal.text)
        } catch {
            throw DevNodeError.invalidJson("\(error)")
        }
    }

    /// Joins a context of a group that the node's account is a member of, which it does by itself unless
    /// ``DevNodeOptions/followsContexts`` or the membership says otherwise. False when no node that has it is reachable.
    @discardableResult
    public func followContext(_ context: String) throws -> Bool {
        let id = try ContextRuntime.checkedId(context)
        guard let group = core.groups.group(ofContext: id), core.groups.role(of: accountId, in: group) != nil else {
            throw DevNodeError.unknownContext(context)
        }
        if core.contexts[id] != nil { return true }
        return core.link.network?.join(id, as: core) ?? false
    }

    /// Makes upgrades wait before each context, until ``stepUpgrades(_:)`` or ``releaseUpgrades()``.
    public func holdUpgrades() { core.upgrades.pace.hold() }

    /// Lets upgrades take the next contexts.
    public func stepUpgrades(_ count: Int = 1) { core.upgrades.pace.step(max(0, count)) }

    /// Lets upgrades go on without waiting.
    public func releaseUpgrades() { core.upgrades.pace.release() }
}
