import Foundation

/// Calls of the admin API that have no form an account could have a relay carry out. Each throws
/// `MeroTransportError.relayHasNo`, which names it, and sends nothing; the owner of a node makes them through `AdminApi`.
///
/// Spec: 30, section 12.4; 60, section 10.4.
extension DelegatedAdmin {
    private static let releases = "which release a group runs is decided by who owns a node of it"
    private static let software = "what is installed on a node is decided by its owner"
    private static let holdings = "what a node holds is decided by its owner"
    private static let names = "aliases are names on one node, for its owner"
    private static let machines = "which attested machines come in is decided with the owner's root"
    private static let subgroups = "an account is invited to a namespace: createNamespaceInvitation and joinNamespace"
    private static let devices = "the devices of an account are kept by whoever holds its root"

    private static func refusal(_ why: String, _ name: StaticString) -> MeroTransportError {
        .relayHasNo(surface: "\(name)", why: why)
    }

    // MARK: Upgrades

    /// Refused by name.
    public func upgradeGroup(_ groupId: String, request: UpgradeGroupRequest) async throws -> UpgradeGroupResponseData {
        throw Self.refusal(Self.releases, "upgradeGroup")
    }

    /// Refused by name.
    public func retryGroupUpgrade(
        _ groupId: String, request: RetryGroupUpgradeRequest? = nil
    ) async throws -> RetryGroupUpgradeResponseData { throw Self.refusal(Self.releases, "retryGroupUpgrade") }

    /// Refused by name.
    public func abortMigration(_ namespaceId: String, request: [String: JSONValue]? = nil) async throws -> JSONValue {
        throw Self.refusal(Self.releases, "abortMigration")
    }

    // MARK: Applications

    /// Refused by name.
    public func installApplication(
        _ request: InstallApplicationRequest
    ) async throws -> InstallApplicationResponseData { throw Self.refusal(Self.software, "installApplication") }

    /// Refused by name.
    public func installFromRegistry(
        packageName: String, version: String
    ) async throws -> InstallApplicationResponseData { throw Self.refusal(Self.software, "installFromRegistry") }

    /// Refused by name.
    public func installDevApplication(
        _ request: InstallDevApplicationRequest
    ) async throws -> InstallApplicationResponseData { throw Self.refusal(Self.software, "installDevApplication") }

    /// Refused by name.
    public func uninstallApplication(_ appId: String) async throws -> UninstallApplicationResponseData {
        throw Self.refusal(Self.software, "uninstallApplication")
    }

    // MARK: What a node holds

    /// Refused by name.
    public func generateContextIdentity() async throws -> GenerateContextIdentityResponseData {
        throw Self.refusal(
            "an account acts through its own device, not through a key of the relay", "generateContextIdentity")
    }

    /// Refused by name.
    public func deleteContext(
        _ contextId: String, request: DeleteContextRequest? = nil
    ) async throws -> DeleteContextResponseData { throw Self.refusal(Self.holdings, "deleteContext") }

    /// Refused by name.
    public func leaveContext(_ contextId: String, request: [String: JSONValue]? = nil) async throws {
        throw Self.refusal(Self.holdings, "leaveContext")
    }

    /// Refused by name.
    public func deleteNamespace(
        _ namespaceId: String, request: DeleteNamespaceRequest? = nil
    ) async throws -> DeleteNamespaceResponseData { throw Self.refusal(Self.holdings, "deleteNamespace") }

    /// Refused by name.
    public func deleteBlob(_ blobId: String) async throws -> DeleteBlobResponseData {
        throw Self.refusal(Self.holdings, "deleteBlob")
    }

    // MARK: Aliases

    /// Refused by name.
    public func createContextAlias(_ request: CreateContextAliasRequest) async throws -> CreateAliasResponseData {
        throw Self.refusal(Self.names, "createContextAlias")
    }

    /// Refused by name.
    public func createApplicationAlias(
        _ request: CreateApplicationAliasRequest
    ) async throws -> CreateAliasResponseData { throw Self.refusal(Self.names, "createApplicationAlias") }

    /// Refused by name.
    public func createDeviceAlias(_ request: CreateDeviceAliasRequest) async throws -> CreateAliasResponseData {
        throw Self.refusal(Self.names, "createDeviceAlias")
    }

    /// Refused by name.
    public func lookupContextAlias(_ name: String) async throws -> LookupAliasResponseData {
        throw Self.refusal(Self.names, "lookupContextAlias")
    }

    /// Refused by name.
    public func lookupApplicationAlias(_ name: String) async throws -> LookupAliasResponseData {
        throw Self.refusal(Self.names, "lookupApplicationAlias")
    }

    /// Refused by name.
    public func lookupDeviceAlias(_ name: String) async throws -> LookupAliasResponseData {
        throw Self.refusal(Self.names, "lookupDeviceAlias")
    }

    /// Refused by name.
    public func deleteContextAlias(_ name: String) async throws -> DeleteAliasResponseData {
        throw Self.refusal(Self.names, "deleteContextAlias")
    }

    /// Refused by name.
    public func deleteApplicationAlias(_ name: String) async throws -> DeleteAliasResponseData {
        throw Self.refusal(Self.names, "deleteApplicationAlias")
    }

    /// Refused by name.
    public func deleteDeviceAlias(_ name: String) async throws -> DeleteAliasResponseData {
        throw Self.refusal(Self.names, "deleteDeviceAlias")
    }

    /// Refused by name.
    public func listContextAliases() async throws -> ListAliasesResponseData {
        throw Self.refusal(Self.names, "listContextAliases")
    }

    /// Refused by name.
    public func listApplicationAliases() async throws -> ListAliasesResponseData {
        throw Self.refusal(Self.names, "listApplicationAliases")
    }

    /// Refused by name.
    public func listDeviceAliases() async throws -> ListAliasesResponseData {
        throw Self.refusal(Self.names, "listDeviceAliases")
    }

    // MARK: Invitations to subgroups

    /// Refused by name.
    public func createGroupInvitation(
        _ groupId: String, request: CreateGroupInvitationRequest? = nil
    ) async throws -> CreateGroupInvitationResult { throw Self.refusal(Self.subgroups, "createGroupInvitation") }

    /// Refused by name.
    public func joinGroup(_ request: JoinGroupRequest) async throws -> JoinGroupResponseData {
        throw Self.refusal(Self.subgroups, "joinGroup")
    }

    // MARK: Attested machines

    /// Refused by name.
    public func setTeeAdmissionPolicy(_ groupId: String, request: SetTeeAdmissionPolicyRequest) async throws {
        throw Self.refusal(Self.machines, "setTeeAdmissionPolicy")
    }

    /// Refused by name.
    public func getTeeAdmissionPolicy(_ groupId: String) async throws -> GetTeeAdmissionPolicyResponseData {
        throw Self.refusal(Self.machines, "getTeeAdmissionPolicy")
    }

    // MARK: The account's devices

    /// Refused by name.
    public func listAccountDevices() async throws -> [AccountDeviceEntry] {
        throw Self.refusal(Self.devices, "listAccountDevices")
    }

    /// Refused by name.
    public func revokeDevice(
        _ namespaceId: String, request: RevokeDeviceRequest
    ) async throws -> RevokeDeviceResponseData { throw Self.refusal(Self.devices, "revokeDevice") }
}
