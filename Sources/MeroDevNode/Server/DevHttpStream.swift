import Foundation
import MeroKit

/// The body of an answer that a producer writes bit by bit, such as an event stream.
///
/// A handler answers with `.stream(stream)` and pushes from a task of its own. Bytes pushed before the answer is on its way
/// are kept. The queue is bounded: `offer` refuses when it is full, `push` waits.
package final class DevHttpStream: Sendable {
    /// Why a stream is over.
    package enum End: Sendable, Equatable {
        case finished
        case cut
        case clientLeft
        case serverStopped
    }

    package enum Offer: Sendable, Equatable {
        case accepted
        case full
        case closed
    }

    struct State {
        var queue: [Data] = []
        var queuedBytes = 0
        var end: End?
    }

    let capacity: Int
    let state = Locked(State())

    /// - Parameter capacity: bytes that may wait for the client; one larger piece is taken when nothing waits.
    package init(capacity: Int = 1 << 20) { self.capacity = max(1, capacity) }
}
