@testable import MeroKit

/// The routes of the admin API as the contract lists them, every id a pair of braces.
enum AdminRoutes {
    /// Spec 20, section 2, the rows marked P1.
    static let nodes = lines(
        """
        GET /admin-api/health
        GET /admin-api/ready
        GET /admin-api/is-authed
        GET /admin-api/tee/info
        GET /admin-api/identity
        GET /admin-api/peers
        GET /admin-api/network/status
        GET /admin-api/usage
        GET /admin-api/applications
        GET /admin-api/packages
        GET /admin-api/contexts
        GET /admin-api/blobs
        POST /admin-api/tee/attest
        POST /admin-api/install-application
        POST /admin-api/install-dev-application
        POST /admin-api/contexts
        POST /admin-api/identity/context
        POST /admin-api/contexts/sync
        POST /admin-api/tee/registration-attest
        PUT /admin-api/blobs
        GET /admin-api/applications/{}
        GET /admin-api/applications/{}/abi
        GET /admin-api/applications/{}/versions
        GET /admin-api/packages/{}/versions
        GET /admin-api/packages/{}/latest
        GET /admin-api/contexts/{}
        GET /admin-api/contexts/{}/storage
        GET /admin-api/contexts/{}/identities
        GET /admin-api/contexts/{}/identities-owned
        GET /admin-api/contexts/{}/group
        GET /admin-api/contexts/for-application/{}
        GET /admin-api/contexts/with-executors/for-application/{}
        GET /admin-api/blobs/{}
        DELETE /admin-api/applications/{}
        DELETE /admin-api/contexts/{}
        DELETE /admin-api/blobs/{}
        POST /admin-api/contexts/{}/application
        POST /admin-api/contexts/{}/resync
        POST /admin-api/contexts/{}/join
        POST /admin-api/contexts/{}/leave
        POST /admin-api/contexts/sync/{}
        HEAD /admin-api/blobs/{}
        POST /admin-api/alias/create/context
        POST /admin-api/alias/create/application
        POST /admin-api/alias/create/device
        POST /admin-api/alias/lookup/context/{}
        POST /admin-api/alias/lookup/application/{}
        POST /admin-api/alias/lookup/device/{}
        POST /admin-api/alias/delete/context/{}
        POST /admin-api/alias/delete/application/{}
        POST /admin-api/alias/delete/device/{}
        GET /admin-api/alias/list/context
        GET /admin-api/alias/list/application
        GET /admin-api/alias/list/device
        """)

