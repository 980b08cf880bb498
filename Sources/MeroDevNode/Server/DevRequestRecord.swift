import Foundation

/// A request that reached the node.
public struct DevRequestRecord: Sendable {
    /// Position in the order of arrival, from 0; not reset when records are cleared.
    public internal(set) var number: Int
    /// The HTTP method, in upper case.
    public internal(set) var method: String
    /// Percent-encoded exactly as sent, without the query.
    public internal(set) var path: String
    /// Decoded; a name without `=` has no value.
    public internal(set) var query: [(String, String?)]
    /// Lower-cased names; values of a repeated name are joined with `", "`.
    public internal(set) var headers: [String: String]
    /// The first 64 KiB of the body.
    public internal(set) var body: Data
    /// The size of the whole body in bytes.
    public internal(set) var bodyLength: UInt64
    /// False when the client left before it had sent the whole body.
    public internal(set) var isComplete: Bool
    /// `address:port` of the client; requests on one connection share it.
    public internal(set) var peer: String
    /// The status answered; nil while there is none yet and when the connection was dropped instead, be it mid-body.
    public internal(set) var status: Int?
}
