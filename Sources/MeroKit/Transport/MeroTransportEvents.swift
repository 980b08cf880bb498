/// What has an event stream that can just be started.
///
/// `MeroTransportClient.events` throws where a relay has no events to offer. Beside it stands this member of the same name,
/// which offers nothing but `connect()` and does nothing there. Spec: 60, section 8.2.
///
/// ```swift
/// if client.canSubscribe { client.events.connect() }      // this one
/// let events = try client.events                          // the client's own, with everything else
/// events.connect()
/// ```
///
/// `try client.events.connect()` in one expression takes this one, too: bind `events` first to see the error.
public protocol MeroTransportEvents: Sendable {
    /// Starts the event stream where there is one.
    func connectEvents()
}

extension MeroTransportEvents {
    /// Starts the event stream; see `MeroTransportEvents`.
    public var events: EventStarter { EventStarter(start: connectEvents) }
}

/// Starts an event stream.
public struct EventStarter: Sendable {
    let start: @Sendable () -> Void

    /// Opens the shared connection, if events work as configured and it is not open already. Else does nothing.
    public func connect() { start() }
}
