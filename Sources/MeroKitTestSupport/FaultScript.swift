import Foundation
import MeroDevNode
import MeroKit

/// What goes wrong, in order, written as `METHOD path`.
///
/// ```swift
/// FaultScript([
///     ("GET /api/cloud/accounts/*", .status(503)),
///     ("GET /api/cloud/accounts/*", .cutMidBody(after: 4)),
/// ]).play(on: test.cloud)
/// ```
/// The routes are the server's; each step strikes one request, in the order in which the steps stand.
public struct FaultScript: Sendable {
    private let steps: [(route: DevRouteMatch, fault: DevFault)]

    /// Each step strikes one request.
    public init(_ steps: [(DevRouteMatch, DevFault)]) { self.steps = steps.map { (route: $0.0, fault: $0.1) } }

    /// Hands the script to a node or a cloud. The handles tell which steps have struck.
    @discardableResult
    public func play(on server: any FaultTaking) -> [DevFaultHandle] {
        steps.map { server.inject($0.fault, on: $0.route, times: 1) }
    }
}

/// What can be made to misbehave, route by route, and tells what arrived.
public protocol FaultTaking: Sendable {
    /// What arrived, in order.
    var requests: [DevRequestRecord] { get }
    /// Makes requests for a route go wrong.
    @discardableResult
    func inject(_ fault: DevFault, on route: DevRouteMatch, times: Int?) -> DevFaultHandle
    /// Removes every fault.
    func removeFaults()
}

extension FaultTaking {
    /// The requests that arrived for a method and a path, which may end in `*`.
    public func requests(_ method: String, _ path: String) -> [CapturedRequest] {
        requests.filter { record in
            record.method == method
                && (path.hasSuffix("*") ? record.path.hasPrefix(path.dropLast()) : record.path == path)
        }.map { record in
            CapturedRequest(
                method: record.method, path: record.path, query: nil, body: record.body.isEmpty ? nil : record.body,
                authorization: record.headers["authorization"])
        }
    }
}

extension DevNode: FaultTaking {}
extension DevCloud: FaultTaking {}
