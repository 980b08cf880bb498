import Dispatch
import Foundation
import MeroKit

/// Turns Ctrl-C and termination into the cancellation of a task.
///
/// The first signal cancels, so that the command can stop a node, restore a terminal and say goodbye. A second one ends
/// the process on the spot.
final class SignalWatcher: Sendable {
    private let received = Locked<Int32?>(nil)
    private let sources: Locked<[any DispatchSourceSignal]>

    init(_ signals: [Int32] = [SIGINT, SIGTERM], cancel: @escaping @Sendable () -> Void) {
        sources = Locked([])
        for number in signals {
            // The default action would win over the dispatch source.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [received] in
                let isFirst = received.withLock { first in
                    defer { first = first ?? number }
                    return first == nil
                }
                if isFirst {
                    cancel()
                } else {
                    Terminal.restore()
                    _exit(128 + number)
                }
            }
            source.resume()
            sources.withLock { $0.append(source) }
        }
    }

    /// The first signal that came, nil when none did.
    var first: Int32? { received.withLock { $0 } }
}
