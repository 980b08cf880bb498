import MeroKit

/// How far a node has come, as `GET /admin-api/ready` tells it.
public enum DevReadiness: String, Sendable {
    /// 200.
    case ready
    /// 503.
    case starting
    /// 503.
    case shuttingDown = "shutting_down"
}

/// The switches of a node that is unwell on purpose.
final class NodeStatus: Sendable {
    private let state = Locked(
        (isStorageAvailable: true, readiness: DevReadiness.ready, attestation: DevAttestation.mock))

    var isStorageAvailable: Bool {
        get { state.withLock { $0.isStorageAvailable } }
        set { state.withLock { $0.isStorageAvailable = newValue } }
    }

    var readiness: DevReadiness {
        get { state.withLock { $0.readiness } }
        set { state.withLock { $0.readiness = newValue } }
    }

    var attestation: DevAttestation {
        get { state.withLock { $0.attestation } }
        set { state.withLock { $0.attestation = newValue } }
    }
}
