/// A handler attached to an event client.
///
/// It stays attached until it is cancelled: letting go of this object does not detach it.
public final class EventListener: Sendable {
    private let detach: Locked<(@Sendable () -> Void)?>

    /// - Parameter detach: Called once at most.
    init(_ detach: @escaping @Sendable () -> Void) { self.detach = Locked(detach) }

    /// Detaches the handler. Calling it again does nothing.
    ///
    /// A call of the handler that is under way in another thread runs to its end.
    public func cancel() {
        let detach = detach.withLock { detach in
            defer { detach = nil }
            return detach
        }
        detach?()
    }
}
