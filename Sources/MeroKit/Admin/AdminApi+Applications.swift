extension AdminApi {
    /// Lets the node fetch a package from the registry in its own configuration.
    ///
    /// A 502 means that the registry has nothing by that name, or could not be reached: try again later. Spec: 20,
    /// section 5.4.
    public func installApplication(_ request: InstallApplicationRequest) async throws -> InstallApplicationResponseData
    {
        try await enveloped(AdminEndpoints.installApplication, body: .encoding(request))
    }

    /// The same by name and version.
    public func installFromRegistry(
        packageName: String, version: String
    ) async throws -> InstallApplicationResponseData {
        try await enveloped(
            AdminEndpoints.installApplication,
            body: .encoding(InstallApplicationRequest(package: packageName, version: version)))
    }

    /// Installs a signed `.mpk` bundle that lies on the node's own disk. Needs the `admin` permission.
    ///
    /// What is no such bundle is a 500 whose text stands in `bodyText`. Spec: 20, section 5.4.
    public func installDevApplication(
        _ request: InstallDevApplicationRequest
    ) async throws -> InstallApplicationResponseData {
        try await enveloped(AdminEndpoints.installDevApplication, body: .encoding(request))
    }

    /// Removes an application. Needs the `admin` permission. Spec: 20, section 5.5.
    public func uninstallApplication(_ appId: String) async throws -> UninstallApplicationResponseData {
        try await enveloped(AdminEndpoints.uninstallApplication, appId)
    }

    /// The applications that the node has installed. Spec: 20, section 5.5.
    public func listApplications() async throws -> ListApplicationsResponseData {
        try await enveloped(AdminEndpoints.listApplications)
    }

    /// One application. An unknown one is a 404, on old nodes an answer without an application. Spec: 20, section 5.5.
    public func getApplication(_ appId: String) async throws -> GetApplicationResponseData {
        try await enveloped(AdminEndpoints.getApplication, appId)
    }

    /// The versions of an application that the node has installed. Spec: 20, section 5.5.
    public func listApplicationVersions(_ applicationId: String) async throws -> [ApplicationVersionEntry] {
        try await enveloped(AdminEndpoints.applicationVersions, applicationId)
    }

    /// The interface of an application's newest version. Needs the `admin` permission.
    ///
    /// - Parameters:
    ///   - applicationId: the application, 64 hex characters.
    ///   - serviceName: which service, of an application that has several. Naming none, or one where there is only one,
    ///     is a 400.
    ///
    /// Spec: 20, section 5.5.
    public func getApplicationAbi(_ applicationId: String, serviceName: String? = nil) async throws -> ApplicationAbi {
        try await enveloped(
            AdminEndpoints.applicationAbi, applicationId, query: serviceName.map { [("service_name", $0)] } ?? [])
    }

    /// The packages that the node knows, which are not those of the registry. Spec: 20, section 5.5.
    public func listPackages() async throws -> ListPackagesResponseData {
        try await flat(AdminEndpoints.listPackages)
    }

    /// The versions of a package that the node knows. Spec: 20, section 5.5.
    public func listPackageVersions(_ packageName: String) async throws -> ListVersionsResponseData {
        try await flat(AdminEndpoints.packageVersions, packageName)
    }

    /// The newest version of a package that the node knows; nothing in it for an unknown package. Spec: 20, section 5.5.
    public func getLatestPackageVersion(_ packageName: String) async throws -> GetLatestVersionResponseData {
        try await flat(AdminEndpoints.latestPackageVersion, packageName)
    }
}
