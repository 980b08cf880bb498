extension AdminApi {
    /// Starts the upgrade of a group to another application or version. A 409 when one is under way, or there is nothing
    /// to do. Spec: 30, section 10.
    public func upgradeGroup(_ groupId: String, request: UpgradeGroupRequest) async throws -> UpgradeGroupResponseData {
        try await enveloped(AdminEndpoints.upgradeGroup, groupId, body: .encoding(request))
    }

    /// How far this node has come with a group's upgrade, nil when none is on record. Spec: 30, section 10.
    public func getGroupUpgradeStatus(_ groupId: String) async throws -> GroupUpgradeStatusResponseData {
        try await nullable(AdminEndpoints.groupUpgradeStatus, groupId)
    }

    /// Starts a failed upgrade again. Spec: 30, section 10.
    public func retryGroupUpgrade(
        _ groupId: String, request: RetryGroupUpgradeRequest? = nil
    ) async throws -> RetryGroupUpgradeResponseData {
        try await enveloped(AdminEndpoints.retryGroupUpgrade, groupId, body: .emptyObject)
    }

    /// How far the members of a namespace have come with a migration. Spec: 30, section 10.
    public func getMigrationStatus(_ namespaceId: String) async throws -> MigrationStatus {
        try await flat(AdminEndpoints.migrationStatus, namespaceId)
    }

    /// The upgrades of the groups of a namespace. Spec: 30, section 10.
    public func getCascadeStatus(_ namespaceId: String) async throws -> [CascadeStatusEntry] {
        try await enveloped(AdminEndpoints.cascadeStatus, namespaceId)
    }

    /// Stops a migration; contexts that were migrated stay so. The answer's `aborted` is false when nothing was pending.
    /// Spec: 30, section 10.
    public func abortMigration(_ namespaceId: String, request: [String: JSONValue]? = nil) async throws -> JSONValue {
        try await json(AdminEndpoints.abortMigration, namespaceId, body: Self.object(request))
    }
}
