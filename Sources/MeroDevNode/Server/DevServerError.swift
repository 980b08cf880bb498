/// Why a dev node's server did not start.
package enum DevServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The port cannot be taken, with the system's words.
    case cannotListen(port: UInt16, reason: String)
    case daemonRefused

    package var description: String {
        switch self {
        case .cannotListen(let port, let reason): return "cannot listen on 127.0.0.1:\(port): \(reason)"
        case .daemonRefused: return "the HTTP daemon did not start"
        }
    }
}
