/// The refusals that the contract lists for each route. What all routes have in common is not repeated: 401 without a
/// token, 403 without the scope, 500 when the datastore is gone.
///
/// Spec: 20, sections 1.9, 5 and 6; 30, sections 1.5 and 4 to 11.
enum LiveRefusals {
    /// Statuses by route.
    static let listed: [String: Set<Int>] = table(
        """
        GET /admin-api/health 503
        GET /admin-api/ready 503
        GET /admin-api/tee/info 500
        POST /admin-api/tee/attest 400 404 500 501
        POST /admin-api/tee/registration-attest 400 501
        POST /admin-api/install-application 400 502
        POST /admin-api/install-dev-application 400 403 500
        GET /admin-api/applications/{} 400 404
        GET /admin-api/applications/{}/versions 400 404
        GET /admin-api/applications/{}/abi 400 404
        DELETE /admin-api/applications/{} 400 500
        PUT /admin-api/blobs 400 500
        GET /admin-api/blobs/{} 400 404
        HEAD /admin-api/blobs/{} 400 404
        DELETE /admin-api/blobs/{} 400 403 404
        POST /admin-api/contexts 400 403 404 409 503
        GET /admin-api/contexts/{} 400 404
        DELETE /admin-api/contexts/{} 400 404
        GET /admin-api/contexts/{}/storage 400
        GET /admin-api/contexts/{}/identities 404
        GET /admin-api/contexts/{}/identities-owned 404
        POST /admin-api/contexts/{}/application 400 403 404
        POST /admin-api/contexts/{}/join 403 404 503
        POST /admin-api/contexts/{}/leave 404
        POST /admin-api/contexts/sync/{} 404
        POST /admin-api/contexts/{}/resync 404 409
        POST /admin-api/alias/create/context 409 422
        POST /admin-api/alias/create/application 409 422
        POST /admin-api/alias/create/device 409 422
        POST /admin-api/namespaces 400 404
        GET /admin-api/namespaces/{} 400 404
        DELETE /admin-api/namespaces/{} 400 403 404
        POST /admin-api/namespaces/{}/invite 400 403 404
        POST /admin-api/namespaces/{}/join 400 409 503 504
        POST /admin-api/namespaces/{}/admit 400 403
        POST /admin-api/namespaces/{}/leave 400 403 404
        POST /admin-api/namespaces/{}/admin 400 403 404 409
        POST /admin-api/namespaces/{}/groups 400 403 404 422
        POST /admin-api/namespaces/{}/account/revoke 400 403 404
        POST /admin-api/namespaces/{}/account/link-device 400 403
        POST /admin-api/groups 400 403 404
        POST /admin-api/groups/join 400 409 503 504
        GET /admin-api/groups/{} 400 403 404
        DELETE /admin-api/groups/{} 400 403 404
        GET /admin-api/groups/{}/members 403 404
        GET /admin-api/groups/{}/member-devices 403 404
        GET /admin-api/groups/{}/contexts 403 404
        GET /admin-api/groups/{}/subgroups 403 404
        POST /admin-api/groups/{}/members 400 403 404
        POST /admin-api/groups/{}/members/remove 400 403 404 409
        PUT /admin-api/groups/{}/members/{}/role 400 403 404 409
        PUT /admin-api/groups/{}/members/{}/auto-follow 400 403 404
        GET /admin-api/groups/{}/members/{}/capabilities 400 404
        PUT /admin-api/groups/{}/members/{}/capabilities 400 403 404
        PUT /admin-api/groups/{}/metadata 400 403 404
        PUT /admin-api/groups/{}/members/{}/metadata 400 403 404
        PUT /admin-api/groups/{}/contexts/{}/metadata 400 403 404
        PUT /admin-api/groups/{}/settings/default-capabilities 403 404
        PUT /admin-api/groups/{}/settings/subgroup-visibility 400 403 404
        PUT /admin-api/groups/{}/settings/tee-admission-policy 400 403 404 409
        PUT /admin-api/groups/{}/settings/tee-authoring-policy 400 403
        DELETE /admin-api/groups/{}/settings/tee-authoring-policy 400 403
        POST /admin-api/groups/{}/contexts/{}/remove 403 404
        POST /admin-api/groups/{}/reparent 400 403 404 409
        POST /admin-api/groups/{}/join-via-inheritance 403 404
        POST /admin-api/groups/{}/invite 400 403 404
        POST /admin-api/groups/{}/leave 400 403 409
        POST /admin-api/groups/{}/sync 403 404
        POST /admin-api/groups/{}/transfer-ownership 400 403 409
        POST /admin-api/groups/{}/owner-delete 400 403 409
        POST /admin-api/groups/{}/issue-ownership-proof 400 403 404
        POST /admin-api/groups/{}/issue-namespace-ownership-proof 400 403 404
        POST /admin-api/groups/{}/upgrade 403 404 409
        POST /admin-api/groups/{}/upgrade/retry 403 404 409
        POST /admin-api/groups/{}/migration/abort 403 404
        GET /admin-api/groups/{}/migration-status 403 404
        POST /admin-api/groups/{}/accounts/{}/seal 400 403 404
        GET /admin-api/contexts/{}/intents 404
        POST /admin-api/contexts/{}/intents 400 403
        POST /admin-api/contexts/{}/presence-intents 400 403
        POST /admin-api/contexts/{}/query 401 404 409
        POST /admin-api/contexts/{}/warrant-nonce 401
        GET /admin-api/groups/{}/context-intents 400 404
        POST /admin-api/groups/{}/context-intents 409
        GET /admin-api/groups/{}/governance-intents 404
        POST /admin-api/groups/{}/governance-intents 403
        POST /admin-api/account/pair-init 400
        POST /admin-api/account/pair-complete 400 403
        POST /admin-api/account/sign-with-root 400 403
        POST /admin-api/account/devices/{}/relink 400 403 404
        PUT /admin-api/account/devices/{}/scope 400 403 404
        PUT /admin-api/account/devices/{}/label 400 403 404 409 429
        """)

    /// Listed, and never the answer of a dev node by itself: what brings them about does not exist there. A test makes it
    /// give them all the same, by a fault.
    static let onlyByFault: [String: Set<Int>] = table(
        """
        GET /admin-api/identity 404 500
        POST /admin-api/tee/attest 409 502
        GET /admin-api/blobs/{} 500
        POST /admin-api/groups 409
        POST /admin-api/namespaces/{}/admit 409
        POST /admin-api/account/pair-complete 404 409
        """)

    private static func table(_ text: String) -> [String: Set<Int>] {
        Dictionary(
            uniqueKeysWithValues: text.split(separator: "\n").map { line in
                let words = line.split(separator: " ")
                return (words.prefix(2).joined(separator: " "), Set(words.dropFirst(2).compactMap { Int($0) }))
            })
    }
}
