/// Spec: 20, section 6.9.
extension AdminEndpoints {
    static let createContextAlias = Endpoint<Empty>(.post, "/admin-api/alias/create/context")
    static let createApplicationAlias = Endpoint<Empty>(.post, "/admin-api/alias/create/application")
    static let createDeviceAlias = Endpoint<Empty>(.post, "/admin-api/alias/create/device")
    static let lookupContextAlias = Endpoint<ApiResponse<LookupAliasResponseData>>(
        .post, "/admin-api/alias/lookup/context/{name}")
    static let lookupApplicationAlias = Endpoint<ApiResponse<LookupAliasResponseData>>(
        .post, "/admin-api/alias/lookup/application/{name}")
    static let lookupDeviceAlias = Endpoint<ApiResponse<LookupAliasResponseData>>(
        .post, "/admin-api/alias/lookup/device/{name}")
    static let deleteContextAlias = Endpoint<Empty>(.post, "/admin-api/alias/delete/context/{name}")
    static let deleteApplicationAlias = Endpoint<Empty>(.post, "/admin-api/alias/delete/application/{name}")
    static let deleteDeviceAlias = Endpoint<Empty>(.post, "/admin-api/alias/delete/device/{name}")
    static let listContextAliases = Endpoint<ApiResponse<ListAliasesResponseData>>(
        .get, "/admin-api/alias/list/context")
    static let listApplicationAliases = Endpoint<ApiResponse<ListAliasesResponseData>>(
        .get, "/admin-api/alias/list/application")
    static let listDeviceAliases = Endpoint<ApiResponse<ListAliasesResponseData>>(.get, "/admin-api/alias/list/device")

    static let aliases: [any EndpointDescription] = [
        createContextAlias, createApplicationAlias, createDeviceAlias, lookupContextAlias, lookupApplicationAlias,
        lookupDeviceAlias, deleteContextAlias, deleteApplicationAlias, deleteDeviceAlias, listContextAliases,
        listApplicationAliases, listDeviceAliases,
    ]
}
