import Foundation
import MeroKit

/// Events that did not come from a contract, and who is present.
extension DevNode {
    /// Sends an event about a context to every connection that subscribed it, and tells how many took it.
    @discardableResult
    public func emit(_ event: DevEvent, context: String) -> Int {
        let id = context.lowercased()
        return core.events.publish(to: .context(id)) { event.text(key: "contextId", id: id) }
    }

    /// Sends an event about a group to every connection that subscribed it, and tells how many took it.
    @discardableResult
    public func emit(_ event: DevEvent, group: String) -> Int {
        let id = group.lowercased()
        return core.events.publish(to: event.isForAdmins ? .groupAdmins(id) : .group(id)) {
            event.text(key: "groupId", id: id)
        }
    }

    /// Sends JSON text, digit for digit, as the `result` of an event: to who subscribed the string under its `contextId`
    /// or else its `groupId`, and to every connection when it has neither. Tells how many took it. Throws
    /// ``DevNodeError/invalidJson(_:)``.
    @discardableResult
    public func emit(result json: String) throws -> Int {
        let tree: JsonTree
        do {
            tree = try JsonParser.parse(json.utf8)
        } catch {
            throw DevNodeError.invalidJson("\(error)")
        }
        var address = EventAddress.everyone
        if let id = tree["contextId"]?.stringValue {
            address = .context(id)
        } else if let id = tree["groupId"]?.stringValue {
            address = .group(id)
        }
        return core.events.publish(to: address) { tree.bytes }
    }

    /// Sends what stands for an event about a context that the node could not serialise:
    /// `{"error":{"type":"InternalError","data":{}}}`. Tells how many connections took it.
    @discardableResult
    public func emitSerializationFailure(context: String) -> Int {
        core.events.publishFailure(to: .context(context.lowercased()))
    }

    // MARK: - Presence

    /// Plays a presence slice, or another heartbeat of it, of an author on another node or behind a relay.
    ///
    /// The same bytes again tell nobody anything. Without a heartbeat the author is gone after seven seconds of
    /// ``clock``.
    ///
    /// - Parameters:
    ///   - state: at most 16,384 bytes.
    ///   - author: the author's key, 64 hex.
    ///   - account: the account of a presence that came through a relay.
    ///   - keepsBeating: the author's heartbeats never stop.
    ///   - context: the context, 64 hex.
    /// - Throws: ``DevNodeError/unknownContext(_:)``, and ``DevNodeError/sliceTooLarge(_:)`` with the size.
    public func setPresence(
        _ state: Data, author: String, account: String? = nil, keepsBeating: Bool = false, context: String
    ) throws {
        guard let box = core.contexts[context] else { throw DevNodeError.unknownContext(context) }
        guard state.count <= ContextBox.largestSlice else { throw DevNodeError.sliceTooLarge(state.count) }
        core.events.putPresence(
            author: author, account: account, state: Array(state), isKeptAlive: keepsBeating, in: box.id)
        core.link.flush()
    }

    /// Takes an author's presence away, as a retraction does. False when there is none.
    @discardableResult
    public func removePresence(author: String, context: String) -> Bool {
        defer { core.link.flush() }
        return core.events.removePresence(author: author, in: context.lowercased())
    }

    /// The key the node itself acts as in a context, the `author` of its own presence; nil when there is no such context.
    public func executor(inContext context: String) -> String? { core.contexts[context]?.executor }
}
