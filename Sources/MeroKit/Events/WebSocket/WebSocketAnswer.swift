#if canImport(CCurl)
    import Foundation

    /// Collects the answer to an opening handshake.
    struct WebSocketAnswer {
        enum Outcome {
            /// More bytes are needed.
            case incomplete
            /// Status 101: the bytes behind the head belong to the WebSocket already.
            case switched(headers: [String: String], rest: [UInt8])
            case refused(status: Int, headers: [String: String], body: Data)
            case notHTTP
        }

        private static let headLimit = 256 << 10
        /// All that is taken in: answers before the real one, and chunks whose sizes are longer than what they hold, included.
        private static let limit = 1 << 20

        private var bytes: [UInt8] = []
        /// Where the head at hand begins; before it are answers that announced it.
        private var begin = 0
        private var searched = 0
        private var refusal: (status: Int, headers: [String: String])?

        /// Whether a refusal's head is there, so that what comes now is its body.
        var isRefused: Bool { refusal != nil }

        /// - Parameter isAtEnd: The other side has closed, or there is no time for more: what is there has to do.
        mutating func take(_ more: UnsafeRawBufferPointer, isAtEnd: Bool = false) -> Outcome {
            bytes.append(contentsOf: more)
            let isAtEnd = isAtEnd || bytes.count > Self.limit
            while refusal == nil {
                guard let end = headEnd() else {
                    return isAtEnd || bytes.count - begin > Self.headLimit ? .notHTTP : .incomplete
                }
                let head = Array(bytes[begin..<end])
                guard let status = Self.status(head) else { return .notHTTP }
                begin = end
                searched = end
                if status == 101 {
                    return .switched(headers: CurlHeaderLines.parse(head), rest: Array(bytes[end...]))
                }
                // Other answers of one hundred and something announce the real one.
                if status >= 200 {
                    refusal = (status, CurlHeaderLines.parse(head))
                    bytes.removeFirst(end)
                }
            }
            guard let (status, headers) = refusal else { return .notHTTP }
            guard let body = body(headers, status: status, isAtEnd: isAtEnd) else { return .incomplete }
            return .refused(status: status, headers: headers, body: body)
        }

        private mutating func headEnd() -> Int? {
            let newline = UInt8(ascii: "\n")
            var index = max(searched, begin + 1)
            while index < bytes.count {
                defer { index += 1 }
                guard bytes[index] == newline else { continue }
                if bytes[index - 1] == newline { return index + 1 }
                if index >= begin + 3, bytes[index - 1] == 0x0D, bytes[index - 2] == newline { return index + 1 }
            }
            searched = bytes.count
            return nil
        }

        /// The status of `HTTP/1.1 101 ...`.
        private static func status(_ head: [UInt8]) -> Int? {
            guard head.starts(with: "HTTP/1.".utf8), head.count > 12, head[8] == UInt8(ascii: " ") else { return nil }
            guard let status = Int(String(decoding: head[9..<12], as: UTF8.self)), status >= 100 else { return nil }
            return [0x20, 0x0D, 0x0A].contains(head[12]) ? status : nil
        }

        /// Nil while more of it must come.
        private func body(_ headers: [String: String], status: Int, isAtEnd: Bool) -> Data? {
            if status == 204 || status == 304 { return Data() }
            let limit = HTTPError.bodyTextLimit
            if headers["transfer-encoding"]?.lowercased().hasSuffix("chunked") == true {
                let (body, isWhole) = Self.dechunked(bytes)
                return isWhole || isAtEnd || body.count >= limit ? Data(body.prefix(limit)) : nil
            }
            // What is no length, a negative one among it, says nothing.
            let length = headers["content-length"].flatMap { UInt($0) }
            let wanted = length.map { Int(min($0, UInt(limit))) } ?? limit
            return bytes.count >= wanted || isAtEnd ? Data(bytes.prefix(wanted)) : nil
        }

        private static func dechunked(_ bytes: [UInt8]) -> (body: [UInt8], isWhole: Bool) {
            var body: [UInt8] = []
            var index = 0
            while let newline = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) {
                let digits = bytes[index..<newline].prefix { $0 != UInt8(ascii: ";") && $0 != 0x0D && $0 != 0x20 }
                guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size > 0 else {
                    return (body, true)
                }
                let start = newline + 1
                let end = min(size, bytes.count - start) + start
                body.append(contentsOf: bytes[start..<end])
                // A line break closes the chunk.
                guard end - start == size, bytes.count >= end + 2 else { break }
                index = end + 2
            }
            return (body, false)
        }
    }
#endif
