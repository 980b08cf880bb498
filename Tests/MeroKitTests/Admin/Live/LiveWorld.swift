import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// A started node, and its owner's admin API over real HTTP.
struct LiveNode: Sendable {
    let node: DevNode
    let admin: AdminApi

    init(_ options: DevNodeOptions) async throws {
        node = try await DevNode.start(options)
        admin = try Self.admin(of: node, token: node.mintTokens().accessToken)
    }

    var account: String { node.accountId }

    /// The API as whoever holds this token, or as nobody.
    static func admin(of node: DevNode, token: String?) throws -> AdminApi {
        AdminApi(
            http: URLSessionHttpClient(
                baseURL: node.url, hooks: TransportHooks(getAuthToken: { token }),
                engine: try EngineUnderTest.allCases[0].make(), retryPolicy: .never))
    }

    /// The API with a token of these scopes only.
    func admin(scopes: [String]) throws -> AdminApi {
        try Self.admin(of: node, token: node.mintTokens(permissions: scopes).accessToken)
    }
}

/// Two nodes in one network, as different as two people: ada, and bob who is nothing yet.
struct LiveWorld: Sendable {
    let network = DevNetwork()
    let folder: TemporaryFolder
    let ada: LiveNode
    let bob: LiveNode

    static let application = DevNode.applicationId(of: KeyValueContract())
    static let unknown = String(repeating: "5", count: 64)

    static func start(_ change: (inout DevNodeOptions) -> Void = { _ in }) async throws -> LiveWorld {
        var options = DevNodeOptions()
        change(&options)
        return try await LiveWorld(options)
    }

    private init(_ given: DevNodeOptions) async throws {
        folder = try TemporaryFolder()
        var options = given
        options.network = network
        options.devInstallRoot = folder.url
        if options.tee == nil {
            options.tee = DevTee(
                cloudProvider: "gcp", osImage: "image-1", mrtd: String(repeating: "0", count: 96))
        }
        ada = try await LiveNode(options)
        bob = try await LiveNode(options)
    }

    func stop() async {
        await ada.node.stop()
        await bob.node.stop()
    }

    // MARK: - Making things

    func namespace(named name: String? = nil) async throws -> String {
        try await ada.admin.createNamespace(CreateNamespaceRequest(applicationId: Self.application, name: name))
            .namespaceId
    }

    func context(in group: String, name: String? = nil) async throws -> String {
        try await ada.admin.createContext(
            CreateContextRequest(applicationId: Self.application, groupId: group, name: name)
        ).contextId
    }

    func invitation(to namespace: String) async throws -> SignedGroupOpenInvitation {
        let result = try await ada.admin.createNamespaceInvitation(namespace)
        guard case .single(let made) = result else { throw MeroError.emptyResponse("not a single invitation") }
        return made.invitation
    }

    /// A namespace that bob has joined.
    func shared() async throws -> String {
        let id = try await namespace(named: "shared")
        _ = try await bob.admin.joinNamespace(id, request: JoinNamespaceRequest(invitation: invitation(to: id)))
        return id
    }

    /// A member of a group who has no node.
    func add(_ account: DevAccount, _ role: String = "Member", to group: String) async throws {
        try await ada.admin.addGroupMembers(
            group,
            request: AddGroupMembersRequest(members: [GroupMemberInput(identity: account.accountId, role: role)]))
    }
}

/// Expects a refusal of the node: this status, and these words in what it says.
func refused(
    _ status: Int, _ words: String = "", sourceLocation: SourceLocation = #_sourceLocation,
    _ work: () async throws -> Void
) async {
    let error = await meroError(sourceLocation: sourceLocation, work)
    guard case .http(let answer) = error else {
        return #expect(Bool(false), "\(String(describing: error))", sourceLocation: sourceLocation)
    }
    let text = answer.bodyText ?? ""
    #expect(answer.status == status, "\(answer.status): \(text)", sourceLocation: sourceLocation)
    #expect(words.isEmpty || text.contains(words), "\(text)", sourceLocation: sourceLocation)
}
