#if canImport(CCurl)
    import Foundation

    /// Takes the answer's body as it arrives and puts it where the request wants it.
    struct CurlBodySink {
        /// Why no more bytes are taken.
        enum Stop {
            /// The answer is complete as far as anyone wants it: the rest of an error page is of no use.
            case enough
            case failed(EngineError)
        }

        private let target: EngineSink
        private var file: EngineFile?
        /// Of a stream that is no refusal.
        private var receiver: (any EngineBodyReceiver)?
        private var hasBegun = false
        private(set) var body = Data()
        /// Whether the receiver has what it came for, so that the caller can be answered.
        private(set) var isSated = false

        init(_ target: EngineSink) { self.target = target }

        /// - Parameters:
        ///   - expected: the size that the answer announces, -1 if none; only a hint.
        mutating func write(_ bytes: UnsafeRawBufferPointer, status: Int, expected: Int) -> Stop? {
            if !hasBegun, let stop = begin(status: status) { return stop }
            if let receiver {
                switch receiver.receive(bytes) {
                case .more: return nil
                case .enough:
                    isSated = true
                    return nil
                case .stop: return .enough
                }
            }
            if let file { return Self.attempt { try file.write(bytes) } }
            switch target {
            case .memory(let limit):
                guard bytes.count <= limit - body.count else { return .failed(.tooLarge(limit: limit)) }
                if body.isEmpty, expected > bytes.count { body.reserveCapacity(min(expected, limit, 1 << 20)) }
                append(bytes)
                return nil
            case .file, .stream:
                let room = HTTPError.bodyTextLimit - body.count
                append(UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
                return bytes.count > room ? .enough : nil
            }
        }

        /// Ends a body that came whole.
        mutating func finish(status: Int) -> Stop? {
            if !hasBegun, let stop = begin(status: status) { return stop }
            return file.flatMap { file in Self.attempt { try file.close() } }
        }

        /// Leaves nothing behind.
        mutating func discard() {
            file?.discard()
            file = nil
            body = Data()
        }

        /// The file is made only when a 2xx answer is there, so that a failed call leaves an older file as it was.
        private mutating func begin(status: Int) -> Stop? {
            hasBegun = true
            guard (200..<300).contains(status) else { return nil }
            switch target {
            case .memory: return nil
            case .file(let url): return Self.attempt { file = try EngineFile(creating: url) }
            case .stream(let receiver):
                self.receiver = receiver
                return nil
            }
        }

        private mutating func append(_ bytes: UnsafeRawBufferPointer) {
            if let base = bytes.bindMemory(to: UInt8.self).baseAddress { body.append(base, count: bytes.count) }
        }

        private static func attempt(_ work: () throws -> Void) -> Stop? {
            do {
                try work()
                return nil
            } catch {
                return .failed(
                    error as? EngineError
                        ?? EngineError(kind: .file, mayHaveReachedNode: true, message: error.localizedDescription))
            }
        }
    }
#endif
