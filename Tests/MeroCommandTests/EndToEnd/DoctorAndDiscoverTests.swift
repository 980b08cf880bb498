import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("Diagnosis from the command line", .serialized)
struct DoctorAndDiscoverTests {
    private func verdicts(_ outcome: Program.Outcome) -> [String: String] {
        let checks = outcome.document?["checks"]?.arrayValue ?? []
        return Dictionary(
            checks.compactMap { check in
                check["name"]?.stringValue.flatMap { name in check["verdict"]?.stringValue.map { (name, $0) } }
            }, uniquingKeysWith: { $1 })
    }

    @Test("everything in order")
    func healthy() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let outcome = try await bench.mero("doctor", "--json")
            #expect(outcome.status == 0, "\(outcome.output)")
            let found = verdicts(outcome)
            for name in [
                "mero", "libraries", "profile", "proxy", "node", "readiness", "login", "clock", "session",
                "permissions",
                "service",
            ] {
                #expect(found[name] == "ok", "\(name): \(found[name] ?? "missing")")
            }
            let libraries = outcome.document?["checks"]?.arrayValue?.first { $0["name"] == "libraries" }?["finding"]?
                .stringValue
            #expect(libraries?.contains("libcurl/") == true && libraries?.contains("libmicrohttpd/") == true)
            let people = try await bench.mero("doctor")
            #expect(people.status == 0)
            #expect(people.output.contains("0 failed"))
        }
    }

    @Test("no profile, no node: advice, no failure")
    func nothingYet() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program(Program.mero, ["doctor", "--json"]).run(in: folder)
        #expect(outcome.status == 0)
        #expect(verdicts(outcome)["node"] == "warn")
    }

    @Test("a node that is not there")
    func unreachable() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            try await bench.node.refuseConnections(true)
            let outcome = try await bench.mero("doctor", "--json")
            #expect(outcome.status == 4)
            #expect(verdicts(outcome)["node"] == "fail")
            #expect(outcome.document?["ok"] == false)
        }
    }

    @Test("an unwell node, one that starts up, a revoked session and open files are each found")
    func troubles() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.setReadiness(.starting)
            #expect(verdicts(try await bench.mero("doctor", "--json"))["readiness"] == "warn")
            bench.node.setReadiness(.ready)

            let tokens = bench.tokensFile
            chmod(tokens.path, 0o644)
            let open = try await bench.mero("doctor", "--json")
            #expect(verdicts(open)["profile"] == "fail")
            #expect(open.status == 6)
            #expect(open.output.contains("chmod 600"))
            chmod(tokens.path, 0o600)

            bench.node.setStorageAvailable(false)
            #expect(verdicts(try await bench.mero("doctor", "--json"))["node"] == "fail")
            bench.node.setStorageAvailable(true)

            bench.node.revokeFamilies()
            let revoked = try await bench.mero("doctor", "--json")
            #expect(verdicts(revoked)["session"] == "fail")
            #expect(revoked.status == 3)
        }
    }

    @Test("a token that may do little is told so")
    func scopedToken() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let tokens = bench.node.mintTokens(permissions: ["context:list", "context:subscribe"])
            FileTokenStore(url: bench.tokensFile).setTokens(
                TokenData(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, expiresAt: Date()))
            let outcome = try await bench.mero("doctor", "--json")
            #expect(verdicts(outcome)["permissions"] == "warn")
            #expect(outcome.output.contains("may: subscribe, list contexts; may not: administer, execute"))
        }
    }

    @Test("proxy variables are found, their values kept back")
    func proxies() async throws {
        try await Workbench.with { bench in
            let environment = ["http_proxy": "http://user:proxy-secret@127.0.0.1:1", "no_proxy": ""]
            let outcome = try await bench.mero("doctor", "--json", "--node", bench.url, environment: environment)
            #expect(verdicts(outcome)["proxy"] == "warn")
            #expect(!(outcome.output + outcome.errors).contains("proxy-secret"))
        }
    }

    @Test("discover finds a node by its port, and says when there is none")
    func discover() async throws {
        try await Workbench.with { bench in
            let port = "\(bench.node.port)"
            let found = try await bench.mero("discover", "--port", port, "--timeout", "30", "--json")
            #expect(found.status == 0)
            #expect(found.document?["nodes"] == .array([.string("http://localhost:\(port)")]))
            #expect(
                try await bench.mero("discover", "--port", port, "--timeout", "30").output
                    == "http://localhost:\(port)\n")
            try await bench.node.refuseConnections(true)
            let none = try await bench.mero("discover", "--port", port, "--json")
            #expect(none.status == 4)
            #expect(none.document?["nodes"] == [])
        }
    }
}
