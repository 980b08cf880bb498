/// The node's role in a context.
public enum DevRole: String, Sendable {
    /// Changes members and settings, too.
    case admin = "Admin"
    /// Reads and writes.
    case member = "Member"
    /// Discards its own writes: a mutating call is refused with `ReadOnlyWriteRefused`.
    case readOnly = "ReadOnly"
    /// As `readOnly`.
    case readOnlyTee = "ReadOnlyTee"
    /// As `readOnly`.
    case relayTee = "RelayTee"

    var discardsWrites: Bool { self == .readOnly || self == .readOnlyTee || self == .relayTee }
}

/// Something a context suffers from, so that calls to it end in one of the node's error objects.
///
/// Spec: 40, section 1.4.
public enum DevContextCondition: Sendable, Equatable {
    /// `Unauthorized`: the node's identity may not execute.
    case unauthorized
    /// `Uninitialized`: the state is not synced yet. `sync_status` tells the same.
    case uninitialized
    /// `ApplicationNotInstalled`.
    case applicationNotInstalled
    /// `InternalError` with this `kind` (`context`, `group`, `encryption`, `runtime`, `merge`, `ipc`, `other`).
    case internalError(kind: String)
    /// `InternalError` with empty `data`.
    case internalErrorBare
    /// `GroupKeyPending`.
    case groupKeyPending
    /// `UpgradeInProgress` for writes; reads still work. Older nodes wrote the group id as 32 numbers.
    case upgradeInProgress(groupIdAsBytes: Bool = false)
    /// `XCallNotPermitted`.
    case xcallNotPermitted
    /// `SerdeError` with this message.
    case serdeError(String)
    /// `FunctionCallError`: `Caller is not a member of this context`.
    case notMember
    /// `FunctionCallError`: `No owned identity found for this context`.
    case noOwnedIdentity
    /// `FunctionCallError`: `Failed to resolve owned identity for this context: ` and this detail.
    case identityResolutionFailed(String)
    /// `FunctionCallError`: `Internal error during membership verification`.
    case membershipCheckFailed
    /// `ReadOnlyWriteRefused` for writes, whatever the role.
    case readOnlyWrites
    /// An error object of any other type.
    case custom(type: String, data: String?)
}
