import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite("RequestLog, RequestHead, DevRouteMatch") struct RequestLogTests {
    private func request(_ path: String) -> DevHttpRequest { DevHttpRequest(method: "GET", path: path) }

    @Test("Old records make room, counters stay exact") func bounded() {
        let log = RequestLog(limit: 100)
        for index in 0..<30_000 {
            let number = log.append(request("/\(index % 3)"), bodyPrefix: Data(), isComplete: true)
            #expect(number == index)
            log.setStatus(200, of: number)
        }
        log.setStatus(500, of: 17)
        #expect(log.records.map(\.number) == Array(29_900..<30_000))
        #expect(log.records.allSatisfy { $0.status == 200 && $0.path == "/\($0.number % 3)" })
        #expect(log.requestCount("GET /1") == 10_000)
        #expect(log.requestCount(.any) == 30_000)
    }

    @Test("Bodies together keep to 64 MiB") func bodyBudget() {
        let log = RequestLog(limit: 50_000)
        let body = Data(count: 64 << 10)
        for _ in 0..<2000 { _ = log.append(request("/"), bodyPrefix: body, isComplete: true) }
        #expect(log.records.count == 1024)
        #expect(log.records.last?.number == 1999)
    }

    @Test("Different paths without end are still counted, together") func manyRoutes() {
        let log = RequestLog(limit: 10)
        for index in 0..<150_000 { _ = log.append(request("/\(index)"), bodyPrefix: Data(), isComplete: true) }
        #expect(log.requestCount(.any) == 150_000)
        #expect(log.requestCount("GET /5") == 1)
    }

    @Test("Clearing forgets records and counts; answers that come later do no harm") func clear() {
        let log = RequestLog(limit: 10)
        let early = log.append(request("/a"), bodyPrefix: Data(), isComplete: true)
        log.clear()
        log.setStatus(200, of: early)
        #expect(log.records.isEmpty)
        #expect(log.requestCount(.any) == 0)
        let late = log.append(request("/b"), bodyPrefix: Data(), isComplete: true)
        log.setStatus(200, of: early)
        #expect(log.records.map(\.status) == [nil])
        log.setStatus(201, of: late)
        #expect(log.records.map(\.status) == [201])
    }

    @Test(
        "Request targets",
        arguments: [
            ("/a?b=c", "/a", "b=c"), ("/a", "/a", nil), ("/a?", "/a", ""), ("/a?b?c", "/a", "b?c"),
            ("http://host:1/a%20b?q", "/a%20b", "q"), ("http://host", "/", nil), ("http://host?q", "/", "q"),
            ("*", "*", nil), ("/x?u=http://y/z", "/x", "u=http://y/z"), ("", "", nil), ("/é", "/é", nil),
        ] as [(String, String, String?)]) func targets(_ target: String, _ path: String, _ query: String?)
    {
        let split = RequestHead.split(target)
        #expect(split.path == path)
        #expect(split.query == query)
    }

    @Test("Queries") func queries() {
        let items = RequestHead.decodeQuery("a=1&&b&c=&d=x=y&%41=%2B+%&=v&e=%ff%4")
        #expect(items.map(\.0) == ["a", "b", "c", "d", "A", "", "e"])
        #expect(items.map(\.1) == ["1", nil, "", "x=y", "+ %", "v", "\u{FFFD}%4"])
    }

    @Test("Routes match by method and path, with or without a wildcard") func routes() {
        let exact: DevRouteMatch = "POST /jsonrpc"
        #expect(exact.matches(method: "POST", path: "/jsonrpc"))
        #expect(!exact.matches(method: "GET", path: "/jsonrpc"))
        #expect(!exact.matches(method: "POST", path: "/jsonrpc/x"))
        let prefix: DevRouteMatch = "/auth/*"
        #expect(prefix.matches(method: "PUT", path: "/auth/"))
        #expect(!prefix.matches(method: "PUT", path: "/auth"))
        #expect(DevRouteMatch.any.matches(method: "X", path: ""))
        #expect(exact == DevRouteMatch("POST", "/jsonrpc"))
    }
}
