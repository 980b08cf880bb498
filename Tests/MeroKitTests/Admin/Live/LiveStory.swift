/// One part of what the owner of a node does: every call of it is answered by nodes.
struct LiveStory: Sendable {
    let name: String
    let run: @Sendable (LiveWorld) async throws -> Void

    /// Whether the nodes carry warrants of accounts out, for everyone.
    let isRelay: Bool

    init(_ name: String, isRelay: Bool = false, _ run: @escaping @Sendable (LiveWorld) async throws -> Void) {
        self.name = name
        self.isRelay = isRelay
        self.run = run
    }

    static let all: [LiveStory] =
        [
            LiveStory("the node", node), LiveStory("attestation", attestation),
            LiveStory("applications", applications), LiveStory("blobs", blobs), LiveStory("contexts", contexts),
            LiveStory("contexts refused", contextsRefused), LiveStory("aliases", aliases),
        ] + governance + owners + delegatedStories
}
