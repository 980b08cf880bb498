/// How much a context stores.
///
/// Spec: 20, section 6.1.
public struct ContextStorageResponseData: Codable, Sendable {
    /// Bytes; 0 also for a context that the node does not know.
    public let sizeInBytes: Int

    /// Makes a value of its parts.
    public init(sizeInBytes: Int) { self.sizeInBytes = sizeInBytes }
}
