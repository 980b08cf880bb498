import Foundation

/// What an HTTP server of the dev node needs to know besides its port and handler.
package struct DevServerOptions: Sendable {
    /// Bodies above this size go to a file.
    package var bodySpoolThreshold: Int = 1 << 20
    /// Where bodies are spooled; nil means the system's temporary directory. Put it on the volume of a store that renames
    /// spooled files into itself.
    package var spoolDirectory: URL? = nil
    /// The largest body a request may have, in bytes; nil means any size. Asked once the head is read (body still empty).
    package var bodyLimit: @Sendable (DevHttpRequest) -> UInt64? = { _ in 2 << 20 }
    /// The answer to a larger one, sent after the body was drained.
    package var bodyTooLarge: @Sendable (DevHttpRequest) -> DevHttpResponse = { _ in
        DevHttpResponse(
            status: 413, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: .bytes(Data("Failed to buffer the request body: length limit exceeded".utf8)), handlerRan: false)
    }
    /// When the whole of a body has to be there; nil means any time. Asked once the head is read (body still empty).
    package var bodyDeadline: @Sendable (DevHttpRequest) -> Date? = { _ in nil }
    /// The answer to one that is not. The connection ends with it.
    package var bodyTooLate: @Sendable (DevHttpRequest) -> DevHttpResponse = { _ in
        DevHttpResponse(status: 408, handlerRan: false)
    }
    /// The clock that deadlines are of.
    package var now: @Sendable () -> Date = { Date() }
    package var connectionLimit: Int = 4096
    /// Records kept; the oldest make room. Counters are exact whatever this is.
    package var recordLimit: Int = 50_000

    package init() {}
}
