import Foundation
import MeroKit

/// `POST /sealed/v2/handshake` and `POST /sealed/v2`: takes requests out of their seal, has them served as any other, and
/// seals the answers.
///
/// Spec: 80, section 1.
final class SealedService: Sendable {
    static let contentType = "application/vnd.calimero.sealed"
    private static let path = "/sealed/v2"
    private static let version: UInt8 = 2

    let table: SealedSessionTable
    let options: DevSealing
    private let clock: DevClock
    private let rate: HandshakeRate
    private let held = Locked(0)

    init(options: DevSealing, clock: DevClock) throws {
        table = try SealedSessionTable()
        self.options = options
        self.clock = clock
        rate = HandshakeRate(burst: options.handshakeBurst, perSecond: options.handshakesPerSecond)
    }

    /// Whether the path, without the node's prefix, is one of the two.
    func owns(_ path: String) -> Bool { options.isOffered && (path == Self.path || path == Self.path + "/handshake") }

    /// Only envelopes have to be there in time.
    func deadline(ofBodyAt path: String) -> Date? {
        path == Self.path ? clock.now.addingTimeInterval(options.envelopeTime) : nil
    }

    /// - Parameters:
    ///   - prefix: what the envelope's own path began with, which the inner path is served under.
    ///   - serve: serves the inner request.
    func handle(
        _ request: DevHttpRequest, path: String, prefix: String,
        _ serve: @Sendable (DevHttpRequest) async -> DevHttpResponse
    ) async -> DevHttpResponse {
        guard request.method == "POST" else {
            var response = DevHttpResponse.refused(405)
            response.headers.append(("Allow", "POST"))
            return response
        }
        do {
            guard let body = request.wholeBody else {
                throw SealedRefusal(400, "malformed", "the body could not be read")
            }
            if path == Self.path {
                let isTaken = held.withLock { held in
                    guard body.count <= options.heldLimit - held else { return false }
                    held += body.count
                    return true
                }
                guard isTaken else { throw SealedRefusal(503, "busy", "too much is being worked on; retry shortly") }
                defer { held.withLock { $0 -= body.count } }
                return try await exchange(Array(body), request, prefix, serve)
            }
            return try handshake(Array(body))
        } catch let refusal as SealedRefusal {
            return refusal.response
        } catch {
            return SealedRefusal(400, "malformed", "\(error)").response
        }
    }

    var tooLarge: DevHttpResponse {
        SealedRefusal(413, "too_large", "a sealed request has at most \(options.envelopeLimit) bytes").response
    }

    var tooLate: DevHttpResponse {
        SealedRefusal(408, "timeout", "the sealed request did not come whole in time").response
    }

    // MARK: - Handshake

    private func handshake(_ body: [UInt8]) throws -> DevHttpResponse {
        guard let version = body.first else { throw SealedRefusal(400, "malformed", "the handshake is empty") }
        guard version == Self.version else { throw SealedRefusal(400, "unsupported_version", "version \(version)") }
        guard body.count == 81 else { throw SealedRefusal(400, "malformed", "a handshake has 81 bytes") }
        let key = table.key
        guard Array(body[1..<33]) == key.publicKey else {
            throw SealedRefusal(409, "stale_transport_key", "this is not the transport key of this node any more")
        }
        guard rate.take(at: clock.now) else {
            throw SealedRefusal(503, "busy", "too many handshakes; retry shortly")
        }
        let sessionId = SecureRandom.bytes(16)
        let lifetime = withUnsafeBytes(of: options.sessionLifetime.bigEndian) { Array($0) }
        let answer: NoiseResponder.Answer
        do {
            answer = try NoiseResponder.answer(
                Array(body[33...]), secret: key.secret, publicKey: key.publicKey, payload: sessionId + lifetime)
        } catch NoiseResponder.Refusal.undecryptable {
            throw SealedRefusal(400, "undecryptable", "the handshake does not decrypt")
        } catch {
            throw SealedRefusal(400, "malformed", "the handshake means nothing")
        }
        let now = clock.now
        table.put(
            .init(
                requestKey: AesGcmKey(SecretBytes(answer.requestKey)),
                responseKey: AesGcmKey(SecretBytes(answer.responseKey)),
                endsAt: now.addingTimeInterval(TimeInterval(options.sessionLifetime))),
            id: Data(sessionId), now: now, idleLimit: options.idleLimit, limit: options.sessionLimit)
        return Self.sealed(.bytes(Data([Self.version] + answer.message)))
    }

