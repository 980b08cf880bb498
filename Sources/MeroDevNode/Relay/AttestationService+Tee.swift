import Foundation
import MeroKit

/// What there is below `/tee` beside `attest`.
///
/// Spec: 20, section 6.10, and 80, sections 2.2 and 2.3.
extension AttestationService {
    private static let mostAddresses = 64
    private static let longestAddress = 512
    private static let registrationDomain = Data(Digest.sha256(Array("calimero.tee-registration-attest.v1".utf8)))

    func info() -> DevHttpResponse {
        guard let tee else {
            return NodeRefusal(500, "Failed to get TEE info: this machine is no TDX guest").response
        }
        return .json(
            200,
            [
                "data": [
                    "cloudProvider": .string(tee.cloudProvider), "osImage": .string(tee.osImage),
                    "mrtd": .string(tee.mrtd),
                ]
            ])
    }

    func registrationAttest(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let body = try AdminBody.read(call.request, ["nonce"], limit: bodyLimit)
            let nonce = try Self.nonce(try body { try $0.string("nonce") })
            return RelayService.data(answer(nonce + Self.registrationDomain, bindsNodeKey: false))
        }
    }

    /// Announces the node to a group. It is in when the group has its account already; nobody else could let it in while
    /// the call waits.
    func fleetJoin(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let body = try AdminBody.read(call.request, ["groupId", "admitterAddrs"], limit: bodyLimit)
            let (group, addresses) = try body { (try $0.id("groupId"), try $0.optionalStrings("admitterAddrs") ?? []) }
            guard addresses.count <= Self.mostAddresses else {
                throw NodeRefusal(
                    400,
                    "Field 'admitterAddrs' exceeds maximum of \(Self.mostAddresses) entries (got \(addresses.count))")
            }
            var checks = BodyCheck()
            for address in addresses { checks.text("admitterAddrs", address, max: Self.longestAddress) }
            try checks.finish()
            let account = identity.accountId
            let (namespace, isMember, joined) = groups.read { state in
                (
                    state.namespace(of: group), state.role(of: account, in: group) != nil,
                    state[group]?.contexts ?? []
                )
            }
            return .json(
                200,
                [
                    "status": isMember ? "joined" : "announced", "group_id": .string(group),
                    "namespace_id": .string(namespace ?? group), "public_key": .string(Hex.encode(nodeKey)),
                    "account": .string(account), "admitted": .bool(isMember),
                    "auto_follow_enabled": .bool(isMember), "contexts_joined": JsonTree(isMember ? joined : []),
                ])
        }
    }
}
