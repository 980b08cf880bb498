import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

#if os(Linux)
    /// What a client does when its connection ends, or never comes to be.
    @Suite("WebSocket client: connecting again") struct WsReconnectTests {
        enum Ending: String, CaseIterable, Sendable {
            case reset, cut, closed, closedWithoutCode, forbiddenCode, garbage, oversized, restart

            func strike(_ fixture: WsFixture) async throws {
                let sockets = fixture.node.webSockets
                switch self {
                case .reset: sockets.cutAll()
                case .cut: fixture.node.streams.cutAll()
                case .closed: sockets.closeAll(code: 1011, reason: "upgrading")
                case .closedWithoutCode: sockets.closeAll(code: nil)
                case .forbiddenCode: sockets.closeAll(code: 1006)
                case .garbage: sockets.send(raw: Data([0xff, 0x01, 0x41]))
                // A text frame of 17 MiB is announced, and begins.
                case .oversized: sockets.send(raw: Data([0x81, 127, 0, 0, 0, 0, 1, 16, 0, 0, 0x41]))
                case .restart: try await fixture.node.restart()
                }
            }
        }

        @Test(arguments: Ending.allCases) func everythingIsSubscribedToAgain(ending: Ending) async throws {
            try await WsFixture.start().run { fixture in
                let group = try fixture.node.createGroup()
                let client = fixture.client()
                let record = WsRecord(client)
                try await client.subscribe(contextIds: [fixture.context])
                client.connect()
                try await fixture.emitUntilHeard { !record.events.isEmpty }
                try await client.subscribe(contextIds: [], groupIds: [group])
                let heard = Locked<Set<String>>([])
                let stream = client.events(contextIds: [fixture.context])
                let reading = Task {
                    for try await event in stream { heard.withLock { _ = $0.insert(event.kind) } }
                }
                try await eventually {
                    fixture.node.emit(.other(type: "Hello", data: nil), context: fixture.context) == 2
                }
                for round in 1...3 {
                    try await ending.strike(fixture)
                    let account = String(repeating: "\(round)", count: 64)
                    let kind = "Round\(round)"
                    // Again and again: what is emitted into a dying connection is lost.
                    try await eventually {
                        fixture.node.emit(.memberRemoved(account: account), group: group)
                        fixture.node.emit(.other(type: kind, data: nil), context: fixture.context)
                        let members = record.events.filter { $0.groupId == group }
                        return record.events.contains { $0.kind == kind } && heard.withLock { $0.contains(kind) }
                            && members.contains { $0.payload["data"]?["memberAccount"]?.stringValue == account }
                    }
                    try await eventually { record.errors.count >= round }
                    // Each was missing events for a while, and is told.
                    try await eventually {
                        record.events.filter { $0.isGap && $0.contextId == fixture.context }.count == round
                            && record.events.filter { $0.isGap && $0.groupId == group }.count == round
                            && heard.withLock { $0.contains(ContextEvent.gapKind) }
                    }
                }
                for error in record.errors {
                    guard case MeroError.network = error else { return #expect(Bool(false), "\(error)") }
                }
                if ending == .closed { #expect(record.texts.first?.contains("1011 upgrading") == true) }
                reading.cancel()
                try await reading.value
                client.close()
            }
        }

        /// The delays of the contract, and that an opened connection starts them anew.
        @Test func theDelaysGrow() async throws {
            #expect((0...8).map(WebSocketTiming().delay) == [1, 2, 4, 8, 16, 30, 30, 30, 30])
            #expect(WebSocketTiming().delay(Int.max) == 30)
            let asked = Locked<[Int]>([])
            var timing = WebSocketTiming.quick
            timing.delay = { attempt in
                asked.withLock { $0.append(attempt) }
                return 0.001
            }
            let server = try ScriptedServer { peer in
                // Every fifth connection opens, and closes at once.
                guard peer.index % 5 == 4 else {
                    _ = try peer.readHead()
                    return try peer.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
                }
                try ScriptedWebSocket(peer).close(1001)
            }
            let client = try wsClient(server, timing: timing)
            client.connect()
            try await eventually { asked.withLock { $0.count } >= 12 }
            client.close()
            #expect(asked.withLock { $0 }.prefix(12) == [0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2])
        }

        @Test func theTokenIsAskedForBeforeEachAttempt() async throws {
            try await WsFixture.start().run { fixture in
                let good = fixture.token.withLock { token in
                    defer { token = nil }
                    return token
                }
                let client = fixture.client()
                let record = WsRecord(client)
                client.connect()
                try await eventually { record.errors.count >= 3 }
                #expect(fixture.asked.withLock { $0 } >= 3)
                #expect(fixture.node.requests.isEmpty)
                #expect(record.texts.first?.contains("no access token") == true)
                fixture.token.withLock { $0 = " " }
                let before = record.errors.count
                try await eventually { record.errors.count >= before + 2 }
                #expect(fixture.node.requests.isEmpty)
                fixture.token.withLock { $0 = good }
                try await eventually { fixture.node.webSockets.count == 1 }
                client.close()
            }
        }

        @Test func aTokenThatNoHeaderCarriesIsNotSent() async throws {
            try await WsFixture.start().run { fixture in
                fixture.token.withLock { $0 = "secret\r\nX-Evil: 1" }
                let client = fixture.client()
                let record = WsRecord(client)
                client.connect()
                try await eventually { !record.errors.isEmpty }
                client.close()
                #expect(fixture.node.requests.isEmpty)
                #expect(record.texts.allSatisfy { !$0.contains("secret") })
            }
        }

        // MARK: Refusals

        /// A status, an `x-auth-error`, and whether the end of the session is told.
        @Test(
            arguments: [
                (403, "token_revoked", true), (403, "token_reuse", true), (401, "token_reuse", true),
                (401, "token_revoked", true), (403, "permission_denied", false), (403, nil, false),
            ] as [(Int, String?, Bool)])
        func refusalsForGood(status: Int, reason: String?, isRevocation: Bool) async throws {
            try await WsFixture.start().run { fixture in
                let headers = reason.map { ["X-Auth-Error": $0] } ?? [:]
                let fault = fixture.node.inject(
                    .status(status, body: Data("why".utf8), headers: headers), on: "GET /ws", times: nil)
                func check(_ error: any Error) {
                    switch error {
                    case MeroError.authRevoked(let told, let http) where isRevocation:
                        #expect(told == reason && http.status == status && http.bodyText == "why")
                    case MeroError.http(let http) where !isRevocation:
                        #expect(
                            http.status == status && http.bodyText == "why" && http.headers["x-auth-error"] == reason)
                        #expect(http.url == "ws://127.0.0.1:\(fixture.node.port)/ws")
                    default: Issue.record("\(error)")
                    }
                }
                let client = fixture.client(refused: { _, _ in
                    Issue.record("Nobody asks about a refusal for good")
                    return .retryNow
                })
                do {
                    for try await _ in client.events(contextIds: [fixture.context]) {}
                    Issue.record("The stream ended without an error")
                } catch {
                    check(error)
                }
                let record = WsRecord(client)
                try await client.subscribe(contextIds: [fixture.context])
                client.connect()
                try await eventually { record.errors.count == 1 }
                for error in record.errors { check(error) }
                #expect(fault.hits == 2)
                // It is over until somebody says so, and then the ids are still known.
                fault.remove()
                client.connect()
                try await fixture.emitUntilHeard { !record.events.isEmpty }
                #expect(record.errors.count == 1)
                client.close()
            }
        }

        /// The node's own verdicts, not injected ones.
        @Test func aTokenWithoutTheScopeAndARevokedOne() async throws {
            try await WsFixture.start(permissions: ["context:execute"]).run { fixture in
                let denied = await meroError {
                    for try await _ in fixture.client().events(contextIds: [fixture.context]) {}
                }
                #expect(denied?.httpStatus == 403)
                fixture.token.withLock { $0 = fixture.node.mintTokens().accessToken }
                fixture.node.revokeFamilies()
                let revoked = await meroError {
                    for try await _ in fixture.client().events(contextIds: [fixture.context]) {}
                }
                guard case .authRevoked("token_revoked", _)? = revoked else {
                    return #expect(Bool(false), "\(String(describing: revoked))")
                }
            }
        }

        @Test func otherRefusalsAreReportedAndTriedAgain() async throws {
            try await WsFixture.start().run { fixture in
                let statuses = [500, 502, 429, 404, 302]
                for status in statuses { fixture.node.inject(.status(status), on: "GET /ws") }
                let client = fixture.client()
                let record = WsRecord(client)
                client.connect()
                try await eventually { fixture.node.webSockets.count == 1 }
                #expect(record.errors.compactMap { ($0 as? MeroError)?.httpStatus } == statuses)
                client.close()
            }
        }

        // MARK: 401

        @Test func aFreshTokenIsTriedAtOnce() async throws {
            var timing = WebSocketTiming()
            timing.delay = { _ in 3600 }
            try await WsFixture.start().run { fixture in
                fixture.node.expireAccessTokens()
                let seen = Locked<[HTTPError]>([])
                let client = fixture.client(timing: timing) { refusal, _ in
                    seen.withLock { $0.append(refusal) }
                    fixture.token.withLock { $0 = fixture.node.mintTokens().accessToken }
                    return .retryNow
                }
                let record = WsRecord(client)
                client.connect()
                try await eventually { fixture.node.webSockets.count == 1 }
                #expect(seen.withLock { $0.map(\.status) } == [401])
                #expect(seen.withLock { $0.first?.headers["x-auth-error"] } == "token_expired")
                #expect(record.errors.isEmpty)
                client.close()
            }
        }

        @Test func withoutABetterTokenTheDelayIsKept() async throws {
            try await WsFixture.start().run { fixture in
                fixture.node.expireAccessTokens()
                let client = fixture.client()
                let record = WsRecord(client)
                client.connect()
                try await eventually { record.errors.count == 3 }
                #expect(record.errors.allSatisfy { ($0 as? MeroError)?.httpStatus == 401 })
                fixture.token.withLock { $0 = fixture.node.mintTokens().accessToken }
                try await eventually { fixture.node.webSockets.count == 1 }
                client.close()
            }
        }

        @Test func theHookMayEndTheStream() async throws {
            struct OwnError: Error {}
            try await WsFixture.start().run { fixture in
                fixture.node.expireAccessTokens()
                let client = fixture.client(refused: { _, _ in .finish(OwnError()) })
                await #expect(throws: OwnError.self) {
                    for try await _ in client.events(contextIds: [fixture.context]) {}
                }
                #expect(fixture.node.requestCount("GET", "/ws") == 1)
            }
        }

        /// A node that refuses whatever it is shown is not asked as fast as it answers.
        @Test func onlyTheFirstRetryIsAtOnce() async throws {
            let delays = Locked(0)
            var timing = WebSocketTiming()
            timing.delay = { _ in
                delays.withLock { $0 += 1 }
                return 0.001
            }
            try await WsFixture.start().run { fixture in
                fixture.node.expireAccessTokens()
                let client = fixture.client(timing: timing, refused: { _, _ in .retryNow })
                client.connect()
                try await eventually { delays.withLock { $0 } >= 5 }
                client.close()
                let requests = fixture.node.requestCount("GET", "/ws")
                #expect((6...8).contains(requests), "\(requests)")
            }
        }

        // MARK: Promptness

        /// Whatever it waits for, an ended stream is over at once.
        enum Wait: String, CaseIterable, Sendable { case token, hook, delay, connection, answer, events }

        @Test(arguments: Wait.allCases) func endsAtOnceWhile(_ wait: Wait) async throws {
            var timing = WebSocketTiming()
            timing.delay = { _ in 3600 }
            let isWaiting = Locked(false)
            @Sendable func stay() async {
                isWaiting.withLock { $0 = true }
                // Deaf to cancellation.
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().asyncAfter(deadline: .now() + 20) { continuation.resume() }
                }
            }
            let silent = try ScriptedServer { peer in
                _ = try peer.readHead()
                isWaiting.withLock { $0 = true }
                peer.waitForStop()
            }
            try await WsFixture.start().run { fixture in
                if wait == .hook { fixture.node.expireAccessTokens() }
                if wait == .delay { fixture.token.withLock { $0 = nil } }
                var base = fixture.node.url
                if wait == .answer { base = try #require(URL(string: silent.url)) }
                // Nobody answers there: the address is set aside for documentation.
                if wait == .connection { base = try #require(URL(string: "http://192.0.2.1:9")) }
                let (token, asked) = (fixture.token, fixture.asked)
                let client = WsClient(
                    baseURL: base,
                    token: {
                        if wait == .token { await stay() }
                        asked.withLock { $0 += 1 }
                        return token.withLock { $0 }
                    }, connector: CurlWebSocketConnector(timing: timing),
                    refused: { _, _ in
                        await stay()
                        return .retryNow
                    }, timing: timing)
                let stream = client.events(contextIds: [fixture.context])
                let reading = Task { for try await _ in stream {} }
                switch wait {
                case .token, .hook, .answer: try await eventually { isWaiting.withLock { $0 } }
                case .delay, .connection: try await eventually { asked.withLock { $0 } == 1 }
                case .events: try await eventually { fixture.node.webSockets.count == 1 }
                }
                let start = Date()
                reading.cancel()
                try await reading.value
                #expect(Date().timeIntervalSince(start) < 5)
                if wait == .events { try await eventually { fixture.node.openConnections == 0 } }
                if wait == .answer { try await eventually { silent.openConnections <= 1 } }
            }
            withExtendedLifetime(silent) {}
        }

        @Test func nothingIsLeft() async throws {
            try await WsFixture.start().run { fixture in
                let loop = CurlWebSocketLoop()
                for _ in 0..<3 {
                    let client = fixture.client(loop: loop)
                    let streams = (0..<20).map { _ in client.events(contextIds: [fixture.context]) }
                    client.connect()
                    try await eventually { fixture.node.webSockets.count == 21 }
                    #expect(loop.isRunning)
                    client.close()
                    withExtendedLifetime(streams) {}
                    for stream in streams {
                        let reading = Task { for try await _ in stream {} }
                        reading.cancel()
                        try await reading.value
                    }
                    try await eventually {
                        fixture.node.openConnections == 0 && fixture.node.webSockets.count == 0 && !loop.isRunning
                    }
                }
            }
        }

        /// One that does not come to be holds up nobody.
        @Test func aSlowConnectionBlocksNoOther() async throws {
            let loop = CurlWebSocketLoop()
            let silent = try ScriptedServer { peer in peer.waitForStop() }
            let slow = try wsClient(silent, loop: loop)
            slow.connect()
            try await eventually { silent.connections == 1 }
            try await WsFixture.start().run { fixture in
                let client = fixture.client(loop: loop)
                let record = WsRecord(client)
                try await client.subscribe(contextIds: [fixture.context])
                client.connect()
                try await fixture.emitUntilHeard { !record.events.isEmpty }
                client.close()
            }
            slow.close()
            try await eventually { !loop.isRunning }
        }
    }
#endif
