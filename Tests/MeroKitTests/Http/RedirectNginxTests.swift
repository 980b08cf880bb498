import Foundation
import Testing

@testable import MeroKit

/// Redirects as a real server sends them, through the whole pipeline (spec 00, ruling 29).
@Suite struct RedirectNginxTests {
    private func client(_ engine: any HttpEngine, _ nginx: Nginx) throws -> URLSessionHttpClient {
        URLSessionHttpClient(
            baseURL: try #require(URL(string: "http://localhost:\(nginx.http)")), timeout: 60,
            hooks: TransportHooks(getAuthToken: { "secret" }), engine: engine)
    }

    @Test(arguments: EngineUnderTest.allCases, [301, 302, 303, 307, 308])
    func followsReadsOnTheSameOrigin(engine: EngineUnderTest, status: Int) async throws {
        let nginx = try Nginx.shared()
        let http = try client(engine.make(), nginx)
        let answer: [String: Bool] = try await http.get("/redirect/\(status)?to=/json")
        #expect(answer == ["ok": true])
        let head = try await http.head("/redirect/\(status)?to=/json", headers: [:])
        #expect(head.status == 200)
    }

    @Test(arguments: EngineUnderTest.allCases, [(301, false), (302, false), (303, false), (307, true), (308, true)])
    func aPostStaysAPostOrIsNotFollowed(engine: EngineUnderTest, row: (status: Int, followed: Bool)) async throws {
        let nginx = try Nginx.shared()
        let http = try client(engine.make(), nginx)
        var request = HttpRequest(path: "/redirect/\(row.status)?to=/method", method: .post)
        request.body = .json(Data("{}".utf8))
        request.sendOnce = true
        do {
            let (body, _) = try await http.sendRaw(request)
            #expect(row.followed && String(decoding: body, as: UTF8.self) == "POST")
        } catch MeroError.http(let answer) {
            #expect(!row.followed && answer.status == row.status)
        }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func anotherHostOrPortIsNotFollowed(engine: EngineUnderTest) async throws {
        let nginx = try Nginx.shared()
        let http = try client(engine.make(), nginx)
        for to in ["http://127.0.0.1:\(nginx.http)/json", "http://localhost:\(nginx.https)/json"] {
            let error = await meroError { try await http.sendVoid(HttpRequest(path: "/redirect/307?to=\(to)")) }
            #expect(error?.httpStatus == 307)
        }
    }

    #if canImport(CCurl)
        @Test func anUpgradeToHttpsOfTheSameHostIsFollowed() async throws {
            let nginx = try Nginx.shared()
            let http = try client(CurlEngine(certificateAuthorityFile: nginx.authority), nginx)
            let to = "https://localhost:\(nginx.https)/json"
            let answer: [String: Bool] = try await http.get("/redirect/302?to=\(to)")
            #expect(answer == ["ok": true])
        }
    #endif
}
