/// Spec: 20, section 6.10.
extension AdminEndpoints {
    static let teeInfo = Endpoint<ApiResponse<TeeInfoResponseData>>(.get, "/admin-api/tee/info", isBrief: true)
    static let teeAttest = Endpoint<ApiResponse<TeeAttestResponseData>>(
        .post, "/admin-api/tee/attest", isBrief: true)
    static let teeRegistrationAttest = Endpoint<ApiResponse<TeeAttestResponseData>>(
        .post, "/admin-api/tee/registration-attest", isBrief: true)

    static let tee: [any EndpointDescription] = [
        teeInfo, teeAttest, teeRegistrationAttest,
    ]
}
