import Foundation
import Testing

@testable import mero

@Suite("Parts of the doctor")
struct DoctorPartsTests {
    @Test(
        "which proxy variable decides",
        arguments: [
            ([:], "http://n", nil),
            (["http_proxy": "p"], "http://n", "http_proxy"), (["HTTP_PROXY": "p"], "http://n", nil),
            (["http_proxy": "p"], "https://n", nil), (["HTTPS_PROXY": "p"], "https://n", "HTTPS_PROXY"),
            (["all_proxy": "p"], "http://n", "all_proxy"),
            (["https_proxy": "p", "HTTPS_PROXY": "q"], "https://n", "https_proxy"),
            (["http_proxy": "p", "no_proxy": "n"], "http://n", nil),
            (["http_proxy": "p", "no_proxy": "*"], "http://n", nil),
            (["http_proxy": "p", "NO_PROXY": "a, .example"], "http://n.example", nil),
            (["http_proxy": "p", "no_proxy": "ample"], "http://n.example", "http_proxy"),
            (["http_proxy": ""], "http://n", nil),
        ] as [([String: String], String, String?)])
    func proxies(variables: [String: String], node: String, expected: String?) throws {
        #expect(ProxySettings(variables: variables).variable(for: try #require(NodeAddress(node))) == expected)
    }

    @Test("a proxy before this very machine is a warning, and no value is shown")
    func loopbackProxy() throws {
        let settings = ProxySettings(variables: ["http_proxy": "http://user:secret@proxy"])
        let check = settings.check(for: NodeAddress("http://localhost:1"))
        #expect(check.verdict == .warn)
        #expect(!check.finding.contains("secret"))
        #expect(settings.check(for: NodeAddress("http://node.example")).verdict == .ok)
    }

    @Test(
        "clock skew",
        arguments: [
            (0.0, 0, Check.Verdict.ok), (3, 3, .ok), (-4, -4, .ok), (30, 30, .warn), (-290, -290, .warn),
            (3600, 3600, .fail), (-3600, -3600, .fail),
        ])
    func skew(offset: Double, seconds: Int, verdict: Check.Verdict) throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let header = formatter.string(from: now.addingTimeInterval(offset))
        let skew = try #require(ClockSkew(dateHeader: header, before: now, after: now.addingTimeInterval(0.1)))
        #expect(skew.seconds == seconds)
        #expect(skew.check.verdict == verdict)
    }

    @Test("a date cut to whole seconds is no skew, nor is the time of the answer on the way")
    func coarseDate() throws {
        let before = Date(timeIntervalSince1970: 1_800_000_000.9)
        let header = "Fri, 15 Jan 2027 08:00:00 GMT"
        #expect(try #require(ClockSkew(dateHeader: header, before: before, after: before)).seconds == 0)
        let slow = Date(timeIntervalSince1970: 1_800_000_000 - 20)
        #expect(try #require(ClockSkew(dateHeader: header, before: slow, after: before)).seconds == 0)
        #expect(ClockSkew(dateHeader: "yesterday", before: before, after: before) == nil)
    }
}
