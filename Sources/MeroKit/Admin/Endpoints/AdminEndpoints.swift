/// Every call of the admin API that the SDK makes, by area. Spec: 20, section 2.
enum AdminEndpoints {
    /// All of them.
    static var all: [any EndpointDescription] {
        node + applications + contexts + blobs + aliases + tee + namespaces + groups + settings + upgrades + ownerOps
            + account + intents
    }
}
