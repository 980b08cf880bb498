/// A blob that the node has.
struct BlobRecord: Sendable, Equatable {
    let id: String
    let hash: String
    let size: UInt64
    let mimeType: String
    /// Position in the order of arrival.
    let order: Int
    /// How often it was uploaded and not deleted again.
    var uploads = 0
    /// The contexts it was uploaded for.
    var contexts: Set<String> = []
    /// The releases of installed applications that it is the bytecode of.
    var releases: Set<String> = []

    init(_ digest: BlobDigest, order: Int) {
        id = digest.id
        hash = digest.hash
        size = digest.size
        mimeType = digest.mimeType
        self.order = order
    }

    /// Nobody asks for it any more.
    var isUnused: Bool { uploads <= 0 && releases.isEmpty }

    var tree: JsonTree {
        [
            "hash": .string(hash), "size": JsonTree(size), "mime": .string(mimeType), "order": JsonTree(order),
            "uploads": JsonTree(uploads), "contexts": JsonTree(contexts.sorted()),
            "releases": JsonTree(releases.sorted()),
        ]
    }

    init?(id: String, _ tree: JsonTree) {
        guard let hash = tree["hash"]?.stringValue, let size = tree["size"]?.integer(UInt64.self),
            let mimeType = tree["mime"]?.stringValue
        else { return nil }
        func names(_ name: String) -> Set<String> {
            Set((tree[name]?.arrayValue ?? []).compactMap(\.stringValue))
        }
        self.id = id
        self.hash = hash
        self.size = size
        self.mimeType = mimeType
        order = tree["order"]?.integer() ?? 0
        uploads = tree["uploads"]?.integer() ?? 0
        contexts = names("contexts")
        releases = names("releases")
    }
}
