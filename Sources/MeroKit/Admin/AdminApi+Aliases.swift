extension AdminApi {
    /// Gives a context a name on this node. A name that is taken is a 409, one that is none a 400 or 422 in plain text.
    /// Spec: 20, section 6.9.
    public func createContextAlias(_ request: CreateContextAliasRequest) async throws -> CreateAliasResponseData {
        try await acknowledged(AdminEndpoints.createContextAlias, body: .encoding(request))
        return Empty()
    }

    /// Gives an application a name on this node. A name that is taken is a 409, one that is none a 400 or 422 in plain text.
    /// Spec: 20, section 6.9.
    public func createApplicationAlias(_ request: CreateApplicationAliasRequest) async throws -> CreateAliasResponseData
    {
        try await acknowledged(AdminEndpoints.createApplicationAlias, body: .encoding(request))
        return Empty()
    }

    /// Gives a device a name on this node. A name that is taken is a 409, one that is none a 400 or 422 in plain text.
    /// Spec: 20, section 6.9.
    public func createDeviceAlias(_ request: CreateDeviceAliasRequest) async throws -> CreateAliasResponseData {
        try await acknowledged(AdminEndpoints.createDeviceAlias, body: .encoding(request))
        return Empty()
    }

    /// The context of that name on this node; no value for an unknown name. Spec: 20, section 6.9.
    public func lookupContextAlias(_ name: String) async throws -> LookupAliasResponseData {
        try await enveloped(AdminEndpoints.lookupContextAlias, name, body: .emptyObject)
    }

    /// The application of that name on this node; no value for an unknown name. Spec: 20, section 6.9.
    public func lookupApplicationAlias(_ name: String) async throws -> LookupAliasResponseData {
        try await enveloped(AdminEndpoints.lookupApplicationAlias, name, body: .emptyObject)
    }

    /// The device of that name on this node; no value for an unknown name. Spec: 20, section 6.9.
    public func lookupDeviceAlias(_ name: String) async throws -> LookupAliasResponseData {
        try await enveloped(AdminEndpoints.lookupDeviceAlias, name, body: .emptyObject)
    }

    /// Takes the name of a context away. An unknown name is no error. Spec: 20, section 6.9.
    public func deleteContextAlias(_ name: String) async throws -> DeleteAliasResponseData {
        try await acknowledged(AdminEndpoints.deleteContextAlias, name, body: .emptyObject)
        return Empty()
    }

    /// Takes the name of an application away. An unknown name is no error. Spec: 20, section 6.9.
    public func deleteApplicationAlias(_ name: String) async throws -> DeleteAliasResponseData {
        try await acknowledged(AdminEndpoints.deleteApplicationAlias, name, body: .emptyObject)
        return Empty()
    }

    /// Takes the name of a device away. An unknown name is no error. Spec: 20, section 6.9.
    public func deleteDeviceAlias(_ name: String) async throws -> DeleteAliasResponseData {
        try await acknowledged(AdminEndpoints.deleteDeviceAlias, name, body: .emptyObject)
        return Empty()
    }

    /// The names of contexts on this node. Spec: 20, section 6.9.
    public func listContextAliases() async throws -> ListAliasesResponseData {
        try await enveloped(AdminEndpoints.listContextAliases)
    }

    /// The names of applications on this node. Spec: 20, section 6.9.
    public func listApplicationAliases() async throws -> ListAliasesResponseData {
        try await enveloped(AdminEndpoints.listApplicationAliases)
    }

    /// The names of devices on this node. Spec: 20, section 6.9.
    public func listDeviceAliases() async throws -> ListAliasesResponseData {
        try await enveloped(AdminEndpoints.listDeviceAliases)
    }
}
