import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Which redirects are followed: to the same host and port, or from `http` to `https` of the same host; 301, 302 and 303
/// for GET and HEAD only, 307 and 308 for every method. Anything else is an answer like any other.
enum RedirectRule {
    /// One call follows at most this many.
    static let limit = 5

    /// The next URL, nil when this answer is to be taken as it is.
    static func next(after response: EngineResponse, method: HTTPMethod, from target: RequestTarget) -> RequestTarget? {
        switch response.status {
        case 301, 302, 303: guard method == .get || method == .head else { return nil }
        case 307, 308: break
        default: return nil
        }
        guard let location = response.headers["location"], let base = URL(string: target.url),
            let resolved = URL(string: location, relativeTo: base)?.absoluteString,
            let next = RequestTarget(resolved), next.origin.host == target.origin.host
        else { return nil }
        let sameOrigin = next.origin == target.origin
        let upgrade = target.origin.scheme == "http" && next.origin.scheme == "https"
        return sameOrigin || upgrade ? next : nil
    }
}
