/// What the SDK asks a registry, which is no node. Spec: 20, section 5.4.
enum RegistryEndpoints {
    static let bundles = Endpoint<[JSONValue]>(.get, "/api/v2/bundles", isBrief: true)

    static let manifest = Endpoint<JSONValue>(.get, "/api/v2/bundles/{package}/{version}", isBrief: true)

    static let all: [any EndpointDescription] = [bundles, manifest]
}

extension AdminApi {
    /// The versions of a package that a registry has, newest first, without those that were withdrawn.
    ///
    /// Asks the registry itself; the node's token stays with the node.
    ///
    /// - Parameters:
    ///   - registryUrl: any URL of the registry: scheme, host and port count.
    ///   - packageName: the package, e.g. `com.example.notes`.
    ///
    /// Throws `MeroError.emptyResponse` for a URL without those, and for an answer other than 2xx. Spec: 20, section 5.4, and 70,
    /// section 12.
    public func getRegistryVersions(registryUrl: String, packageName: String) async throws -> [String] {
        guard let origin = Self.origin(of: registryUrl) else {
            throw MeroError.emptyResponse("Not the URL of a registry: \(registryUrl)")
        }
        do {
            let bundles = try await RegistryListing.rows(of: packageName, at: origin, http)
            return bundles.filter { !$0.flag("yanked") }.compactMap { $0.text("appVersion") }
                .sorted { compareSemver($0, $1) > 0 }
        } catch MeroError.http(let error) {
            throw MeroError.emptyResponse("The registry has no versions of \(packageName): \(error.message)")
        }
    }

    /// Scheme, host and port; nil for what is no web address. One with a user name or a password is none.
    private static func origin(of url: String) -> String? {
        guard let separator = url.range(of: "://"),
            let target = RequestTarget(url[..<separator.lowerBound].lowercased() + url[separator.lowerBound...])
        else { return nil }
        let origin = target.origin
        let isUsual = origin.port == (origin.scheme == "https" ? 443 : 80)
        return "\(origin.scheme)://\(origin.host)" + (isUsual ? "" : ":\(origin.port)")
    }
}

/// Compares two versions: positive when `a` is newer, negative when `b` is, 0 when they are the same.
///
/// Part by part, between the dots: as numbers if both are some, else as texts. A missing part counts as 0. Only the sign
/// means anything. Spec: 20, section 5.4.
public func compareSemver(_ a: String, _ b: String) -> Int {
    let left = a.split(separator: ".", omittingEmptySubsequences: false)
    let right = b.split(separator: ".", omittingEmptySubsequences: false)
    for index in 0..<max(left.count, right.count) {
        let one = index < left.count ? left[index] : "0"
        let other = index < right.count ? right[index] : "0"
        if let first = Int(one), let second = Int(other), first != second { return first < second ? -1 : 1 }
        if one != other { return one < other ? -1 : 1 }
    }
    return 0
}
