import CWslay

/// RFC 6455 after the opening handshake, over wslay: bytes in, events out, and the other way round. Knows no sockets.
///
/// ```swift
/// session.receive(bytes)
/// for event in session.takeEvents() { ... }
/// session.send(text: reply)
/// write(session.takeOutput())
/// ```
/// Pings and close frames are answered by the session. Not safe to share between threads: its owner calls it under a lock,
/// or from one thread.
package final class WebSocketSession {
    package enum Role: Sendable {
        /// Masks what it sends.
        case client
        /// Insists on masks.
        case server
    }

    /// The default for the largest message that is taken, in bytes.
    package static let defaultMessageLimit = 16 << 20

    private let role: Role
    private let messageLimit: Int
    private var context: wslay_event_context_ptr?
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var output: [UInt8] = []
    private var events: [WebSocketEvent] = []
    private var hasFailed = false
    /// A close frame came with a single byte, which is no code.
    private var hasBrokenClose = false
    /// A close frame was written past wslay.
    private var hasWrittenClose = false

    /// The frames of the data message that is coming in, joined. wslay could do that, but would keep a record for every
    /// frame, and one byte is enough for a frame.
    private var message: [UInt8] = []
    private var isControlFrame = false

    /// Nil when there is no memory for it.
    ///
    /// - Parameter messageLimit: A larger message is refused with the code 1009, with the first byte that shows it.
    package init?(_ role: Role, messageLimit: Int = defaultMessageLimit) {
        self.role = role
        self.messageLimit = max(0, messageLimit)
        var callbacks = Self.callbacks
        let this = Unmanaged.passUnretained(self).toOpaque()
        let outcome =
            role == .client
            ? wslay_event_context_client_init(&context, &callbacks, this)
            : wslay_event_context_server_init(&context, &callbacks, this)
        guard outcome == 0, context != nil else { return nil }
        wslay_event_config_set_no_buffering(context, 1)
        wslay_event_config_set_max_recv_msg_length(context, UInt64(self.messageLimit))
    }

    deinit { if let context { wslay_event_context_free(context) } }

    // MARK: - Receiving

    /// Takes bytes from the other side, cut anywhere. Does nothing once nothing more is read.
    package func receive(_ bytes: UnsafeRawBufferPointer) {
        guard isReading else { return }
        input = bytes
        let outcome = wslay_event_recv(context)
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        if outcome != 0 {
            fail(outcome == WSLAY_ERR_NOMEM.rawValue ? WSLAY_CODE_INTERNAL_SERVER_ERROR : WSLAY_CODE_PROTOCOL_ERROR)
        } else if hasBrokenClose {
            fail(WSLAY_CODE_PROTOCOL_ERROR)
        } else {
            flush()
            if isReading || wslay_event_get_close_received(context) != 0 { return }
            hasFailed = true
            events.append(.failed(code: wslay_event_get_status_code_sent(context)))
        }
    }

    /// Ends what wslay would end without giving the reason.
    private func fail(_ code: wslay_status_code) {
        let code = UInt16(code.rawValue)
        hasFailed = true
        events.append(.failed(code: code))
        if wslay_event_get_close_sent(context) == 0 {
            let reason = [UInt8(code >> 8), UInt8(code & 0xff)]
            // A mask hides nothing of what is no secret; zeros are one, too.
            output += role == .server ? [0x88, 2] + reason : [0x88, 0x82, 0, 0, 0, 0] + reason
            hasWrittenClose = true
        }
        wslay_event_shutdown_read(context)
        wslay_event_shutdown_write(context)
    }

    package func receive(_ bytes: [UInt8]) { bytes.withUnsafeBytes { receive($0) } }

    /// What has come in since the last call.
    package func takeEvents() -> [WebSocketEvent] {
        defer { events = [] }
        return events
    }

    /// False after a close frame of the other side, or after it broke the protocol.
    package var isReading: Bool { !hasFailed && wslay_event_get_read_enabled(context) != 0 }

    // MARK: - Sending

    /// - Parameter text: Has to be UTF-8, which is not checked.
    /// - Returns: false after a close frame was sent.
    @discardableResult
    package func send(text: [UInt8]) -> Bool { queue(WSLAY_TEXT_FRAME, text) }

    @discardableResult
    package func send(binary: [UInt8]) -> Bool { queue(WSLAY_BINARY_FRAME, binary) }

    /// - Parameter payload: At most 125 bytes; false for more.
    @discardableResult
    package func ping(_ payload: [UInt8] = []) -> Bool { payload.count <= 125 && queue(WSLAY_PING, payload) }

    /// Sends a close frame; nothing can be sent after it, what the other side sends is still taken.
    ///
    /// - Parameters:
    ///   - code: Nil for a frame without one, and then without a reason.
    ///   - reason: Cut to the 123 bytes that fit.
    @discardableResult
    package func close(code: UInt16? = 1000, reason: String = "") -> Bool {
        var text = reason
        while text.utf8.count > 123 { text.removeLast() }
        let bytes = Array(text.utf8)
        let outcome = wslay_event_queue_close(context, code ?? 0, bytes, bytes.count)
        flush()
        return outcome == 0
    }

    /// How many bytes wait to be taken and written.
    package var outputCount: Int { output.count }

    /// What has to be written to the other side, in order.
    package func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Both close frames are on their way, or the protocol was broken: once the output is written the connection can go.
    package var isOver: Bool { hasFailed || (hasReceivedClose && hasSentClose) }

    package var hasReceivedClose: Bool { wslay_event_get_close_received(context) != 0 }
    package var hasSentClose: Bool { hasWrittenClose || wslay_event_get_close_sent(context) != 0 }

    private func queue(_ opcode: wslay_opcode, _ bytes: [UInt8]) -> Bool {
        let outcome = bytes.withUnsafeBufferPointer { buffer in
            var message = wslay_event_msg(
                opcode: UInt8(opcode.rawValue), msg: buffer.baseAddress, msg_length: buffer.count)
            return wslay_event_queue_msg(context, &message)
        }
        flush()
        return outcome == 0
    }

    private func flush() {
        guard !hasFailed else { return }
        if wslay_event_want_write(context) != 0, wslay_event_send(context) != 0 { hasFailed = true }
    }
}

