import Foundation
import Testing

@testable import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What only this engine has: a caller's session, and Foundation's errors.
@Suite("URLSessionEngine") struct URLSessionEngineTests {
    // MARK: The caller's session

    @Test func aStubOfTheCallersSessionAnswers() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubProtocol.self]
        let engine = URLSessionEngine(session: URLSession(configuration: configuration))
        let request = EngineRequest(
            "https://stub.example/echo?x=1", method: "POST",
            headers: [("Content-Type", "text/plain"), ("X-Asked", "yes")], body: .bytes(Data("hello".utf8)))
        for once in [false, true] {
            var request = request
            request.sendAtMostOnce = once
            let response = try await engine.perform(request)
            #expect(response.status == 207)
            #expect(response.headers["x-asked"] == "yes")
            #expect(String(decoding: response.body, as: UTF8.self) == "POST /echo x=1 hello")
        }
    }

    @Test func aStubsErrorsAreToldApart() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubProtocol.self]
        let engine = URLSessionEngine(session: URLSession(configuration: configuration))
        func kind(_ path: String) async -> EngineError? {
            await engineError { try await engine.perform(EngineRequest("https://stub.example/" + path)) }
        }
        let notHttp = await kind("plain")
        #expect(notHttp?.kind == .connectionLost)
        #expect(notHttp?.message == "Non-HTTP response")
        // Nobody cancelled the calling task, so this is no `CancellationError`.
        #expect(await kind("fail?cancelled")?.kind == .closed)
        #expect(await kind("fail?timedOut")?.kind == .timedOut)
        #expect(await kind("fail?cannotFindHost")?.kind == .unreachable)
    }

    @Test func theCallersSessionStaysAsItIs() async throws {
        let server = try ScriptedServer.answering { _ in
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n"
        }
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Of-The-Session": "kept"]
        configuration.timeoutIntervalForRequest = 17
        let session = URLSession(configuration: configuration)
        let engine = URLSessionEngine(session: session)
        _ = try await engine.perform(EngineRequest(server.url))
        _ = try await engine.perform(EngineRequest(server.url, once: true))
        #expect(server.requests.map { $0.values("X-Of-The-Session") } == [["kept"], ["kept"]])
        for now in [configuration, session.configuration] {
            #expect(now.httpCookieStorage != nil)
            #expect(now.urlCache != nil)
            #expect(now.httpShouldSetCookies)
            #expect(now.timeoutIntervalForRequest == 17)
        }
        let url = try #require(URL(string: server.url))
        #expect(configuration.httpCookieStorage?.cookies(for: url) ?? [] == [])
        // And it still works, for it was not invalidated with the engine's own.
        let (_, response) = try await session.data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    // MARK: Errors

    @Test(
        arguments: [
            (.cannotFindHost, .unreachable, false), (.cannotConnectToHost, .unreachable, false),
            (.dnsLookupFailed, .unreachable, false), (.notConnectedToInternet, .unreachable, false),
            (.secureConnectionFailed, .unreachable, false), (.serverCertificateUntrusted, .unreachable, false),
            (.serverCertificateHasUnknownRoot, .unreachable, false),
            (.serverCertificateHasBadDate, .unreachable, false),
            (.serverCertificateNotYetValid, .unreachable, false), (.timedOut, .timedOut, true),
            (.networkConnectionLost, .connectionLost, true), (.badServerResponse, .connectionLost, true),
            (.cannotParseResponse, .connectionLost, true), (.unsupportedURL, .connectionLost, true),
            (.unknown, .connectionLost, true), (.cancelled, .closed, true), (.cannotOpenFile, .file, true),
        ] as [(URLError.Code, EngineError.Kind, Bool)])
    func errorsOfFoundation(code: URLError.Code, kind: EngineError.Kind, mayHaveReached: Bool) {
        let error = EngineError(foundation: URLError(code))
        #expect(error.kind == kind)
        #expect(error.mayHaveReachedNode == mayHaveReached)
        #expect(!error.message.isEmpty)
    }

    // MARK: A private certificate authority

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        AQID
        BAU=
        -----END CERTIFICATE-----
        """

    @Test func certificatesArePickedOutOfAPemFile() {
        let text = """
            # my own authority
            \(Self.certificate)
            -----BEGIN PRIVATE KEY-----
            BgY=
            -----END PRIVATE KEY-----
              -----BEGIN CERTIFICATE-----
            BwgJ\r
            -----END CERTIFICATE-----
            """
        #expect(PemCertificates.parse(text) == [Data([1, 2, 3, 4, 5]), Data([7, 8, 9])])
        #expect(PemCertificates.parse("nothing here") == [])
        #expect(PemCertificates.parse("-----BEGIN CERTIFICATE-----\nAQID") == nil)
        #expect(PemCertificates.parse("-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----") == nil)
        #expect(PemCertificates.parse("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----") == nil)
    }

    @Test func pemFilesThatAreNone() throws {
        let folder = try TemporaryFolder()
        func kind() -> EngineError.Kind? {
            do {
                _ = try PemCertificates.read(folder.file("ca.pem"))
                return nil
            } catch { return (error as? EngineError)?.kind }
        }
        #expect(kind() == .file)
        try Data("no certificate".utf8).write(to: folder.file("ca.pem"))
        #expect(kind() == .invalidRequest)
        try Data(Self.certificate.utf8).write(to: folder.file("ca.pem"))
        #expect(kind() == nil)
    }

    #if canImport(FoundationNetworking)
        @Test func anAuthorityFileIsRefusedWhereItCannotBeUsed() throws {
            let folder = try TemporaryFolder()
            try Data(Self.certificate.utf8).write(to: folder.file("ca.pem"))
            let error = #expect(throws: EngineError.self) {
                try URLSessionEngine(session: nil, certificateAuthorityFile: folder.file("ca.pem"))
            }
            #expect(error?.kind == .invalidRequest)
            #expect(error?.message.contains("certificate authority") == true)
            _ = try URLSessionEngine(session: nil, certificateAuthorityFile: nil)
        }

        // MARK: Defects of Foundation on Linux

        /// These answers end the process, and nothing above Foundation can prevent it. When this test fails, Foundation has
        /// been mended, and `EngineUnderTest.thatSurviveCutHeads` can go.
        @Test(arguments: [
            "HTTP/1.1 200 OK\r\nContent-Le",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: 1\r\n\r\n",
        ])
        func foundationAborts(answer: String) async throws {
            await #expect(processExitsWith: .failure) { [answer] in
                let server = try ScriptedServer { peer in
                    _ = try peer.readRequest()
                    try peer.send(answer)
                }
                _ = try? await URLSessionEngine(session: nil).perform(EngineRequest(server.url))
            }
        }
    #endif
}

/// Answers requests to `stub.example` without any network.
private final class StubProtocol: URLProtocol {
    private static let codes: [String: URLError.Code] = [
        "cancelled": .cancelled, "timedOut": .timedOut, "cannotFindHost": .cannotFindHost,
    ]

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "stub.example" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url, let client else { return }
        switch url.path {
        case "/plain":
            client.urlProtocol(
                self,
                didReceive: URLResponse(
                    url: url, mimeType: "text/plain", expectedContentLength: 2, textEncodingName: nil),
                cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: Data("hi".utf8))
            client.urlProtocolDidFinishLoading(self)
        case "/fail":
            client.urlProtocol(self, didFailWithError: URLError(Self.codes[url.query ?? ""] ?? .unknown))
        default:
            let asked = request.value(forHTTPHeaderField: "X-Asked") ?? ""
            guard
                let response = HTTPURLResponse(
                    url: url, statusCode: 207, httpVersion: "HTTP/1.1", headerFields: ["X-Asked": asked])
            else { return }
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            let body = request.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? "no body"
            let text = "\(request.httpMethod ?? "") \(url.path) \(url.query ?? "") \(body)"
            client.urlProtocol(self, didLoad: Data(text.utf8))
            client.urlProtocolDidFinishLoading(self)
        }
    }
}
