/// Spec: 30, sections 2.6 and 11.
extension AdminEndpoints {
    static let accountDevices = Endpoint<AccountDevicesResponse>(.get, "/admin-api/account/devices")
    static let accountApplications = Endpoint<AccountApplicationsResponse>(.get, "/admin-api/account/applications")
    static let accountPairInit = Endpoint<ApiResponse<PairDeviceInitResponseData>>(
        .post, "/admin-api/account/pair-init")
    static let accountPairComplete = Endpoint<ApiResponse<PairDeviceCompleteResponseData>>(
        .post, "/admin-api/account/pair-complete")
    static let relinkDevice = Endpoint<ApiResponse<RelinkDeviceResponseData>>(
        .post, "/admin-api/account/devices/{deviceId}/relink")
    static let rescopeDevice = Endpoint<ApiResponse<RescopeDeviceResponseData>>(
        .put, "/admin-api/account/devices/{deviceId}/scope")
    static let labelDevice = Endpoint<ApiResponse<LabelDeviceResponseData>>(
        .put, "/admin-api/account/devices/{deviceId}/label")
    static let signWithAccountRoot = Endpoint<ApiResponse<AccountSignWithRootResponseData>>(
        .post, "/admin-api/account/sign-with-root")
    static let sealToAccount = Endpoint<ApiResponse<SealedEnvelope>>(
        .post, "/admin-api/groups/{groupId}/accounts/{account}/seal")
    static let revokeDevice = Endpoint<ApiResponse<RevokeDeviceResponseData>>(
        .post, "/admin-api/namespaces/{namespaceId}/account/revoke")
    static let linkAccountDevice = Endpoint<ApiResponse<LinkAccountDeviceResponseData>>(
        .post, "/admin-api/namespaces/{namespaceId}/account/link-device")

    static let account: [any EndpointDescription] = [
        accountDevices, accountApplications, accountPairInit, accountPairComplete, relinkDevice, rescopeDevice,
        labelDevice, signWithAccountRoot, sealToAccount, revokeDevice, linkAccountDevice,
    ]
}
