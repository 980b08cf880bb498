#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    extension Parser {
        static func events() throws -> [Parser] {
            let trees = try eventTexts.map { try JSONSpoiler(text: $0.utf8) }
            var list = [
                Parser("event-stream") { mutator in
                    let input = eventStream(trees, &mutator)
                    let limit = mutator.pick([EventStreamParser.defaultFrameLimit, 64, 1000])
                    let keepsNames = !mutator.once(in: 4)
                    let whole = items(of: [input[...]], limit, keepsNames)
                    let pieces = items(of: mutator.cut(input), limit, keepsNames)
                    try Finding.require(whole.0 == pieces.0, "other frames in other pieces")
                    try Finding.require(whole.1 == pieces.1, "another id or retry time in other pieces")
                    return whole.0.isEmpty ? .refused : .accepted
                },
                Parser("event-frame") { mutator in
                    let input = mutator.pick(trees).spoilt(&mutator)
                    guard case .event(let event) = EventFrame(json: input) else { return .refused }
                    try read(event)
                    return .accepted
                },
                Parser("websocket-message") { mutator in
                    let input = mutator.pick(trees).spoilt(&mutator)
                    switch WsMessage.classify(input) {
                    case .event(let event): try read(event)
                    case .reply(_, let data):
                        return try await reading({ $0 is MeroError }) {
                            let _: JSONValue = try JsonRpcAnswer.output(of: data)
                        }
                    case .ignored: return .refused
                    }
                    return .accepted
                },
                Parser("json-rpc") { mutator in
                    let input = Data(mutator.pick(trees).spoilt(&mutator))
                    return try await reading({ $0 is MeroError }) {
                        try? JsonRpcAnswer.throwError(in: input)
                        switch mutator.below(5) {
                        case 0: let _: String = try JsonRpcAnswer.output(of: input)
                        case 1: let _: UInt64? = try JsonRpcAnswer.output(of: input)
                        case 2: let _: [String: JSONValue] = try JsonRpcAnswer.output(of: input)
                        case 3: let _: Empty = try JsonRpcAnswer.output(of: input)
                        default: let _: JSONValue = try JsonRpcAnswer.output(of: input)
                        }
                    }
                },
            ]
            #if canImport(CCurl)
                list += handshakes
            #endif
            return list
        }

        #if canImport(CCurl)
            /// What a server answers before it is a WebSocket, and the headers of any answer.
            private static var handshakes: [Parser] {
                [
                    Parser("websocket-answer") { mutator in
                        let input = mutator.maybeSpoil(
                            Array(mutator.pick(answerHeads).utf8), with: Array(answerHeads[0].utf8))
                        let whole = answer(to: [input[...]])
                        let pieces = answer(to: mutator.cut(input))
                        try Finding.require(whole == pieces, "\(whole) in one piece, \(pieces) in others")
                        return whole.hasPrefix("switched") || whole.hasPrefix("refused") ? .accepted : .refused
                    },
                    Parser("header-lines") { mutator in
                        let input = mutator.maybeSpoil(
                            Array(mutator.pick(answerHeads).utf8), with: Array(answerHeads[2].utf8))
                        let headers = CurlHeaderLines.parse(input)
                        for (name, value) in headers {
                            try Finding.require(!value.utf8.contains(0x0A) && !name.utf8.contains(0x0A), "a line feed")
                        }
                        return headers.isEmpty ? .refused : .accepted
                    },
                ]
            }

            private static func answer(to pieces: [ArraySlice<UInt8>]) -> String {
                var answer = WebSocketAnswer()
                var rest: [UInt8] = []
                var found: String?
                let pieces = pieces.isEmpty ? [[]] : pieces
                for (index, piece) in pieces.enumerated() {
                    if found != nil {
                        rest += piece
                        continue
                    }
                    let outcome = piece.withUnsafeBytes { answer.take($0, isAtEnd: index == pieces.count - 1) }
                    switch outcome {
                    case .incomplete: continue
                    case .switched(let headers, let more):
                        found = "switched \(headers.sorted { $0.key < $1.key })"
                        rest = more
                    case .refused(let status, let headers, let body):
                        return "refused \(status) \(headers.sorted { $0.key < $1.key }) \(Array(body))"
                    case .notHTTP: return "not HTTP"
                    }
                }
                return found.map { "\($0) \(rest)" } ?? "incomplete"
            }

            private static let answerHeads = [
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: abc=\r\n\r\n\u{1}\u{2}",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 Unauthorized\r\nX-Auth-Error: token_expired\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\nWWW-Authenticate: Bearer realm=\"x\", error=\"y\"\r\n\r\n5\r\nhello\r\n1;a=b\r\n!\r\n0\r\nTrailer: x\r\n\r\n",
                "HTTP/1.1 204 No Content\r\nA: b\r\n folded\r\n\tonce more\r\nA: c\r\n\r\n",
                "HTTP/1.0 502 Bad Gateway\n\nx",
            ]
        #endif

        private static func items(
            of pieces: [ArraySlice<UInt8>], _ limit: Int, _ keepsNames: Bool
        ) -> ([String], String) {
            var parser = EventStreamParser(frameLimit: limit, keepsNames: keepsNames)
            var items: [EventStreamItem] = []
            for piece in pieces { piece.withUnsafeBytes { parser.feed($0, into: &items) } }
            parser.finish(into: &items)
            let texts = items.map { item in
                switch item {
                case .frame(let frame): return "\(Array(frame.data)) \(frame.id) \(frame.event)"
                case .oversized(let count): return "oversized \(count)"
                case .comment: return "comment"
                }
            }
            return (texts, "\(parser.lastEventId) \(String(describing: parser.retryMilliseconds))")
        }

        /// Everything that an app may ask an event for.
        private static func read(_ event: ContextEvent) throws {
            _ = (event.content, event.description, event.presenceAccount, event.presenceAuthor)
            let json = event.payloadJSON
            try Finding.require(try JSONValue(jsonBytes: json) == event.payload, "the payload is not its text")
            for contract in event.contractEvents {
                let _: JSONValue? = try? contract.decode()
            }
        }

        private static func eventStream(_ trees: [JSONSpoiler], _ mutator: inout Mutator) -> [UInt8] {
            var stream: [UInt8] = mutator.once(in: 8) ? [0xEF, 0xBB, 0xBF] : []
            for _ in 0...mutator.below(6) {
                let end = mutator.pick(["\n", "\r\n", "\r"])
                switch mutator.below(8) {
                case 0: stream += ": keep-alive\(end)".utf8
                case 1: stream += "id: \(mutator.number())\(end)event: \(mutator.pick(Mutator.pieces))\(end)".utf8
                case 2: stream += "retry:\(mutator.pick(["3000", "99999999999999999999999", "-1", "1 "]))\(end)".utf8
                case 3: stream += "data\(end)data:\(end)".utf8
                default: break
                }
                stream += "data: ".utf8
                stream += mutator.pick(trees).spoilt(&mutator)
                stream += (end + end).utf8
            }
            return mutator.once(in: 2) ? mutator.spoil(stream, with: stream) : stream
        }

        private static let eventTexts = [
            #"{"type":"connect","session_id":"s","reconnect":true}"#, #"{"type":"close","reason":"bye"}"#,
            #"{"result":{"contextId":"c","type":"StateMutation","data":{"newRoot":"77","events":[{"kind":"Set","data":[34,97,34],"handler":"h"},{"kind":"","data":[0,255,256,-1]}]}}}"#,
            #"{"result":{"contextId":"c","type":"Ephemeral","data":{"author":"a","account":"b","state":[1,2,3],"removed":false,"ageMs":18446744073709551615}}}"#,
            #"{"result":{"contextId":"c","type":"SyncStatus","data":{"syncState":{"state":"syncing","peer":"p","progress":0.5}}}}"#,
            #"{"result":{"contextId":"c","type":"AppVersionChanged","data":{"fromVersion":"1","toVersion":"2"}}}"#,
            #"{"result":{"contextId":"c","type":"XCall","data":{"fromContextId":"c","function":"f","params":[1],"toContextId":"d"}}}"#,
            #"{"result":{"groupId":"g","type":"MemberJoined","data":{"member":"m","role":"Admin","capabilities":3}}}"#,
            #"{"result":{"groupId":"g","type":"MigrationProgress","data":{"total":4,"completed":1,"failed":0,"updatedAt":1}}}"#,
            #"{"result":{"groupId":"g","type":"CascadeProgress","data":{"groups":[],"total":1,"done":1}}}"#,
            #"{"result":{"groupId":"g","type":"MigrationStarted","data":{"fromVersion":"1","toVersion":"2","total":9}}}"#,
            #"{"id":null,"error":{"type":"internal"}}"#, #"{"id":7,"result":{"output":{"a":[1,2]}}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{"output":"text"}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{"output":null}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{"output":18446744073709551615}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"type":"FunctionCallError","data":"no"}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m","data":{"x":1}}}"#,
            #"{"id":1,"result":null,"error":"text"}"#,
        ]
    }
#endif
