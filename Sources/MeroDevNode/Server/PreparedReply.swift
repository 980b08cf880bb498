import CMicrohttpd
import Foundation

/// An answer in libmicrohttpd's form, made off its thread.
final class PreparedReply: @unchecked Sendable {
    // Safe to share: `response` is never written after `init`, and libmicrohttpd guards what it points to by its own
    // reference count and lock.
    let response: OpaquePointer
    let status: Int
    /// Set when the body is read piece by piece and so can be ended from outside.
    let body: ReplyBody?
    /// Set when the connection is to change over. Kept by whoever sends this reply, until the request is over.
    let upgrade: PendingUpgrade?

    private init(response: OpaquePointer, status: Int, body: ReplyBody?, upgrade: PendingUpgrade?) {
        self.response = response
        self.status = status
        self.body = body
        self.upgrade = upgrade
    }

    deinit { MHD_destroy_response(response) }

    /// Nil when the answer is to be dropped: nothing is left to send, or libmicrohttpd has no memory for it.
    static func make(_ answer: DevHttpResponse, method: String, shape: BodyShape, run: ServerRun) -> PreparedReply? {
        if case .upgrade(let proto) = answer.body { return upgrading(answer, to: proto, run: run) }
        let isHead = method == "HEAD"
        if shape.cutAfter != nil, isHead || answer.body.isEmpty { return abandon(answer, run: run) }
        guard (200...999).contains(answer.status) else {
            return abandon(answer, "the handler answered with an impossible status", run: run)
        }
        guard let (response, body) = isHead ? head(answer) : full(answer, shape: shape) else {
            return abandon(answer, "the body of the answer cannot be read", run: run)
        }
        let reply = PreparedReply(response: response, status: answer.status, body: body, upgrade: nil)
        guard reply.add(answer.headers) else {
            return abandon(answer, "the handler answered with an impossible header", run: run)
        }
        return reply
    }

    private func add(_ headers: [(String, String)]) -> Bool {
        headers.allSatisfy { Self.isFraming($0.0) || MHD_add_response_header(response, $0.0, $0.1) == .YES }
    }

    private static func upgrading(
        _ answer: DevHttpResponse, to proto: any DevUpgradedProtocol, run: ServerRun
    ) -> PreparedReply? {
        let upgrade = PendingUpgrade(proto, run.upgraded)
        let response = MHD_create_response_for_upgrade(
            { context, _, _, first, firstCount, socket, handle in
                guard let context, let handle else { return }
                let bytes = UnsafeRawBufferPointer(start: first, count: first == nil ? 0 : firstCount)
                Unmanaged<PendingUpgrade>.fromOpaque(context).takeUnretainedValue()
                    .begin(handle, descriptor: Int32(socket), first: Array(bytes))
            }, Unmanaged.passUnretained(upgrade).toOpaque())
        guard let response, answer.status == 101 else {
            if let response { MHD_destroy_response(response) }
            return abandon(answer, "the handler answered with an impossible upgrade", run: run)
        }
        let reply = PreparedReply(response: response, status: 101, body: nil, upgrade: upgrade)
        guard reply.add(answer.headers) else {
            return abandon(answer, "the handler answered with an impossible header", run: run)
        }
        return reply
    }

    static func failure(_ text: String, run: ServerRun) -> PreparedReply? {
        make(
            DevHttpResponse(
                status: 500, headers: [("Content-Type", "text/plain; charset=utf-8")], body: .bytes(Data(text.utf8))),
            method: "GET", shape: BodyShape(), run: run)
    }

    private static func abandon(_ answer: DevHttpResponse, _ reason: String? = nil, run: ServerRun) -> PreparedReply? {
        if case .stream(let stream) = answer.body { stream.close(.cut) }
        if case .upgrade(let proto) = answer.body { proto.closed() }
        return reason.flatMap { failure($0, run: run) }
    }

    private static func isFraming(_ name: String) -> Bool {
        let name = name.lowercased()
        return name == "content-length" || name == "transfer-encoding"
    }

    private static func head(_ answer: DevHttpResponse) -> (OpaquePointer, ReplyBody?)? {
        let length: UInt64
        switch answer.body {
        case .none:
            let declared = answer.headers.first { $0.0.lowercased() == "content-length" }
            length = declared.flatMap { UInt64($0.1) } ?? 0
        case .bytes(let data): length = UInt64(data.count)
        case .file(_, _, let size): length = size
        case .content(let content): length = content.length
        case .stream(let stream):
            stream.close(.finished)
            length = merokit_mhd_size_unknown()
        case .upgrade: return nil
        }
        guard let response = fromCallback(ReplyBody(.bytes(Data()), shape: BodyShape()), size: length) else {
            return nil
        }
        return (response, nil)
    }

    private static func full(_ answer: DevHttpResponse, shape: BodyShape) -> (OpaquePointer, ReplyBody?)? {
        switch answer.body {
        case .none:
            guard let response = MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT) else { return nil }
            return (response, nil)
        case .bytes(let data):
            guard shape.isPlain else {
                return reshaped(.bytes(data), size: UInt64(data.count), shape: shape)
            }
            let response = data.withUnsafeBytes { bytes in
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
            guard let response else { return nil }
            return (response, nil)
        case .file(let url, let offset, let length):
            let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            guard shape.isPlain, length > 0 else {
                return reshaped(
                    .file(descriptor: descriptor, offset: offset, length: length), size: length, shape: shape)
            }
            guard let response = MHD_create_response_from_fd_at_offset64(length, descriptor, offset) else {
                close(descriptor)
                return nil
            }
            return (response, nil)
        case .content(let content):
            return reshaped(.content(content), size: content.length, shape: shape)
        case .stream(let stream):
            return reshaped(.stream(stream), size: merokit_mhd_size_unknown(), shape: shape)
        case .upgrade: return nil
        }
    }

    private static func reshaped(
        _ source: ReplyBody.Source, size: UInt64, shape: BodyShape
    ) -> (OpaquePointer, ReplyBody?)? {
        var shape = shape
        if let cutAfter = shape.cutAfter {
            // A client that got everything would never notice that the connection is gone.
            let most = size == merokit_mhd_size_unknown() ? Int.max : Int(clamping: size) - 1
            shape.cutAfter = min(max(0, cutAfter), most)
        }
        let body = ReplyBody(source, shape: shape)
        guard let response = fromCallback(body, size: size) else { return nil }
        return (response, body)
    }

    private static func fromCallback(_ body: ReplyBody, size: UInt64) -> OpaquePointer? {
        let context = Unmanaged.passRetained(body).toOpaque()
        let response = MHD_create_response_from_callback(
            size, body.pieceSize,
            { context, position, buffer, limit in
                guard let context, let buffer else { return merokit_mhd_end_with_error() }
                return Unmanaged<ReplyBody>.fromOpaque(context).takeUnretainedValue()
                    .read(position: position, into: buffer, limit: limit)
            }, context,
            { context in
                guard let context else { return }
                Unmanaged<ReplyBody>.fromOpaque(context).release()
            })
        if response == nil { Unmanaged<ReplyBody>.fromOpaque(context).release() }
        return response
    }
}

extension DevHttpBody {
    var isEmpty: Bool {
        switch self {
        case .none: return true
        case .bytes(let data): return data.isEmpty
        case .file(_, _, let length): return length == 0
        case .content(let content): return content.length == 0
        case .stream, .upgrade: return false
        }
    }
}
