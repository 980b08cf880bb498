import Foundation
import MeroKit

/// What a node does when a cloud has it host a namespace, or no longer.
///
/// Spec: 20, section 6.10; 70, section 3.4.
extension NodeCore {
    /// Shows itself to the namespace's nodes, as `POST /admin-api/tee/fleet-join` does. Whether one of them let it in shows
    /// in the group.
    func beginHosting(_ namespace: String) {
        guard let tee = options.tee, status.attestation == .mock,
            groups.role(of: identity.accountId, in: namespace) == nil
        else { return }
        try? admission.announce(tee, to: namespace)
    }

    /// Leaves the namespace, and deletes its groups, contexts and their state here. A node that cannot leave, since the
    /// namespace is its own or would be without an administrator, stays: then it is no node of the cloud's alone.
    func endHosting(_ namespace: String) {
        guard groups.read({ $0[namespace] != nil }) else { return }
        let account = identity.accountId
        if groups.role(of: account, in: namespace) != nil {
            do {
                let left = try groups.change { try $0.leave(namespace, by: account) }
                events.announce(left.map { (.memberRemoved(account: account), $0) }, namespace: namespace)
            } catch {
                return
            }
        }
        link.network?.forget(namespace, by: link.id)
        for context in (try? groups.forget(namespace)) ?? [] { _ = try? contexts.remove(context) }
    }
}