    /// Spec 20, section 2, the rows marked P2, and spec 30, section 2.
    static let groups = lines(
        """
        POST /admin-api/groups
        POST /admin-api/groups/join
        POST /admin-api/groups/{}/reparent
        POST /admin-api/groups/{}/members
        POST /admin-api/groups/{}/members/remove
        POST /admin-api/groups/{}/accounts/{}/seal
        POST /admin-api/groups/{}/leave
        POST /admin-api/groups/{}/transfer-ownership
        POST /admin-api/groups/{}/owner-delete
        POST /admin-api/groups/{}/contexts/{}/remove
        POST /admin-api/groups/{}/upgrade
        POST /admin-api/groups/{}/upgrade/retry
        POST /admin-api/groups/{}/migration/abort
        POST /admin-api/groups/{}/issue-ownership-proof
        POST /admin-api/groups/{}/issue-namespace-ownership-proof
        POST /admin-api/groups/{}/sync
        POST /admin-api/groups/{}/join-via-inheritance
        POST /admin-api/groups/{}/invite
        POST /admin-api/account/pair-init
        POST /admin-api/account/pair-complete
        POST /admin-api/account/sign-with-root
        POST /admin-api/account/devices/{}/relink
        POST /admin-api/namespaces
        POST /admin-api/namespaces/{}/invite
        POST /admin-api/namespaces/{}/join
        POST /admin-api/namespaces/{}/admit
        POST /admin-api/namespaces/{}/leave
        POST /admin-api/namespaces/{}/admin
        POST /admin-api/namespaces/{}/account/revoke
        POST /admin-api/namespaces/{}/account/link-device
        POST /admin-api/namespaces/{}/groups
        GET /admin-api/groups/{}
        GET /admin-api/groups/{}/contexts
        GET /admin-api/groups/{}/subgroups
        GET /admin-api/groups/{}/members
        GET /admin-api/groups/{}/member-devices
        GET /admin-api/groups/{}/metadata
        GET /admin-api/groups/{}/members/{}/metadata
        GET /admin-api/groups/{}/contexts/{}/metadata
        GET /admin-api/groups/{}/upgrade/status
        GET /admin-api/groups/{}/cascade-status
        GET /admin-api/groups/{}/migration-status
        GET /admin-api/groups/{}/members/{}/capabilities
        GET /admin-api/groups/{}/settings/tee-admission-policy
        GET /admin-api/account/devices
        GET /admin-api/account/applications
        GET /admin-api/namespaces
        GET /admin-api/namespaces/{}
        GET /admin-api/namespaces/for-application/{}
        GET /admin-api/namespaces/{}/groups
        PUT /admin-api/groups/{}/members/{}/role
        PUT /admin-api/groups/{}/metadata
        PUT /admin-api/groups/{}/members/{}/metadata
        PUT /admin-api/groups/{}/contexts/{}/metadata
        PUT /admin-api/groups/{}/members/{}/capabilities
        PUT /admin-api/groups/{}/members/{}/auto-follow
        PUT /admin-api/groups/{}/settings/default-capabilities
        PUT /admin-api/groups/{}/settings/tee-admission-policy
        PUT /admin-api/groups/{}/settings/tee-authoring-policy
        PUT /admin-api/groups/{}/settings/subgroup-visibility
        PUT /admin-api/account/devices/{}/scope
        PUT /admin-api/account/devices/{}/label
        DELETE /admin-api/groups/{}
        DELETE /admin-api/groups/{}/settings/tee-authoring-policy
        DELETE /admin-api/namespaces/{}
        """)

    /// Those among them by which something is written for somebody else, or read as one. They stand with what signs it.
    static let delegated = lines(
        """
        GET /admin-api/contexts/{}/intents
        POST /admin-api/contexts/{}/intents
        POST /admin-api/contexts/{}/presence-intents
        POST /admin-api/contexts/{}/query
        GET /admin-api/groups/{}/context-intents
        POST /admin-api/groups/{}/context-intents
        GET /admin-api/groups/{}/governance-intents
        POST /admin-api/groups/{}/governance-intents
        """)

    /// Not served by nodes of rc.83, and called all the same: spec 20, section 6.5.
    static let newer = lines(
        """
        GET /admin-api/contexts/{}/warrant-nonce/{}
        POST /admin-api/contexts/{}/warrant-nonce
        """)

    /// Served, and not called: spec 20, section 6.10, and spec 30, section 14.
    static let notCalled = lines(
        """
        POST /admin-api/tee/fleet-join
        GET /admin-api/tee/release
        """)

    /// Not served any more, or never: spec 20, section 2, and spec 30, section 14.
    static let gone = lines(
        """
        GET /admin-api/certificate
        POST /admin-api/tee/verify-quote
        GET /admin-api/groups
        PATCH /admin-api/groups/{}
        GET /admin-api/namespaces/{}/identity
        POST /admin-api/contexts/invite-specialized-node
        POST /admin-api/uninstall-application
        POST /admin-api/groups/{}/nest
        POST /admin-api/groups/{}/unnest
        """)

    private static func lines(_ text: String) -> Set<String> { Set(text.split(separator: "\n").map(String.init)) }

    /// `GET /admin-api/contexts/{}` of an endpoint.
    static func route(_ endpoint: any EndpointDescription) -> String {
        let path = endpoint.template.split(separator: "/").map { $0.first == "{" ? "{}" : String($0) }
        return "\(endpoint.method.rawValue) /\(path.joined(separator: "/"))"
    }
}
