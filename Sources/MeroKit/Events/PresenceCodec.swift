import Foundation

/// How an app's presence becomes bytes, and is read back from them. Node and relay never look inside.
///
/// Spec: 40, section 5.5.
public struct PresenceCodec<State: Sendable>: Sendable {
    /// Makes the bytes that are published.
    public let encode: @Sendable (State) throws -> Data
    /// Bytes that it refuses by throwing are skipped: other authors, and the stream, go on.
    public let decode: @Sendable (Data) throws -> State

    /// A codec of an app's own.
    public init(
        encode: @escaping @Sendable (State) throws -> Data, decode: @escaping @Sendable (Data) throws -> State
    ) {
        self.encode = encode
        self.decode = decode
    }
}

extension PresenceCodec where State: Codable {
    /// JSON text in UTF-8. `JSONValue.null` is the four bytes `null`: a state, no retraction.
    ///
    /// A state that JSON cannot express, such as NaN, is refused as `MeroError.network`, as arguments of calls are.
    public static var json: PresenceCodec<State> {
        PresenceCodec(encode: { try RequestEncoding.encode($0) }, decode: { try MeroJSON.decode(State.self, from: $0) })
    }
}

extension PresenceCodec where State == Data {
    /// The bytes, unchanged.
    public static var bytes: PresenceCodec<Data> {
        PresenceCodec(encode: { $0 }, decode: { $0 })
    }
}
