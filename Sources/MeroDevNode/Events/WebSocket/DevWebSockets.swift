import Foundation
import MeroKit

/// The WebSockets of a node, and what can go wrong with them alone: ``DevNode/webSockets``.
///
/// ```swift
/// node.webSockets.closeAll(code: 1011, reason: "restarting")
/// node.webSockets.setMuted(true)          // requests get no reply any more
/// node.inject(.tokenExpired, on: "GET /ws")
/// ```
/// See ``DevStreams`` for what WebSockets and event streams suffer together.
public struct DevWebSockets: Sendable {
    let registry: StreamRegistry
    let isMuted: Locked<Bool>

    private var peers: [WebSocketPeer] { registry.open.compactMap { $0.stream as? WebSocketPeer } }

    /// How many are open.
    public var count: Int { peers.count }

    /// Drops every connection by a reset, and what it was about to send.
    public func cutAll() { for peer in peers { peer.reset() } }

    /// Sends a close frame; the connection goes when the client has answered it, or after two seconds.
    ///
    /// - Parameters:
    ///   - code: Any number, allowed or not; nil for a frame without one.
    ///   - reason: the text in the frame.
    public func closeAll(code: UInt16? = 1001, reason: String = "") {
        for peer in peers { peer.close(code: code, reason: reason) }
    }

    /// Writes bytes as they are: frames of your own, half of one, or nonsense.
    public func send(raw bytes: Data) { for peer in peers { _ = peer.send(raw: bytes) } }

    /// Sends a text message.
    public func send(text: String) { for peer in peers { peer.send(Array(text.utf8)) } }

    /// While true, requests take effect and get no reply.
    public func setMuted(_ isMuted: Bool) { self.isMuted.withLock { $0 = isMuted } }
}
