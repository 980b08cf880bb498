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
        guard let tee, status.attestation != .unsupported else {
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
            try checkSupport()
            return RelayService.data(answer(nonce + Self.registrationDomain, bindsNodeKey: false))
        }
    }

    /// The signed release of the image, in its own bytes.
    func release() -> DevHttpResponse {
        guard let release = tee?.release else {
            return NodeRefusal(404, "this node has no signed release of its image").response
        }
        return .json(
            200,
            [
                "data": [
                    "version": .string(release.version), "publishedMrtds": .string(release.publishedMrtds),
                    "bundle": .string(release.bundle),
                ]
            ])
    }

    /// Announces the node to a group. It is in when the group has its account already, and when a node of an
    /// administrator that it reaches finds it to be what the namespace's policy admits.
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
            if let tee, status.attestation == .mock { try admission.announce(tee, to: group) }
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
