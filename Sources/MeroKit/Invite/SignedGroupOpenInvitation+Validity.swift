import Foundation

/// How long an invitation holds, and what it is to. Spec: 70, sections 10 and 11.1.
extension SignedGroupOpenInvitation {
    /// What clocks may differ by, in seconds.
    private static let tolerance = 60

    /// The group or namespace, 64 hex characters. Throws `AccountError.invalidInput` when it is no id.
    var targetId: String {
        get throws {
            let bytes = invitation.groupId.compactMap { UInt8(exactly: $0) }
            guard bytes.count == 32, invitation.groupId.count == 32 else {
                throw AccountError.invalidInput("group_id of the invitation must be 32 bytes")
            }
            return Hex.encode(bytes)
        }
    }

    /// When it expires, by its own account; nil when it does not.
    public var expiresAt: Date? {
        invitation.expirationTimestamp == 0
            ? nil : Date(timeIntervalSince1970: TimeInterval(invitation.expirationTimestamp))
    }

    /// Whether it has expired, by more than clocks may differ.
    ///
    /// Nodes answer with one status for this and for other things: judge by the invitation.
    public func isExpired(at now: Date = Date()) -> Bool {
        guard let expiresAt else { return false }
        return now.timeIntervalSince(expiresAt) > TimeInterval(Self.tolerance)
    }

    /// Throws `AccountError.invalidInput`, saying since when, for one that has expired.
    public func checkNotExpired(at now: Date = Date()) throws {
        guard isExpired(at: now) else { return }
        let seconds = max(0, Int(saturating: now.timeIntervalSince1970))
        throw AccountError.invalidInput(
            "the invitation has expired \(max(0, seconds - max(0, invitation.expirationTimestamp))) seconds ago: "
                + "ask for a fresh one")
    }
}
