/// The account that a node belongs to, and its devices.
///
/// Spec: 30, section 11.
extension AdminApi {
    /// The devices of the node's account.
    public func listAccountDevices() async throws -> [AccountDeviceEntry] {
        try await flat(AdminEndpoints.accountDevices).devices
    }

    /// The applications that the account uses; one without a namespace is not among them.
    public func listAccountApplications() async throws -> [AccountApplicationEntry] {
        try await flat(AdminEndpoints.accountApplications).applications
    }

    /// Begins to pair this node with an account whose root another node holds. People then compare the answer's
    /// `confirmationCode` on both.
    public func accountPairInit(_ request: AccountPairInitRequest) async throws -> PairDeviceInitResponseData {
        try await enveloped(AdminEndpoints.accountPairInit, body: .encoding(request))
    }

    /// Certifies a device that `accountPairInit` was called on; to be called on the node that holds the root.
    public func accountPairComplete(
        _ request: AccountPairCompleteRequest
    ) async throws -> PairDeviceCompleteResponseData {
        try await enveloped(AdminEndpoints.accountPairComplete, body: .encoding(request))
    }

    /// Binds a device wherever it should be and is not. Nothing is taken away.
    public func relinkDevice(
        _ deviceId: String, request: RelinkDeviceRequest = RelinkDeviceRequest()
    ) async throws -> RelinkDeviceResponseData {
        try await enveloped(AdminEndpoints.relinkDevice, deviceId, body: .encoding(request))
    }

    /// Replaces the applications that a device may speak for.
    public func rescopeDevice(
        _ deviceId: String, request: RescopeDeviceRequest
    ) async throws -> RescopeDeviceResponseData {
        try await enveloped(AdminEndpoints.rescopeDevice, deviceId, body: .encoding(request))
    }

    /// Names a device. Too often is a 429.
    public func labelDevice(_ deviceId: String, request: LabelDeviceRequest) async throws -> LabelDeviceResponseData {
        try await enveloped(AdminEndpoints.labelDevice, deviceId, body: .encoding(request))
    }

    /// Lets the root of the node's account sign for one of a few purposes.
    public func signWithAccountRoot(
        _ request: AccountSignWithRootRequest
    ) async throws -> AccountSignWithRootResponseData {
        try await enveloped(AdminEndpoints.signWithAccountRoot, body: .encoding(request))
    }

    /// Lets the node seal something for the devices of one account. Who sealed it cannot be told from it.
    public func sealToAccount(
        _ groupId: String, account: String, request: SealToAccountRequest
    ) async throws -> SealedEnvelope {
        try await enveloped(AdminEndpoints.sealToAccount, groupId, account, body: .encoding(request))
    }

    /// Withdraws a device, in every namespace and for good.
    public func revokeDevice(
        _ namespaceId: String, request: RevokeDeviceRequest
    ) async throws -> RevokeDeviceResponseData {
        try AdminInput.proof(request.proof, "proof")
        return try await enveloped(AdminEndpoints.revokeDevice, namespaceId, body: .encoding(request))
    }

    /// Binds the device of an account that the node does not hold.
    public func linkAccountDevice(
        _ namespaceId: String, request: LinkAccountDeviceRequest
    ) async throws -> LinkAccountDeviceResponseData {
        try await enveloped(AdminEndpoints.linkAccountDevice, namespaceId, body: .encoding(request))
    }
}
