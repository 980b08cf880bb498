import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gets the signed release of a version. It is not trusted: at worst it does not answer.
public typealias NodeReleaseSource = @Sendable (_ version: String) async throws -> NodeRelease

/// Where signed releases are mirrored.
///
/// Spec: 80, section 7.6.
public enum NodeReleaseMirror {
    /// The cloud's.
    public static let defaultURL = RelayOrigin.url("https://cloud.calimero.network")
}

/// Gets a signed release from a mirror.
///
/// Throws `AttestationError` for what is no version and for an answer that is no release, `MeroError` when the mirror does not
/// answer, and `CancellationError`. Spec: 80, section 7.6.
///
/// - Parameters:
///   - version: E.g. `2.3.87`.
///   - mirror: The mirror's origin.
///   - session: Nil takes the platform's default HTTP stack.
///   - timeout: Seconds without progress before the request fails; as a whole it may take three times as long.
///   - options: Limits and trust. The mirror is no node: sealing plays no part.
public func fetchNodeRelease(
    _ version: String, mirror: URL = NodeReleaseMirror.defaultURL, session: URLSession? = nil,
    timeout: TimeInterval = 15, options: HttpOptions = HttpOptions()
) async throws -> NodeRelease {
    try await fetchNodeRelease(
        version,
        from: URLSessionHttpClient(
            baseURL: mirror, timeout: timeout, engine: EngineChoice.carrier(session: session, options: options),
            options: options))
}

/// The same over a client whose base is the mirror's origin.
public func fetchNodeRelease(_ version: String, from http: any HttpClient) async throws -> NodeRelease {
    guard ReleaseVersion(version) != nil else {
        throw AttestationError(.invalidInput, "The release's version is not a version")
    }
    // All that a version can have in it stands for itself in a path, but for the mark of a build.
    let segment = version.replacingOccurrences(of: "+", with: "%2B")
    var request = HttpRequest(
        path: "/api/tee/node-releases/\(segment)", headers: ["Accept": "application/json"])
    request.isBrief = true
    let (body, _) = try await http.sendRaw(request)
    guard let data = (try? JSONValue(jsonBytes: body))?["data"], let answered = data["version"]?.stringValue,
        let publishedMrtds = data["publishedMrtds"]?.stringValue, let bundle = data["bundle"]?.stringValue
    else { throw AttestationError(.malformed, "The mirror did not answer with a signed node release") }
    guard answered == version else {
        throw AttestationError(.refused, "The mirror did not answer with the release that was asked for")
    }
    return NodeRelease(version: version, publishedMrtds: publishedMrtds, bundle: bundle)
}

/// Asks a node which release it says to run.
///
/// Throws `AttestationError` when the image is not one of a release, `MeroError` when the node does not answer, and
/// `CancellationError`. Spec: 80, section 7.6.
///
/// - Parameters:
///   - admin: Of the node.
///   - releaseVersion: Taken when the node tells such things to sealed requests only; nil: that throws.
public func fetchNodeReleaseVersion(admin: AdminApi, releaseVersion: String? = nil) async throws -> String {
    do {
        return try nodeReleaseVersion(fromImage: try await admin.getTeeInfo().osImage)
    } catch MeroError.http(let refusal)
        where refusal.status == 403 && refusal.sealedRefusal?.code == "sealed_required"
    {
        guard let releaseVersion else {
            throw AttestationError(
                .unsupported, "The node tells its release to sealed requests only: name the release version yourself")
        }
        guard ReleaseVersion(releaseVersion) != nil else {
            throw AttestationError(.invalidInput, "The release's version is not a version")
        }
        return releaseVersion
    }
}
