import Foundation
import MeroDevNode
import MeroKit

/// What happens on a node's event streams, step by step.
///
/// ```swift
/// try await EventScript([.event(#"{"type":"StateMutation","data":{}}"#), .cut, .event(#"{"type":"Other"}"#)])
///     .play(on: node, contextId: contextId)
/// ```
/// An event waits until a connection takes it, so that nothing of the script is lost in a reconnect.
public struct EventScript: Sendable {
    /// What happens.
    public enum Step: Sendable {
        /// An event about the context: a JSON object to which the context's id is added.
        case event(String)
        /// Every connection is dropped, without a word.
        case cut
        /// Every connection is ended properly.
        case finish
        /// The node says that it is closing the connections, and why.
        case close(reason: String)
        /// The next attempts to connect are refused with this status.
        case refuse(status: Int, times: Int)
        /// Nothing is written until `resume`.
        case stall
        /// What was held back is written.
        case resume
    }

    private let steps: [Step]

    /// What happens, in order.
    public init(_ steps: [Step]) { self.steps = steps }

    /// Throws `CancellationError`, `DevNodeError` for an event that is no JSON object, and `TimedOut` when nobody listens.
    ///
    /// - Parameters:
    ///   - node: The node that plays the events.
    ///   - contextId: The context that they are about.
    ///   - timeout: Seconds that each event waits for somebody to take it.
    public func play(on node: DevNode, contextId: String, timeout: TimeInterval = 30) async throws {
        for step in steps {
            switch step {
            case .event(let text): try await send(text, node, contextId, timeout)
            case .cut: node.streams.cutAll()
            case .finish: node.streams.finishAll()
            case .close(let reason): node.streams.announceClose(reason: reason)
            case .refuse(let status, let times): node.streams.refuseNext(status: status, times: times)
            case .stall: node.streams.stall()
            case .resume: node.streams.resume()
            }
        }
    }

    /// Nobody took an event.
    public struct TimedOut: Error {}

    private func send(_ text: String, _ node: DevNode, _ contextId: String, _ timeout: TimeInterval) async throws {
        guard case .object(var members)? = try? MeroJSON.decode(JSONValue.self, from: Data(text.utf8)) else {
            throw DevNodeError.invalidJson(text)
        }
        members["contextId"] = .string(contextId)
        let event = String(decoding: try MeroJSON.encode(JSONValue.object(members)), as: UTF8.self)
        let deadline = Date(timeIntervalSinceNow: timeout)
        while try node.emit(result: event) == 0 {
            guard Date() < deadline else { throw TimedOut() }
            try await Task.sleep(nanoseconds: 2_000_000)
        }
    }
}
