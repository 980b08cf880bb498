import Foundation

extension AccountJoin {
    /// Waits until the account is a member of a namespace: a join that was published is none yet, the others have to apply
    /// it.
    ///
    /// Asks for the account's namespaces after 1, 1.5, 2.25, … at most 8 seconds. True as soon as the namespace is among
    /// them; false when it was not within `timeout` seconds, and then it may still become one. A relay that does not answer
    /// in between is asked again. Throws `MeroError.authRevoked`, a 401 or 403 as `MeroError.http`, `CancellationError`.
    /// Spec: 70, section 11.3.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - admin: The relay's, as the account.
    ///   - timeout: Seconds to wait at most.
    public static func waitForMembership(
        _ namespaceId: String, admin: AdminApi, timeout: TimeInterval = 60
    ) async throws -> Bool {
        try await waitForMembership(namespaceId, admin: admin, timeout: timeout, clock: RelayClock())
    }

    static func waitForMembership(
        _ namespaceId: String, admin: AdminApi, timeout: TimeInterval, clock: RelayClock
    ) async throws -> Bool {
        let wanted = namespaceId.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        let deadline = clock.now().addingTimeInterval(timeout)
        var pause: TimeInterval = 1
        while true {
            if try await isListed(wanted, admin, { clock.now() < deadline }) { return true }
            let left = deadline.timeIntervalSince(clock.now())
            guard left > 0 else { return false }
            try await clock.sleep(min(pause, left))
            pause = min(pause * 1.5, 8)
        }
    }

    /// - Parameter hasTime: Whether another page may be asked for.
    private static func isListed(
        _ namespaceId: String, _ admin: AdminApi, _ hasTime: () -> Bool
    ) async throws -> Bool {
        let pageSize = 100
        var offset = 0
        var seen: Set<String> = []
        do {
            while true {
                let page = try await admin.listNamespaces(offset: offset, limit: pageSize)
                if page.contains(where: { $0.namespaceId.lowercased() == namespaceId }) { return true }
                // A relay that ignores the offset returns the same full page for ever.
                let known = seen.count
                seen.formUnion(page.map(\.namespaceId))
                guard page.count == pageSize, seen.count > known, hasTime() else { return false }
                offset += pageSize
            }
        } catch let error as MeroError {
            try Task.checkCancellation()
            switch error {
            case .authRevoked: throw error
            case .http(let answer) where answer.status == 401 || answer.status == 403: throw error
            default: return false
            }
        }
    }
}
