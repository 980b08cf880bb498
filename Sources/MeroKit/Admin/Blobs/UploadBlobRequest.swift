import Foundation

/// Content that a node is to store. Spec: 20, section 5.6.
public struct UploadBlobRequest: Sendable {
    /// The content, at most 1 GiB. What lies in a file is better streamed: `uploadBlob(file:)`.
    public var data: Data
    /// SHA-256 of the content, 64 hex digits, which the node then checks.
    public var hash: String?
    /// The context that the blob is for: its members are told that the node has it.
    public var contextId: String?

    /// Makes a value of its parts.
    public init(data: Data, hash: String? = nil, contextId: String? = nil) {
        self.data = data
        self.hash = hash
        self.contextId = contextId
    }
}