    private static func sealed(_ body: DevHttpBody) -> DevHttpResponse {
        DevHttpResponse(
            status: 200,
            headers: [
                ("Content-Type", contentType), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"),
            ], body: body)
    }

    // MARK: - Exchange

    private func exchange(
        _ body: [UInt8], _ outer: DevHttpRequest, _ prefix: String,
        _ serve: @Sendable (DevHttpRequest) async -> DevHttpResponse
    ) async throws -> DevHttpResponse {
        guard body.count >= 41 else { throw SealedRefusal(400, "malformed", "an envelope has at least 41 bytes") }
        guard body[0] == Self.version else { throw SealedRefusal(400, "unsupported_version", "version \(body[0])") }
        let header = Array(body[..<25])
        let sessionId = Data(body[1..<17])
        let requestId = body[17..<25].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let now = clock.now
        guard let session = table.session(sessionId, now: now, idleLimit: options.idleLimit) else {
            throw SealedRefusal(409, "unknown_session", "this session is over, or was never one of this node")
        }
        guard let inner = Self.opened(body, header, session.requestKey) else {
            throw SealedRefusal(400, "undecryptable", "the request does not decrypt")
        }
        // After decryption: a forged envelope must not spend an id.
        guard requestId != 0, table.admit(requestId, of: sessionId, now: now, window: options.window) else {
            throw SealedRefusal(400, "replayed_request", "request id \(requestId) was used before")
        }
        let request = try SealedInnerRequest(inner).request(within: outer, prefix: prefix)
        let local = String(request.path.dropFirst(prefix.count))
        let answer: DevHttpResponse
        // What the seal itself answers has a body, whatever the method; routes leave it out.
        var isServed = false
        if local == Self.path || local.hasPrefix(Self.path + "/") {
            throw SealedRefusal(400, "malformed", "a sealed request cannot be sealed again")
        } else if request.headers["upgrade"] != nil {
            answer = .json(
                501,
                [
                    "error": [
                        "message": "a WebSocket cannot be sealed; subscribe over server-sent events instead"
                    ]
                ])
        } else if options.reach == .unguarded, !Self.needsNoToken(local) {
            answer = .json(
                403,
                [
                    "error": [
                        "code": "sealed_route_unguarded",
                        "message": "this route is only served through the proxy that checks tokens",
                    ]
                ])
        } else {
            answer = await serve(request)
            isServed = true
        }
        var response = Self.sealed(
            SealedAnswer(answer, isHead: isServed && request.method == "HEAD", endsAt: session.endsAt, clock: clock)
                .body(SealedFrameWriter(key: session.responseKey, header: header)))
        if answer.handlerRan { response.innerRun = (request.method, request.path) }
        return response
    }

    private static func opened(_ envelope: [UInt8], _ header: [UInt8], _ key: AesGcmKey) -> [UInt8]? {
        var isGenuine = false
        let size = envelope.count - header.count - 16
        let inner = [UInt8](unsafeUninitializedCapacity: size) { room, count in
            let output = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<size])
            isGenuine = envelope.withUnsafeBytes { envelope in
                key.open(
                    UnsafeRawBufferPointer(rebasing: envelope[header.count...]),
                    nonce: header.suffix(8) + [0, 0, 0, 0], aad: header, into: output)
            }
            count = isGenuine ? size : 0
        }
        return isGenuine ? inner : nil
    }

    /// What a node behind a proxy serves to everyone.
    private static func needsNoToken(_ path: String) -> Bool {
        let open = ["health", "ready", "is-authed", "tee/info", "tee/attest"].map { "/admin-api/" + $0 }
        if open.contains(path) { return true }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "admin-api", parts[3].count == 64,
            parts[3].utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return false }
        return ["contexts/intents", "groups/context-intents", "groups/governance-intents"].contains(
            "\(parts[2])/\(parts[4])")
    }
}

/// A refusal in the clear.
///
/// Spec: 80, section 1.7.
struct SealedRefusal: Error {
    let status: Int
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    var response: DevHttpResponse {
        var response = DevHttpResponse.json(
            status, ["error": ["code": .string(code), "message": .string(message)]],
            headers: status == 503 ? [("Retry-After", "1")] : [])
        response.handlerRan = false
        return response
    }
}
