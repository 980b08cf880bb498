/// Spec: 30, section 2.5.
extension AdminEndpoints {
    static let upgradeGroup = Endpoint<ApiResponse<UpgradeGroupResponseData>>(
        .post, "/admin-api/groups/{groupId}/upgrade")
    static let groupUpgradeStatus = Endpoint<NullableReply<GroupUpgradeStatus>>(
        .get, "/admin-api/groups/{groupId}/upgrade/status")
    static let retryGroupUpgrade = Endpoint<ApiResponse<RetryGroupUpgradeResponseData>>(
        .post, "/admin-api/groups/{groupId}/upgrade/retry")
    static let migrationStatus = Endpoint<MigrationStatus>(.get, "/admin-api/groups/{namespaceId}/migration-status")
    static let cascadeStatus = Endpoint<ApiResponse<[CascadeStatusEntry]>>(
        .get, "/admin-api/groups/{namespaceId}/cascade-status")
    static let abortMigration = Endpoint<JSONValue>(.post, "/admin-api/groups/{namespaceId}/migration/abort")

    static let upgrades: [any EndpointDescription] = [
        upgradeGroup, groupUpgradeStatus, retryGroupUpgrade, migrationStatus, cascadeStatus, abortMigration,
    ]
}
