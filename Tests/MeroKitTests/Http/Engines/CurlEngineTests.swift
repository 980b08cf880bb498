#if canImport(CCurl)
    import CCurl
    import Foundation
    import Testing

    @testable import MeroKit

    /// What is particular to the engine over libcurl; what all engines have in common is tested for each of them in the
    /// suites beside this one.
    @Suite struct CurlEngineTests {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

        // MARK: A handle serves one call after another

        /// Settings last from call to call, so every kind of request must come out right after every other kind.
        @Test func nothingOfOneCallIsLeftInTheNext() async throws {
            let seed = UInt64.random(in: 0 ... .max)
            print("seed of nothingOfOneCallIsLeftInTheNext: \(seed)")
            var random = SeededGenerator(seed: seed)
            let folder = try TemporaryFolder()
            let server = try ScriptedServer.answering { request in
                // An answer to HEAD announces a body that does not follow.
                request.method == "HEAD" ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" : Self.ok
            }
            let engine = CurlEngine()
            let pattern = Data((0..<201_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            for number in 0..<200 {
                let method = try #require(
                    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].randomElement(using: &random))
                let count = try #require([0, 1, 100, 65_535, 65_536, 200_000].randomElement(using: &random))
                let bytes = pattern[number..<number + count]
                let kind = method == "HEAD" ? 0 : Int.random(in: 0...2, using: &random)
                if kind == 2 { try bytes.write(to: folder.file("body")) }
                let body: EngineBody = [.none, .bytes(bytes), .file(folder.file("body"))][kind]
                var headers = [("X-Number", "\(number)")]
                if Bool.random(using: &random) { headers.append(("Content-Type", "text/x-\(number)")) }
                if Bool.random(using: &random) { headers.append(("Accept", "application/json")) }
                if Bool.random(using: &random) { headers.append(("Content-Length", "7")) }
                let sink: EngineSink = Bool.random(using: &random) ? .file(folder.file("down")) : .memory(limit: 2)
                let target = Bool.random(using: &random) ? "/fixed" : "/\(number)"

                let response = try await engine.perform(
                    EngineRequest(
                        server.url + target, method: method, headers: headers, body: body,
                        once: Int.random(in: 0..<10, using: &random) == 0, sink: sink))

                let seen = try #require(server.requests.last)
                #expect(server.requests.count == number + 1)
                #expect(seen.method == method)
                #expect(seen.target == target)
                #expect(seen.body == (kind == 0 ? Data() : bytes))
                #expect(seen.values("X-Number") == ["\(number)"])
                for name in ["Content-Type", "Accept"] {
                    #expect(seen.values(name) == headers.filter { $0.0 == name }.map(\.1))
                }
                let announces = kind != 0 || ["POST", "PUT", "PATCH"].contains(method)
                #expect(seen.values("Content-Length") == (announces ? ["\(kind == 0 ? 0 : count)"] : []))
                #expect(seen.values("Expect").isEmpty && seen.values("User-Agent").isEmpty)
                #expect(seen.values("Transfer-Encoding").isEmpty)
                if case .file = sink {
                    #expect(response.body.isEmpty)
                    #expect(
                        try Data(contentsOf: folder.file("down")) == (method == "HEAD" ? Data() : Data("ok".utf8)))
                } else {
                    #expect(response.body == (method == "HEAD" ? Data() : Data("ok".utf8)))
                }
            }
        }

        @Test func aHeaderMayBeEmpty() async throws {
            let server = try ScriptedServer.answering { _ in Self.ok }
            let headers = [("X-Empty", ""), ("X-Blank", "  "), ("Accept", "")]
            _ = try await CurlEngine().perform(EngineRequest(server.url, headers: headers))
            for (name, _) in headers { #expect(server.requests.last?.values(name) == [""]) }
        }

        @Test func credentialsInTheUrlBecomeNoHeader() async throws {
            let server = try ScriptedServer.answering { _ in
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"
            }
            let response = try await CurlEngine().perform(
                EngineRequest("http://ada:secret@127.0.0.1:\(server.port)/a?b"))
            #expect(response.status == 401)
            #expect(server.requests.count == 1)
            #expect(server.requests.last?.target == "/a?b")
            #expect(server.requests.last?.values("Authorization") == [])
            #expect(server.requests.last?.values("Host") == ["127.0.0.1:\(server.port)"])
        }

        // MARK: Sending twice

        /// A connection that is warm, and that the server ends as soon as it has a second request on it.
        private func cuttingTheSecond() throws -> ScriptedServer {
            try ScriptedServer { peer in
                guard try peer.readRequest() != nil else { return }
                try peer.send(Self.ok)
                while try peer.readRequest() != nil {
                    if peer.index == 0 { return }
                    try peer.send(Self.ok)
                }
            }
        }

        @Test(arguments: ["GET", "POST", "DELETE"])
        func libcurlRepeatsAnOrdinaryRequest(method: String) async throws {
            let server = try cuttingTheSecond()
            let engine = CurlEngine()
            let body: EngineBody = method == "POST" ? .bytes(Data("x".utf8)) : .none
            _ = try await engine.perform(EngineRequest(server.url + "/warm"))
            let response = try await engine.perform(EngineRequest(server.url + "/again", method: method, body: body))
            #expect(response.status == 200)
            #expect(server.requests.filter { $0.target == "/again" }.count == 2)
        }

        @Test(arguments: ["GET", "POST", "DELETE"])
        func aRequestForOnceTakesNoWarmConnection(method: String) async throws {
            let server = try cuttingTheSecond()
            let engine = CurlEngine()
            let body: EngineBody = method == "POST" ? .bytes(Data("x".utf8)) : .none
            _ = try await engine.perform(EngineRequest(server.url + "/warm"))
            let response = try await engine.perform(
                EngineRequest(server.url + "/once", method: method, body: body, once: true))
            #expect(response.status == 200)
            #expect(server.requests.filter { $0.target == "/once" }.map(\.connection) == [1])
        }

        /// Whatever makes libcurl begin anew, a refused HTTP/2 stream for instance, it asks before it sends.
        @Test(arguments: [false, true])
        func aSecondSendingIsStopped(once: Bool) throws {
            let handle = try #require(
                CurlHandle(
                    clock: CurlClock(), sockets: CurlSockets(), shared: CurlShare(), farewells: CurlFarewells(),
                    authorities: .system))
            let transfer = CurlTransfer(EngineRequest("http://127.0.0.1:1/", method: "POST", once: once))
            try handle.begin(transfer)
            #expect(handle.willSend(from: 0))
            #expect(handle.willSend(from: 0) == !once)
            guard once else { return }
            guard case .failure(let error as EngineError) = handle.end(CURLE_ABORTED_BY_CALLBACK).outcome else {
                Issue.record("No EngineError")
                return
            }
            #expect(error.kind == .connectionLost)
            #expect(error.mayHaveReachedNode)
        }

        // MARK: The end

        @Test func aClosedEngineAnswersEveryCaller() async throws {
            let server = try ScriptedServer { peer in
                _ = try peer.readHead()
                peer.waitForEnd()
            }
            let folder = try TemporaryFolder()
            let engine = CurlEngine()
            try await withThrowingTaskGroup(of: EngineError?.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        await engineError {
                            try await engine.perform(
                                EngineRequest(server.url, sink: .file(folder.file("\(number)"))))
                        }
                    }
                }
                try await eventually { server.openConnections == 50 }
                engine.close()
                for try await error in group { #expect(error?.kind == .closed) }
            }
            try await eventually { server.openConnections == 0 }
            #expect(folder.contents.isEmpty)
            let error = await engineError { try await engine.perform(EngineRequest(server.url)) }
            #expect(error?.kind == .closed)
            #expect(error?.mayHaveReachedNode == false)
        }

        /// A call under way needs nobody else to hold its engine; then all of it goes, thread and connections.
        @Test func aCallOutlivesTheLastHolderOfItsEngine() async throws {
            let release = DispatchSemaphore(value: 0)
            let server = try ScriptedServer { peer in
                guard try peer.readRequest() != nil else { return }
                release.wait()
                try peer.send(Self.ok)
                peer.waitForEnd()
            }
            weak var released: CurlEngine?
            let call: Task<EngineResponse, any Error>
            do {
                let engine = CurlEngine()
                released = engine
                call = Task { try await engine.perform(EngineRequest(server.url)) }
                try await eventually { server.requests.count == 1 }
            }
            release.signal()
            #expect(try await call.value.status == 200)
            try await eventually { released == nil && server.openConnections == 0 }
        }

        @Test func clientsWithTheSameAuthoritiesShareAnEngine() throws {
            let file = URL(fileURLWithPath: "/nowhere/\(UUID().uuidString).pem")
            let other = URL(fileURLWithPath: "/nowhere/\(UUID().uuidString).pem")
            var engine: CurlEngine? = CurlEngine.shared(certificateAuthorityFile: file, environment: [:])
            #expect(CurlEngine.shared(certificateAuthorityFile: file, environment: [:]) === engine)
            // An explicit file wins over the variable.
            #expect(
                CurlEngine.shared(certificateAuthorityFile: file, environment: ["SSL_CERT_FILE": other.path])
                    === engine)
            // The variable replaces the system's authorities, the option adds to them.
            let byVariable = CurlEngine.shared(
                certificateAuthorityFile: nil, environment: ["SSL_CERT_FILE": file.path])
            #expect(byVariable !== engine)
            #expect(CurlEngine.shared(certificateAuthorityFile: other, environment: [:]) !== engine)
            let plain = CurlEngine.shared(certificateAuthorityFile: nil, environment: ["SSL_CERT_FILE": ""])
            #expect(plain === CurlEngine.shared(certificateAuthorityFile: nil, environment: [:]))
            #expect(plain !== byVariable)
            weak let released = engine
            engine = nil
            #expect(released == nil)
            #expect(CurlEngine.shared(certificateAuthorityFile: file, environment: [:]) !== plain)
        }

        @Test func aClosedEngineIsNotSharedAnyMore() async throws {
            let server = try ScriptedServer.answering { _ in Self.ok }
            let file = URL(fileURLWithPath: "/nowhere/\(UUID().uuidString).pem")
            let closed = CurlEngine.shared(certificateAuthorityFile: file, environment: [:])
            closed.close()
            let engine = CurlEngine.shared(certificateAuthorityFile: file, environment: [:])
            #expect(try await engine.perform(EngineRequest(server.url)).status == 200)
            withExtendedLifetime(closed) {}
        }

        // MARK: Races and time

        /// Cancelled at random moments, before, during and after the call, every caller is answered once.
        @Test func aThousandCancellations() async throws {
            let seed = UInt64.random(in: 0 ... .max)
            print("seed of aThousandCancellations: \(seed)")
            var random = SeededGenerator(seed: seed)
            let folder = try TemporaryFolder()
            let server = try ScriptedServer.answering { _ in Self.ok }
            let engine = CurlEngine()
            let plan = (0..<1000).map { number in
                (number, Int.random(in: 0..<3, using: &random), UInt64.random(in: 0...3_000_000, using: &random))
            }
            let (answers, cancellations) = try await withThrowingTaskGroup(of: Bool.self) { group in
                var counts = (0, 0)
                func count(_ isAnswer: Bool) { if isAnswer { counts.0 += 1 } else { counts.1 += 1 } }
                for (number, kind, delay) in plan {
                    if number >= 32, let isAnswer = try await group.next() { count(isAnswer) }
                    group.addTask {
                        var request = EngineRequest(server.url + "/\(number)")
                        if kind == 1 { request.sink = .file(folder.file("\(number)")) }
                        if kind == 2 {
                            request.method = "POST"
                            request.body = .bytes(Data(count: 100_000))
                            request.sendAtMostOnce = number.isMultiple(of: 10)
                        }
                        let call = Task { [request] in try await engine.perform(request) }
                        if delay < 100_000 { call.cancel() }
                        try await Task.sleep(nanoseconds: delay)
                        call.cancel()
                        switch await call.result {
                        case .success(let response):
                            #expect(response.status == 200)
                            return true
                        case .failure(let error):
                            #expect(error is CancellationError)
                            #expect(!FileManager.default.fileExists(atPath: folder.file("\(number)").path))
                            return false
                        }
                    }
                }
                for try await isAnswer in group { count(isAnswer) }
                return counts
            }
            #expect(answers + cancellations == 1000)
            #expect(cancellations > 0)
            #expect(try await engine.perform(EngineRequest(server.url)).status == 200)
        }

        @Test(arguments: [0.05, 0.3])
        func timeIsMeasuredFinely(limit: TimeInterval) async throws {
            let server = try ScriptedServer { $0.waitForEnd() }
            let engine = CurlEngine()
            // The quickest of several, since the machine may be busy; none may be early.
            var quickest = TimeInterval.infinity
            for _ in 0..<10 {
                let start = DispatchTime.now().uptimeNanoseconds
                let error = await engineError {
                    try await engine.perform(EngineRequest(server.url, timeout: limit))
                }
                let took = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
                #expect(error?.kind == .timedOut)
                #expect(error?.mayHaveReachedNode == true)
                #expect(took >= limit)
                quickest = min(quickest, took)
            }
            #expect(quickest < limit + 0.4)
        }

        @Test(arguments: [0, -1, TimeInterval.nan])
        func aLimitOfNothingEndsAtOnce(limit: TimeInterval) async throws {
            let server = try ScriptedServer { $0.waitForEnd() }
            let error = await engineError {
                try await CurlEngine().perform(EngineRequest(server.url, timeout: limit))
            }
            #expect(error?.kind == .timedOut)
        }

        @Test func aLimitMayBeEndless() async throws {
            let server = try ScriptedServer.answering { _ in Self.ok }
            let response = try await CurlEngine().perform(EngineRequest(server.url, timeout: .infinity))
            #expect(response.status == 200)
        }

        /// The connection that a call timed out on may be dead: the next call gets another.
        @Test func aTimedOutConnectionIsGivenUp() async throws {
            let server = try ScriptedServer { peer in
                while let request = try peer.readRequest() {
                    if request.target == "/stall" { return peer.waitForEnd() }
                    try peer.send(Self.ok)
                }
            }
            let engine = CurlEngine()
            _ = try await engine.perform(EngineRequest(server.url))
            let error = await engineError {
                try await engine.perform(EngineRequest(server.url + "/stall", timeout: 0.05))
            }
            #expect(error?.kind == .timedOut)
            for _ in 0..<3 { _ = try await engine.perform(EngineRequest(server.url)) }
            #expect(server.requests.map(\.connection) == [0, 0, 1, 1, 1])
        }

        // MARK: Answers that are none

        @Test func headersWithoutEndAreRefused() async throws {
            let server = try ScriptedServer { peer in
                _ = try peer.readRequest()
                try peer.send("HTTP/1.1 200 OK\r\n")
                let line = "X-Filler: \(String(repeating: "x", count: 1000))\r\n"
                for _ in 0..<100_000 { try peer.send(line) }
            }
            let error = await engineError { try await CurlEngine().perform(EngineRequest(server.url)) }
            #expect(error?.kind == .connectionLost)
            #expect(error?.mayHaveReachedNode == true)
        }

        @Test func trailersAreNoHeaders() async throws {
            let server = try ScriptedServer.answering { request in
                let chunk = request.target == "/empty" ? "" : "2\r\nok\r\n"
                return "HTTP/1.1 200 OK\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)0\r\n"
                    + "X-A: trailer\r\nX-B: trailer\r\n\r\n"
            }
            let engine = CurlEngine()
            for (target, body) in [("/", "ok"), ("/empty", "")] {
                let response = try await engine.perform(EngineRequest(server.url + target))
                #expect(response.headers["x-a"] == "1")
                #expect(response.headers["x-b"] == nil)
                #expect(response.body == Data(body.utf8))
            }
        }
    }
#endif
