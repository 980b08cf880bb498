/// An open WebSocket that carries text messages. Binary ones are left out.
///
/// An implementation answers pings by itself, sends its own, and ends a connection over which nothing has come for too long.
protocol WebSocketConnection: AnyObject, Sendable {
    /// Waits for messages and hands over those that are there, in order and never none. To be called by one task at a time.
    ///
    /// An implementation reads ahead up to a limit and no further, so that a slow caller slows the sender down. Throws
    /// `MeroError.network` once the connection is over and all that came before was handed over, `CancellationError`
    /// promptly when the calling task is cancelled.
    func receive() async throws -> [[UInt8]]

    /// Queues a text message; never waits. Throws `MeroError.network` when the connection is over, or when too much waits
    /// to be sent already.
    func send(_ text: [UInt8]) throws

    /// Says goodbye and closes, without waiting for it. `receive` ends at once.
    func close()
}

/// Opens WebSockets.
protocol WebSocketConnector: Sendable {
    /// Throws `HTTPError` when the other side answers with anything but an upgrade, `MeroError.network` when it does not
    /// answer or not as it should, `CancellationError` promptly when the calling task is cancelled.
    ///
    /// - Parameter token: Sent as the bearer.
    func open(_ target: WebSocketTarget, token: String) async throws -> any WebSocketConnection
}

/// Where a WebSocket leads.
struct WebSocketTarget: Sendable, Equatable {
    /// The same place with the scheme `http` or `https`.
    let http: RequestTarget
    /// Scheme `ws` or `wss`.
    let url: String

    /// `/ws` below the base URL. Throws `MeroError.network("Invalid URL: /ws")`.
    init(base: BaseURL) throws {
        http = try base.target(for: "/ws")
        url = "ws" + http.url.dropFirst(4)
    }
}

/// How long a WebSocket waits for what. Seconds.
struct WebSocketTiming: Sendable {
    /// Until the connection is open, from looking up the name to the end of the handshake.
    var opening = 30.0
    /// Between two pings of the client.
    var pingInterval = 30.0
    /// With nothing at all coming in for this long, the other side counts as gone.
    var silence = 90.0
    /// For the other side's goodbye, after the client's.
    var closing = 1.0
    /// Until a request has its reply.
    var reply = 10.0
    /// Before the next attempt, after this many in a row that did not open.
    var delay: @Sendable (_ attempt: Int) -> Double = { min(pow2($0), 30) }

    private static func pow2(_ exponent: Int) -> Double { Double(1 << min(max(exponent, 0), 16)) }
}

/// How much a WebSocket holds. Bytes.
enum WebSocketLimit {
    /// Messages that nobody has taken yet; beyond it nothing more is read, until half of them are gone.
    static let unread = 64 << 20
    /// Handed over at once, unless a single message is larger.
    static let batch = 1 << 20
    /// Messages that wait to be sent, unless it is only one.
    static let unsent = 16 << 20
    /// One message that comes in.
    static let message = 16 << 20
}
