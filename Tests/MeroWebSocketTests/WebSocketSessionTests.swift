import Testing

@testable import MeroWebSocket

private func server(limit: Int = WebSocketSession.defaultMessageLimit) throws -> WebSocketSession {
    try #require(WebSocketSession(.server, messageLimit: limit))
}

private func client(limit: Int = WebSocketSession.defaultMessageLimit) throws -> WebSocketSession {
    try #require(WebSocketSession(.client, messageLimit: limit))
}

extension WebSocketSession {
    fileprivate func events(_ frames: Frame...) -> [WebSocketEvent] {
        receive(frames.flatMap(\.bytes))
        return takeEvents()
    }

    fileprivate var frames: [Frame] { Frame.parse(takeOutput()) ?? [] }

    /// The code of the close frame that it sent, nil when it sent anything else.
    fileprivate var closeCode: UInt16? {
        guard let frame = frames.last, frame.opcode == Frame.close, frame.payload.count >= 2 else { return nil }
        return UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1])
    }
}

extension WebSocketEvent {
    fileprivate static func text(_ text: String) -> WebSocketEvent { .text(Array(text.utf8)) }
}

@Suite("WebSocket session") struct WebSocketSessionTests {
    // MARK: Messages

    /// The examples of RFC 6455, section 5.7, byte by byte.
    @Test func theExamplesOfTheStandard() throws {
        let hello: [UInt8] = [0x48, 0x65, 0x6c, 0x6c, 0x6f]
        var session = try client()
        session.receive([0x81, 0x05] + hello)
        #expect(session.takeEvents() == [.text("Hello")])
        session = try server()
        session.receive([0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])
        #expect(session.takeEvents() == [.text("Hello")])
        session = try client()
        session.receive([0x01, 0x03, 0x48, 0x65, 0x6c])
        #expect(session.takeEvents() == [])
        session.receive([0x80, 0x02, 0x6c, 0x6f])
        #expect(session.takeEvents() == [.text("Hello")])
        session.receive([0x89, 0x05] + hello)
        #expect(session.takeEvents() == [.ping(hello)])
        #expect(session.frames.map(\.opcode) == [Frame.pong])
        session.receive([0x82, 0x7e, 0x01, 0x00] + [UInt8](repeating: 7, count: 256))
        #expect(session.takeEvents() == [.binary([UInt8](repeating: 7, count: 256))])
        session.receive([0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 9, count: 65_536))
        #expect(session.takeEvents() == [.binary([UInt8](repeating: 9, count: 65_536))])
    }

    @Test(arguments: [0, 1, 125, 126, 127, 4095, 4096, 4097, 65_535, 65_536, 1 << 20])
    func everyLengthGoesThrough(length: Int) throws {
        let (client, server) = (try client(), try server())
        let payload = (0..<length).map { UInt8($0 % 95 + 32) }
        #expect(client.send(text: payload) && client.send(binary: payload))
        let toServer = client.takeOutput()
        let frames = try #require(Frame.parse(toServer))
        #expect(frames.map(\.payload) == [payload, payload])
        #expect(frames.allSatisfy { $0.mask != nil && $0.fin && $0.reserved == 0 })
        server.receive(toServer)
        #expect(server.takeEvents() == [.text(payload), .binary(payload)])
        #expect(server.send(text: payload) && server.send(binary: payload))
        let toClient = server.takeOutput()
        #expect(Frame.parse(toClient)?.map(\.mask) == [nil, nil])
        client.receive(toClient)
        #expect(client.takeEvents() == [.text(payload), .binary(payload)])
    }

    @Test func everyMaskIsAnother() throws {
        let session = try client()
        for _ in 0..<200 { session.send(text: []) }
        let masks = Set(session.frames.compactMap(\.mask))
        #expect(masks.count > 195)
        #expect(!masks.contains([0, 0, 0, 0]) || masks.count > 198)
    }