// MARK: - Callbacks of wslay

extension WebSocketSession {
    private static let callbacks = wslay_event_callbacks(
        recv_callback: { context, buffer, length, _, session in
            guard let buffer, let count = from(session)?.read(into: buffer, limit: length), count > 0 else {
                wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
                return -1
            }
            return count
        },
        send_callback: { _, bytes, length, _, session in
            from(session)?.output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: length))
            return length
        },
        genmask_callback: { _, buffer, length, _ in
            // The system's own generator: what is sent must not be predictable by whoever chose its content.
            var generator = SystemRandomNumberGenerator()
            for index in 0..<length { buffer?[index] = UInt8.random(in: .min ... .max, using: &generator) }
            return 0
        },
        on_frame_recv_start_callback: { _, frame, session in
            if let frame { from(session)?.begin(frame.pointee) }
        },
        on_frame_recv_chunk_callback: { _, chunk, session in
            if let chunk { from(session)?.take(chunk.pointee) }
        },
        on_frame_recv_end_callback: nil,
        on_msg_recv_callback: { _, message, session in
            if let message { from(session)?.finish(message.pointee) }
        })

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> WebSocketSession? {
        // The session frees the context before it goes, so it is there whenever wslay calls.
        pointer.map { Unmanaged<WebSocketSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(into buffer: UnsafeMutablePointer<UInt8>, limit: Int) -> Int {
        let count = min(limit, input.count)
        guard count > 0, let start = input.baseAddress else { return 0 }
        UnsafeMutableRawPointer(buffer).copyMemory(from: start, byteCount: count)
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        return count
    }

    private func begin(_ frame: wslay_event_on_frame_recv_start_arg) {
        isControlFrame = frame.opcode & 8 != 0
        guard !isControlFrame, frame.payload_length > UInt64(messageLimit - message.count) else { return }
        message = []
        isControlFrame = true
        wslay_event_shutdown_read(context)
        wslay_event_queue_close(context, UInt16(WSLAY_CODE_MESSAGE_TOO_BIG.rawValue), nil, 0)
    }

    private func take(_ chunk: wslay_event_on_frame_recv_chunk_arg) {
        guard !isControlFrame else { return }
        message.append(contentsOf: UnsafeBufferPointer(start: chunk.data, count: chunk.data_length))
    }

    private func finish(_ arrived: wslay_event_on_msg_recv_arg) {
        // An empty one has no bytes to point to.
        let control = UnsafeBufferPointer(start: arrived.msg, count: arrived.msg == nil ? 0 : arrived.msg_length)
        switch UInt32(arrived.opcode) {
        case WSLAY_TEXT_FRAME.rawValue where isReading: events.append(.text(takeMessage()))
        case WSLAY_BINARY_FRAME.rawValue where isReading: events.append(.binary(takeMessage()))
        case WSLAY_PING.rawValue: events.append(.ping(Array(control)))
        case WSLAY_PONG.rawValue: events.append(.pong(Array(control)))
        case WSLAY_CONNECTION_CLOSE.rawValue where control.count == 1: hasBrokenClose = true
        case WSLAY_CONNECTION_CLOSE.rawValue:
            let code = control.count >= 2 ? arrived.status_code : nil
            events.append(.close(code: code, reason: String(decoding: control.dropFirst(2), as: UTF8.self)))
        default: break
        }
    }

    private func takeMessage() -> [UInt8] {
        defer { message = [] }
        return message
    }
}
