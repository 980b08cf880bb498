import Foundation

/// The keys that one handshake has brought, and the ids of the requests sealed with them.
///
/// Spec: 80, sections 1.3 and 1.6.
final class SealedSession: Sendable {
    /// The most that a node takes in one piece.
    static let envelopeLimit = 64 << 20
    /// Seconds before its end in which a session is not used for anything new.
    static let renewal: TimeInterval = 60
    /// Seconds without a request after which it is not used either: the node forgets it after ten minutes.
    static let idleLimit: TimeInterval = 540
    private static let version: UInt8 = 2
    private static let headerSize = 25

    private let sessionId: [UInt8]
    private let requestKey: AesGcmKey
    private let responseKey: AesGcmKey
    /// On the clock of the transport.
    private let renewAt: TimeInterval
    /// An id is used for one sealed request, ever: a second one would repeat a nonce.
    private let lastId: Locked<UInt64>
    private let lastUse: Locked<TimeInterval>

    /// - Parameters:
    ///   - now: when the answer to the handshake was read.
    ///   - lastId: the id before the first; given only by tests.
    init(_ outcome: NoiseHandshake.Outcome, now: TimeInterval, lastId: UInt64 = 0) {
        self.lastId = Locked(lastId)
        lastUse = Locked(now)
        sessionId = outcome.sessionId
        requestKey = AesGcmKey(outcome.requestKey)
        responseKey = AesGcmKey(outcome.responseKey)
        renewAt = now + TimeInterval(outcome.lifetimeSeconds) - Self.renewal
    }

    func isUsable(at now: TimeInterval) -> Bool { now < renewAt && now - lastUse.withLock { $0 } < Self.idleLimit }

    /// That a request is about to be sealed.
    func use(at now: TimeInterval) { lastUse.withLock { $0 = max($0, now) } }

    /// A request that is sealed, and what reads its answer.
    struct Sealed {
        let envelope: Data
        let reader: SealedFrameReader
    }

    /// Seals a request under an id of its own. Throws `SealedTransportError.requestTooLarge`.
    func seal(head: [UInt8], body: Data) throws(SealedTransportError) -> Sealed {
        let size = Self.headerSize + 4 + head.count + body.count + 16
        guard size <= Self.envelopeLimit else {
            throw .requestTooLarge(limit: Self.envelopeLimit - Self.headerSize - 4 - head.count - 16)
        }
        let id = lastId.withLock { last in
            last += 1
            return last
        }
        let idBytes = BigEndian.bytes(id)
        var header: [UInt8] = []
        header.reserveCapacity(Self.headerSize)
        header.append(Self.version)
        header += sessionId
        header += idBytes
        var envelope = Data(count: size)
        let isSealed = envelope.withUnsafeMutableBytes { room in
            room.copyBytes(from: header)
            let output = UnsafeMutableRawBufferPointer(rebasing: room[Self.headerSize...])
            return withUnsafeBytes(of: UInt32(head.count).bigEndian) { length in
                head.withUnsafeBytes { head in
                    body.withUnsafeBytes { body in
                        requestKey.seal(
                            [length, head, body], nonce: idBytes + [0, 0, 0, 0], aad: header, into: output)
                    }
                }
            }
        }
        guard isSealed else { throw .transportKey }
        return Sealed(
            envelope: envelope,
            reader: SealedFrameReader(responseKey: responseKey, header: header, requestId: id))
    }
}