    @Test func fragmentsAreJoinedAroundControlFrames() throws {
        let session = try server()
        let events = session.events(
            Frame(Frame.text, "Gr\u{fc}", fin: false), Frame(Frame.ping, "1"),
            Frame(Frame.continuation, "", fin: false),
            Frame(Frame.continuation, "\u{df}e", fin: false), Frame(Frame.pong, "2"),
            Frame(Frame.continuation, " \u{1f30d}"),
            Frame(Frame.binary, [0xff], fin: false), Frame(Frame.continuation, [0xfe]))
        #expect(
            events == [
                .ping([0x31]), .pong([0x32]), .text("Gr\u{fc}\u{df}e \u{1f30d}"), .binary([0xff, 0xfe]),
            ])
        #expect(session.frames == [Frame(Frame.pong, "1", mask: nil)])
    }

    @Test func aMillionFragmentsOfOneByte() throws {
        let session = try server()
        session.receive(Frame(Frame.binary, [1], fin: false).bytes)
        let piece = Array(repeating: Frame(Frame.continuation, [1], fin: false).bytes, count: 10_000).flatMap { $0 }
        for _ in 0..<100 { session.receive(piece) }
        session.receive(Frame(Frame.continuation, []).bytes)
        #expect(session.takeEvents() == [.binary([UInt8](repeating: 1, count: 1_000_001))])
    }

    /// The same bytes, cut in two at every place, and into single bytes.
    @Test func everySplitPosition() throws {
        let long = String(repeating: "x", count: 300)
        let frames = [
            Frame(Frame.text, "Gr\u{fc}\u{df}", fin: false), Frame(Frame.ping, "?"),
            Frame(Frame.continuation, "\u{1f30d}"),
            Frame(Frame.binary, [0, 255]), Frame(Frame.text, long), Frame(Frame.text, ""), Frame.close(1000, "bye"),
        ]
        let expected: [WebSocketEvent] = [
            .ping([0x3f]), .text("Gr\u{fc}\u{df}\u{1f30d}"), .binary([0, 255]), .text(long), .text(""),
            .close(code: 1000, reason: "bye"),
        ]
        let bytes = frames.flatMap(\.bytes)
        for split in 0...bytes.count {
            let session = try server()
            session.receive(Array(bytes[..<split]))
            session.receive(Array(bytes[split...]))
            #expect(session.takeEvents() == expected, "split at \(split)")
            // A ping needs no answer any more once the close frame was read.
            let answers = session.frames.map(\.opcode)
            let isReadTogether = split < 19 || split == bytes.count
            #expect(answers == [Frame.pong, Frame.close] || (isReadTogether && answers == [Frame.close]))
        }
        let session = try server()
        for byte in bytes { session.receive([byte]) }
        #expect(session.takeEvents() == expected)
    }

    // MARK: UTF-8

    @Test(
        arguments: [
            [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x61, 0x80], [0xe2, 0x82],
            [0xf8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func textThatIsNoUTF8IsRefused(payload: [UInt8]) throws {
        for split in 0...payload.count {
            let session = try server()
            let events = session.events(
                Frame(Frame.text, Array(payload[..<split]), fin: false),
                Frame(Frame.continuation, Array(payload[split...])), Frame(Frame.text, "later"))
            #expect(events == [.failed(code: 1007)])
            #expect(session.closeCode == 1007 && session.isOver && !session.isReading)
        }
    }

    @Test func aCharacterMayBeSplitBetweenFragments() throws {
        let globe: [UInt8] = [0xf0, 0x9f, 0x8c, 0x8d]
        for split in 0...4 {
            let events = try server().events(
                Frame(Frame.text, Array(globe[..<split]), fin: false),
                Frame(Frame.continuation, Array(globe[split...])))
            #expect(events == [.text(globe)])
        }
    }

    // MARK: Limits

    @Test func theLimitCountsWholeMessages() throws {
        var session = try server(limit: 10)
        #expect(session.events(Frame(Frame.text, "0123456789")) == [.text("0123456789")])
        #expect(session.events(Frame(Frame.text, "0123456789x"), Frame(Frame.text, "y")) == [.failed(code: 1009)])
        #expect(session.closeCode == 1009)
        session = try server(limit: 10)
        let events = session.events(
            Frame(Frame.text, "01234", fin: false), Frame(Frame.ping, "p"),
            Frame(Frame.continuation, "56789", fin: false),
            Frame(Frame.continuation, "", fin: false), Frame(Frame.continuation, "x"), Frame(Frame.text, "y"))
        #expect(events == [.ping([0x70]), .failed(code: 1009)])
        #expect(session.closeCode == 1009)
    }

    /// The head and one byte are enough: nobody has to send what is too large to be refused.
    @Test(arguments: [(1 << 24) + 1, Int(UInt32.max), Int.max]) func aClaimIsEnoughToRefuse(length: Int) throws {
        let session = try server()
        let digits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
        session.receive([0x82, 0xff] + digits + [1, 2, 3, 4, 5])
        #expect(session.takeEvents() == [.failed(code: 1009)])
        #expect(session.closeCode == 1009)
    }

    @Test func aMessageOfTheDefaultLimitIsTaken() throws {
        let session = try client()
        let payload = [UInt8](repeating: 5, count: 16 << 20)
        #expect(session.events(Frame(Frame.binary, payload, mask: nil)) == [.binary(payload)])
    }

    // MARK: Errors

    /// What a server gets, and what a client would get, that breaks the protocol.
    @Test(arguments: [
        Frame(Frame.text, "x", mask: nil), Frame(Frame.text, [], reserved: 4), Frame(Frame.text, [], reserved: 2),
        Frame(Frame.text, [], reserved: 1), Frame(Frame.ping, [], reserved: 4), Frame(3), Frame(7), Frame(11),
        Frame(15),
        Frame(Frame.continuation, "x"), Frame(Frame.ping, "x", fin: false), Frame(Frame.close, [], fin: false),
        Frame(Frame.ping, [UInt8](repeating: 0, count: 126)), Frame(Frame.close, [UInt8](repeating: 0, count: 126)),
        Frame(Frame.close, [3]), Frame.close(0), Frame.close(999), Frame.close(1004), Frame.close(1005),
        Frame.close(1006),
        Frame.close(1015), Frame.close(2999), Frame.close(5000), Frame.close(65_535),
    ])
    func brokenFrames(frame: Frame) throws {
        let session = try server()
        #expect(session.events(frame, Frame(Frame.text, "later")) == [.failed(code: 1002)], "\(frame)")
        #expect(session.closeCode == 1002)
        #expect(session.isOver && !session.isReading)
    }

    @Test func aClientRefusesMasksAndMasksItsRefusals() throws {
        for frame in [
            Frame(Frame.text, "x"), Frame(Frame.ping, "x", fin: false, mask: nil), Frame(Frame.close, [3], mask: nil),
        ] {
            let session = try client()
            #expect(session.events(frame) == [.failed(code: 1002)])
            let answer = try #require(session.frames.last)
            #expect(answer.opcode == Frame.close && answer.mask != nil && answer.payload == [3, 234])
        }
    }

    @Test func whoHasSaidGoodbyeDoesNotSayItAgain() throws {
        let session = try server()
        session.close(code: 1001)
        #expect(session.events(Frame(Frame.ping, "x", fin: false)) == [.failed(code: 1002)])
        #expect(session.frames.map(\.payload) == [[3, 233]])
        #expect(session.isOver)
    }

    @Test func aMessageInsideAnother() throws {
        let session = try server()
        #expect(session.events(Frame(Frame.text, "a", fin: false), Frame(Frame.text, "b")) == [.failed(code: 1002)])
        #expect(session.closeCode == 1002)
    }

    @Test func lengthsAreWrittenTheShortestWay() throws {
        for bytes in [[0x82, 0xfe, 0, 125, 1, 2, 3, 4], [0x82, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1, 2, 3, 4]]
            as [[UInt8]]
        {
            let session = try server()
            session.receive(bytes)
            #expect(session.takeEvents() == [.failed(code: 1002)])
            #expect(session.closeCode == 1002)
        }
    }

    // MARK: Closing

    @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999] as [UInt16])
    func closeCodesAreEchoed(code: UInt16) throws {
        let session = try server()
        #expect(session.events(Frame.close(code, "w\u{e4}rum")) == [.close(code: code, reason: "w\u{e4}rum")])
        #expect(session.closeCode == code)
        #expect(session.isOver && !session.isReading)
        #expect(!session.send(text: [0x61]) && session.outputCount == 0)
    }

    @Test func aCloseWithoutACode() throws {
        let session = try client()
        #expect(session.events(Frame(Frame.close, [], mask: nil)) == [.close(code: nil, reason: "")])
        #expect(session.frames.map(\.payload) == [[]])
        #expect(session.isOver)
    }

    @Test func aReasonThatIsNoUTF8() throws {
        let session = try server()
        #expect(session.events(Frame(Frame.close, [3, 232, 0xff])) == [.failed(code: 1007)])
        #expect(session.closeCode == 1007)
    }

    @Test func closingFirst() throws {
        let (client, server) = (try client(), try server())
        #expect(server.close(code: 1002, reason: "Ping timeout"))
        #expect(!server.send(text: [0x61]) && !server.close(code: 1000) && !server.isOver && server.isReading)
        client.send(text: [0x62])
        server.receive(client.takeOutput())
        #expect(server.takeEvents() == [.text("b")])
        client.receive(server.takeOutput())
        #expect(client.takeEvents() == [.close(code: 1002, reason: "Ping timeout")])
        server.receive(client.takeOutput())
        #expect(server.takeEvents() == [.close(code: 1002, reason: "Ping timeout")])
        #expect(client.isOver && server.isOver && client.outputCount == 0 && server.outputCount == 0)
    }

    @Test func aLongReasonIsCutBetweenCharacters() throws {
        let session = try server()
        #expect(session.close(code: 4000, reason: String(repeating: "\u{1f30d}", count: 40)))
        let frame = try #require(session.frames.last)
        #expect(frame.payload.dropFirst(2).elementsEqual(String(repeating: "\u{1f30d}", count: 30).utf8))
        #expect(try client().events(frame) == [.close(code: 4000, reason: String(repeating: "\u{1f30d}", count: 30))])
        let exact = try server()
        #expect(exact.close(code: 4000, reason: String(repeating: "r", count: 123)))
        #expect(exact.frames.last?.payload.count == 125)
    }

    @Test func nothingComesAfterAClose() throws {
        let session = try server()
        let events = session.events(Frame.close(1000), Frame(Frame.text, "x"), Frame(Frame.ping, "y"))
        #expect(events == [.close(code: 1000, reason: "")])
        #expect(session.frames.map(\.opcode) == [Frame.close])
        session.receive(Frame(Frame.text, "z").bytes)
        #expect(session.takeEvents() == [])
    }

    @Test func pings() throws {
        let session = try client()
        #expect(session.ping() && session.ping([UInt8](repeating: 1, count: 125)))
        #expect(!session.ping([UInt8](repeating: 1, count: 126)))
        #expect(session.frames.map(\.payload.count) == [0, 125])
        #expect(session.events(Frame(Frame.pong, mask: nil), Frame(Frame.ping, mask: nil)) == [.pong([]), .ping([])])
        #expect(session.frames.map(\.opcode) == [Frame.pong])
    }

    // MARK: Noise

    /// Whatever comes, there is an orderly end: no crash, one failure at most, nothing read after it.
    @Test func noise() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = Generator(state: seed)
        for round in 0..<3000 {
            let session = try #require(WebSocketSession(round % 2 == 0 ? .server : .client, messageLimit: 4096))
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                var frame = Frame(
                    [0, 1, 2, 8, 9, 10, 3].randomElement(using: &random) ?? 1,
                    (0..<Int.random(in: 0...200, using: &random)).map { _ in
                        UInt8.random(in: 0x20...0x90, using: &random)
                    },
                    fin: .random(using: &random), mask: round % 2 == 0 ? [9, 8, 7, 6] : nil)
                if Int.random(in: 0..<20, using: &random) == 0 { frame.reserved = 4 }
                bytes += frame.bytes
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            var events: [WebSocketEvent] = []
            while !bytes.isEmpty {
                let count = min(bytes.count, Int.random(in: 1...50, using: &random))
                session.receive(Array(bytes[..<count]))
                bytes.removeFirst(count)
                events += session.takeEvents()
            }
            let ends = events.filter { event in
                switch event {
                case .failed, .close: true
                default: false
                }
            }
            #expect(ends.count <= 1, "seed \(seed), round \(round)")
            #expect(ends.isEmpty == session.isReading, "seed \(seed), round \(round)")
            #expect(ends.isEmpty || events.last == ends.last, "seed \(seed), round \(round)")
            #expect(session.frames.isEmpty || session.outputCount == 0)
        }
    }
}

private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
