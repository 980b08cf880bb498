import MeroKit

/// What other nodes tell this one.
extension NodeCore {
    /// Never flushes the link: whoever hands news over is holding it.
    func take(_ news: PeerNews) {
        switch news {
        case .groups(let deltas, _):
            // What cannot be written down is offered again when the nodes meet next.
            guard let merge = try? groups.merge(deltas) else { return }
            for context in merge.orphans { _ = try? contexts.remove(context) }
            notice(merge.groups)
        case .announcement(let events, _): self.events.tell(events)
        case .writes(let news):
            guard let box = contexts[news.context] else { return }
            var news = news
            if let release = news.release, isOutdated(release, of: box) { news.release = nil }
            try? box.merge(news)
            if let release = news.release {
                try? contexts.noteRelease(of: box)
                upgrades.noticeRelease(release, of: box.id)
            }
        case .presence(let news):
            guard let state = news.state else {
                events.removePresence(author: news.author, in: news.context, isRemote: true)
                return
            }
            events.putPresence(
                author: news.author, account: news.account, state: state, isKeptAlive: news.isKeptAlive,
                in: news.context, isRemote: true)
        }
    }

    /// Whether a node that was away still runs what the context's group has left behind.
    private func isOutdated(_ release: ContextRelease, of box: ContextBox) -> Bool {
        guard box.read({ $0.release }) != nil, let group = groups.group(ofContext: box.id) else { return false }
        return groups.read { $0[group]?.target?.bytecodeId } != release.bytecodeId
    }

    /// What concerns the node itself in groups that have changed.
    private func notice(_ changed: [String]) {
        let device = identity.deviceId
        let isRevoked = groups.read { state in
            changed.contains { state[$0]?.revokedDevices.contains(device) ?? false }
        }
        if isRevoked { identity.withdraw() }
        for group in changed { upgrades.notice(group) }
    }
}
