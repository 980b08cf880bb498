/// Which methods turned out to read and which to write, so that a write is not asked for as a read each time.
///
/// For the whole process, so that a client that is built anew goes on with it; never written down, since a method may
/// change with the next release. Spec: 60, sections 5.7 and 10.3.
final class RelayMethodKinds: Sendable {
    enum Kind: Sendable {
        case read
        case write
    }

    static let shared = RelayMethodKinds()

    private let kinds = Locked<[String: Kind]>([:])

    subscript(relayURL: String, contextId: String, method: String) -> Kind? {
        kinds.withLock { $0[Self.key(relayURL, contextId, method)] }
    }

    func learn(_ kind: Kind, _ relayURL: String, _ contextId: String, _ method: String) {
        kinds.withLock { $0[Self.key(relayURL, contextId, method)] = kind }
    }

    /// For tests.
    func forget() { kinds.withLock { $0 = [:] } }

    /// What an answer to a query teaches.
    enum Lesson {
        /// The method's own answer, an error, or one that teaches nothing to anybody: it is the caller's.
        case answered
        /// It writes: a warrant is needed.
        case write
        /// Nothing. A warrant may do.
        case nothing
    }

    static func lesson(of error: any Error) -> Lesson {
        if error is CancellationError || error is SealedTransportError || error is AttestationError { return .answered }
        guard case MeroError.http(let answer) = error else { return .nothing }
        if answer.cameInTheClear { return .answered }
        if [400, 403, 409].contains(answer.status), answer.refusal?.type != nil { return .answered }
        return answer.status == 409 ? .write : .nothing
    }

    private static func key(_ relayURL: String, _ contextId: String, _ method: String) -> String {
        "\(relayURL)|\(contextId)|\(method)"
    }
}
