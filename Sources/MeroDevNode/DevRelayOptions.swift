import Foundation

/// How a relay behaves where nodes of different ages, or their operators, differ.
///
/// Spec: 60, section 12.
public struct DevRelayOptions: Sendable {
    /// Whether `/warrant-nonce` is served. A node of this release answers 404.
    public var servesWarrantNonce = false
    /// Whether the error of a method is told with its `type` and `data`. Older nodes answered 200 with `returns: null` from
    /// `/intents`, and 500 from `/query`.
    public var tellsMethodErrors = true
    /// Whether descriptions name the node's key. The oldest nodes did not.
    public var describesExecutorKey = true
    /// Whether descriptions name the release that a warrant has to pin. The oldest nodes did not.
    public var describesRelease = true
    /// Whether keys in descriptions are spelled in base58, as by one build between.
    public var spellsExecutorKeyInBase58 = false
    /// Which programs accounts may log in from: web origins verbatim, `codesign:<id>`, `cli`. Empty admits all.
    public var allowedAudiences: [String] = []
    /// Seconds that must lie between two presence updates of a device in a context; sooner is 429.
    public var presenceInterval: TimeInterval = 0
    /// Why a namespace that is founded here does not take the node in as a relay of its own; nil when it does.
    public var foundingTeeError: String?

    /// A relay of this release.
    public init() {}

    /// A node from before method errors had a type, which still tells where a device's nonces are.
    public static var older: DevRelayOptions {
        var options = DevRelayOptions()
        options.servesWarrantNonce = true
        options.tellsMethodErrors = false
        return options
    }
}
