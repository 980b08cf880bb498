import Foundation
import MeroKit

/// Which node holds which context.
extension DevNetwork {
    /// Joins the contexts that the member has not said no to.
    func follow(_ namespace: String, as peer: NodeCore) {
        let account = peer.identity.accountId
        let wanted = peer.groups.read { state in
            state.subtree(of: namespace).flatMap { group -> [String] in
                guard state.membership(of: account, in: group) != nil else { return [] }
                let follows = state[group]?.members[account]?.autoFollow?.contexts ?? peer.options.followsContexts
                return follows ? state[group]?.contexts ?? [] : []
            }
        }
        for context in wanted where peer.contexts[context] == nil { _ = copy(context, to: peer) }
    }

    /// Tells who was away from a namespace what was written in the contexts that it still holds.
    func catchUp(_ namespace: String, as peer: NodeCore, from holder: NodeCore) {
        let contexts = holder.groups.read { state in
            state.subtree(of: namespace).flatMap { state[$0]?.contexts ?? [] }
        }
        for context in contexts where isMember(peer, ofContext: context, asSeenBy: holder) {
            guard peer.contexts[context] != nil, let box = holder.contexts[context] else { continue }
            peer.take(.writes(box.snapshot()))
        }
    }

    /// Gets a context from any node that has it.
    private func copy(_ context: String, to peer: NodeCore) -> Bool {
        let id = peer.link.id
        let holder = peers(of: id).first { $0.contexts[context] != nil }
        guard let holder, let source = holder.contexts[context] else { return false }
        do {
            try peer.adopt(source.applicationId, from: holder)
            try peer.contexts.copy(source)
        } catch {
            return false
        }
        state.withLock { $0.followers[context, default: []].formUnion([id, holder.link.id]) }
        return true
    }

    /// Lets a node join a context, also one that it has left; one that holds it already hears what the others know. False
    /// when no node that has it can be reached.
    func join(_ context: String, as peer: NodeCore) -> Bool {
        gate.pass {
            drain()
            guard let isHere = try? peer.contexts.rejoin(context) != nil else { return false }
            guard isHere else { return copy(context, to: peer) }
            state.withLock { _ = $0.followers[context, default: []].insert(peer.link.id) }
            for holder in peers(of: peer.link.id) {
                guard let box = holder.contexts[context], isMember(peer, ofContext: context, asSeenBy: holder) else {
                    continue
                }
                peer.take(.writes(box.snapshot()))
            }
            return true
        }
    }

    /// A node no longer holds a context. Nobody is told; it is only heard of no more.
    func leave(_ context: String, as id: String, author: String) {
        state.withLock { _ = $0.followers[context]?.remove(id) }
        for peer in peers(of: id) { peer.events.fade(author: author, in: context) }
    }

    private func isMember(_ peer: NodeCore, ofContext context: String, asSeenBy holder: NodeCore) -> Bool {
        guard let group = holder.groups.group(ofContext: context) else { return false }
        return holder.groups.role(of: peer.identity.accountId, in: group) != nil
    }

    /// A blob of a context as one of its other nodes has it.
    func blob(_ blob: String, context: String, for id: String) -> BlobStore.PeerBlob? {
        guard let asker = node(id) else { return nil }
        let holder = peers(of: id).first { holder in
            holder.blobs[blob]?.contexts.contains(context) == true && holder.contexts[context] != nil
                && isMember(asker, ofContext: context, asSeenBy: holder)
        }
        guard let holder, let record = holder.blobs[blob] else { return nil }
        let file = holder.blobs.file(blob)
        return BlobStore.PeerBlob(size: record.size) { try FileManager.default.copyItem(at: file, to: $0) }
    }

    func shareContexts(_ one: NodeCore, _ other: NodeCore) {
        for id in one.contexts.ids {
            guard let left = one.contexts[id], let right = other.contexts[id] else { continue }
            guard isMember(other, ofContext: id, asSeenBy: one), isMember(one, ofContext: id, asSeenBy: other) else {
                continue
            }
            let (first, second) = (left.snapshot(), right.snapshot())
            other.take(.writes(first))
            one.take(.writes(second))
            for (box, listener) in [(left, other), (right, one)] {
                guard let slice = box.read({ $0.presence }) else { continue }
                listener.take(
                    .presence(PresenceNews(context: id, author: box.executor, state: slice, isKeptAlive: true)))
            }
        }
    }
}
