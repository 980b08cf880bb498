/// What a node remembers of the numbers that a device has spent in a context, as `AdminApi` reports it.
///
/// Only nodes older than rc.83 tell. All numbers are exact to 64 bits. Spec: 20, section 6.5.
public struct WarrantNonceState: Codable, Sendable, Equatable {
    /// The context asked about, empty when the node does not repeat it.
    public let contextId: String
    /// The device's signing key, empty when the node does not repeat it.
    public let authorDeviceKey: String
    /// Whether the device has written there.
    public let seen: Bool
    /// The highest number that was spent; nil before the first.
    public let highWaterNonce: UInt64?
    /// How far below it a number may still be spent.
    public let windowWidth: UInt64
    /// The lowest number that is surely free; nil when the last one is spent.
    public let nextNonce: UInt64?

    /// Whether every number is spent. The device must be replaced then.
    public var isExhausted: Bool { nextNonce == nil }

    /// Makes a value of its parts.
    public init(
        contextId: String, authorDeviceKey: String, seen: Bool, highWaterNonce: UInt64? = nil,
        windowWidth: UInt64 = 0, nextNonce: UInt64?
    ) {
        self.contextId = contextId
        self.authorDeviceKey = authorDeviceKey
        self.seen = seen
        self.highWaterNonce = highWaterNonce
        self.windowWidth = windowWidth
        self.nextNonce = nextNonce
    }

    /// Without a next number every one is spent, whatever else is missing; but an object with nothing of all this in it is
    /// no such answer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard !container.allKeys.isEmpty else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "Nothing of a warrant nonce's state"))
        }
        let next = try container.decodeIfPresent(UInt64.self, forKey: .nextNonce)
        let high = try container.decodeIfPresent(UInt64.self, forKey: .highWaterNonce)
        let seen = try container.decodeIfPresent(Bool.self, forKey: .seen) ?? false
        self.init(
            contextId: try container.decodeIfPresent(String.self, forKey: .contextId) ?? "",
            authorDeviceKey: try container.decodeIfPresent(String.self, forKey: .authorDeviceKey) ?? "",
            seen: next == nil || seen, highWaterNonce: high ?? (next == nil ? .max : nil),
            windowWidth: try container.decodeIfPresent(UInt64.self, forKey: .windowWidth) ?? 0, nextNonce: next)
    }
}
