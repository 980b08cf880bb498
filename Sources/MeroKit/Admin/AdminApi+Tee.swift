extension AdminApi {
    /// The trusted environment that the node runs in; a 500 where it runs in none. Needs no token. Spec: 20, section 6.10.
    public func getTeeInfo() async throws -> TeeInfoResponseData {
        try await enveloped(AdminEndpoints.teeInfo)
    }

    /// Asks for a quote of the trusted environment; a 501 where there is none. Needs no token. Spec: 20, section 6.10.
    public func teeAttest(_ request: TeeAttestRequest) async throws -> TeeAttestResponseData {
        try await enveloped(AdminEndpoints.teeAttest, body: .encoding(request))
    }

    /// Asks for a quote that serves for registration and nothing else. Needs the `admin` permission. Spec: 20,
    /// section 6.10.
    public func teeRegistrationAttest(_ request: TeeRegistrationAttestRequest) async throws -> TeeAttestResponseData {
        try await enveloped(AdminEndpoints.teeRegistrationAttest, body: .encoding(request))
    }
}
