/// Every call of the cloud's API. Spec: 70, section 3.
enum CloudEndpoints {
    // MARK: Login

    static let google = Endpoint<JSONValue>(.post, "/api/auth/google", sendOnce: true)
    static let accountLoginChallenge = Endpoint<JSONValue>(.get, "/api/auth/account/challenge")
    static let accountLogin = Endpoint<JSONValue>(.post, "/api/auth/account", sendOnce: true)
    static let refresh = Endpoint<JSONValue>(.post, "/api/auth/refresh", sendOnce: true)
    static let logout = Endpoint<JSONValue>(.post, "/api/auth/logout", sendOnce: true)

    // MARK: Of the user who is signed in

    static let myNamespaces = Endpoint<JSONValue>(.get, "/api/cloud/me/namespaces")
    static let namespaceRelays = Endpoint<JSONValue>(.get, "/api/cloud/me/namespaces/{namespaceId}/relays")
    static let myMachines = Endpoint<JSONValue>(.get, "/api/cloud/me/machines")
    static let myAccounts = Endpoint<JSONValue>(.get, "/api/cloud/me/accounts")
    static let accountLinkChallenge = Endpoint<JSONValue>(.get, "/api/cloud/me/accounts/challenge")
    static let linkAccount = Endpoint<JSONValue>(.post, "/api/cloud/me/accounts", sendOnce: true)
    static let claimNamespace = Endpoint<JSONValue>(.post, "/api/cloud/namespaces/claim", sendOnce: true)
    static let enableHa = Endpoint<JSONValue>(
        .post, "/api/cloud/namespaces/{namespaceId}/enable-ha", sendOnce: true)
    static let disableHa = Endpoint<JSONValue>(
        .post, "/api/cloud/namespaces/{namespaceId}/disable-ha", sendOnce: true)
    static let enableFoundedHa = Endpoint<JSONValue>(
        .post, "/api/cloud/me/namespaces/{namespaceId}/enable-ha", sendOnce: true)

    // MARK: Without a login

    static let linkWithGrant = Endpoint<JSONValue>(.post, "/api/cloud/accounts/link", sendOnce: true)
    static let accountChallenge = Endpoint<JSONValue>(.get, "/api/cloud/accounts/{accountId}/challenge")
    static let accountRelays = Endpoint<JSONValue>(.get, "/api/cloud/accounts/{accountId}/relays")
    static let namespaceChallenge = Endpoint<JSONValue>(.get, "/api/cloud/namespaces/{namespaceId}/challenge")
    static let namespaceAdmitters = Endpoint<JSONValue>(.get, "/api/cloud/namespaces/{namespaceId}/admitters")
    static let enableHaAsAccount = Endpoint<JSONValue>(
        .post, "/api/cloud/accounts/{accountId}/namespaces/{namespaceId}/enable-ha", sendOnce: true)

    static let all: [any EndpointDescription] = [
        google, accountLoginChallenge, accountLogin, refresh, logout, myNamespaces, namespaceRelays, myMachines,
        myAccounts, accountLinkChallenge, linkAccount, claimNamespace, enableHa, disableHa, enableFoundedHa,
        linkWithGrant, accountChallenge, accountRelays, namespaceChallenge, namespaceAdmitters, enableHaAsAccount,
    ]
}
