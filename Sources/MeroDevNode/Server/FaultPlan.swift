import MeroKit

/// The faults that wait for requests.
final class FaultPlan: Sendable {
    private struct Entry {
        let fault: DevFault
        let route: DevRouteMatch
        let handle: DevFaultHandle
    }

    private let entries = Locked<[Entry]>([])

    func add(_ fault: DevFault, on route: DevRouteMatch, times: Int?) -> DevFaultHandle {
        let handle = DevFaultHandle(times: times)
        entries.withLock { $0.append(Entry(fault: fault, route: route, handle: handle)) }
        return handle
    }

    func removeAll() {
        entries.withLock { entries in
            for entry in entries { entry.handle.remove() }
            entries.removeAll()
        }
    }

    /// Uses up and returns what strikes this request, in order of injection; at most the last of them settles the outcome.
    func take(method: String, path: String) -> [DevFault] {
        entries.withLock { entries in
            guard !entries.isEmpty else { return [] }
            var taken: [DevFault] = []
            for entry in entries where entry.route.matches(method: method, path: path) {
                guard entry.handle.strike() else { continue }
                taken.append(entry.fault)
                if entry.fault.settlesOutcome { break }
            }
            entries.removeAll { $0.handle.remaining == 0 }
            return taken
        }
    }
}

extension DevFault {
    var settlesOutcome: Bool {
        switch self {
        case .delay, .slowBody: return false
        case .stall, .cutBeforeHandler, .cutAfterHandler, .cutMidBody, .status, .answer, .tokenExpired, .revokeFamily:
            return true
        }
    }
}
