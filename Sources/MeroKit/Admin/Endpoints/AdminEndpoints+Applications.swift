/// Spec: 20, sections 5.4 and 5.5.
extension AdminEndpoints {
    static let installApplication = Endpoint<ApiResponse<InstallApplicationResponseData>>(
        .post, "/admin-api/install-application")
    static let installDevApplication = Endpoint<ApiResponse<InstallApplicationResponseData>>(
        .post, "/admin-api/install-dev-application")
    static let uninstallApplication = Endpoint<ApiResponse<UninstallApplicationResponseData>>(
        .delete, "/admin-api/applications/{appId}")
    static let listApplications = Endpoint<ApiResponse<ListApplicationsResponseData>>(.get, "/admin-api/applications")
    static let getApplication = Endpoint<ApiResponse<GetApplicationResponseData>>(
        .get, "/admin-api/applications/{appId}")
    static let applicationVersions = Endpoint<ApiResponse<[ApplicationVersionEntry]>>(
        .get, "/admin-api/applications/{applicationId}/versions")
    static let applicationAbi = Endpoint<ApiResponse<ApplicationAbi>>(
        .get, "/admin-api/applications/{applicationId}/abi")
    static let listPackages = Endpoint<FlatReply<ListPackagesResponseData>>(.get, "/admin-api/packages")
    static let packageVersions = Endpoint<FlatReply<ListVersionsResponseData>>(
        .get, "/admin-api/packages/{package}/versions")
    static let latestPackageVersion = Endpoint<GetLatestVersionResponseData>(
        .get, "/admin-api/packages/{package}/latest")

    static let applications: [any EndpointDescription] = [
        installApplication, installDevApplication, uninstallApplication, listApplications, getApplication,
        applicationVersions, applicationAbi, listPackages, packageVersions, latestPackageVersion,
    ]
}
