import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero --sealed")
struct SealedCommandTests {
    @Test func callsGoSealed() async throws {
        try await Workbench.with { bench in
            _ = try await bench.login()
            let context = try bench.node.createContext(KeyValueContract())
            bench.node.clearRequests()
            let arguments = #"{"key":"greeting","value":"hello"}"#
            let written = try await bench.mero("call", context, "set", arguments, "--sealed")
            #expect(written.status == 0, "\(written.errors)")
            let key = Hex.encode(bench.node.sealed.transportKey)
            let read = try await bench.mero(
                "call", context, "get", #"{"key":"greeting"}"#, "--raw", "--transport-key", key)
            #expect(read.output == "hello\n", "\(read.errors)")
            let paths = Set(bench.node.requests.map(\.path))
            #expect(paths == ["/admin-api/tee/attest", "/sealed/v2/handshake", "/sealed/v2"])
            bench.node.sealed.renewTransportKey()
            let stale = try await bench.mero("call", context, "entries", "--transport-key", key)
            #expect(stale.status != 0 && stale.isOneErrorLine)
            let odd = try await bench.mero("call", context, "entries", "--transport-key", "abc")
            #expect(odd.status == ExitCode.usage.rawValue && odd.isOneErrorLine)
        }
    }

    @Test func relaysAreAttestedAndSealedTo() async throws {
        try await Workbench.with { bench in
            let made = try await bench.mero("account", "new", "--json")
            let account = try #require(made.document?["account"]?.stringValue)
            let namespace = try bench.node.createNamespace(members: [account: .member], contract: KeyValueContract())
            let context = try bench.node.createContext(KeyValueContract(), inGroup: namespace)
            let attested = try await bench.mero("relay", "attest", "--relay", bench.url, "--json")
            #expect(attested.document?["nodeKey"] == .string(bench.node.nodeKey), "\(attested.errors)")
            #expect(
                attested.document?["transportKey"] == .string(Hex.encode(bench.node.sealed.transportKey)))
            bench.node.clearRequests()
            let written = try await bench.mero(
                "call", context, "set", #"{"key":"k","value":"v"}"#, "--relay", bench.url, "--sealed")
            #expect(written.status == 0, "\(written.errors)")
            #expect(bench.node.delegatedWrites.map(\.account) == [account])
            #expect(
                bench.node.requests.allSatisfy {
                    $0.path.hasPrefix("/sealed/v2") || $0.path == "/admin-api/tee/attest"
                })
        }
    }

    @Test func aWrongKeyAndAReleaseThatNobodyShowsAreTold() async throws {
        try await Workbench.with { bench in
            _ = try await bench.login()
            let context = try bench.node.createContext(KeyValueContract())
            let key = Hex.encode([UInt8](repeating: 9, count: 32))
            let call = try await bench.mero("call", context, "entries", "--transport-key", key)
            #expect(call.status == ExitCode.refused.rawValue && call.isOneErrorLine, "\(call.errors)")
            #expect(call.errors.contains("stale_transport_key") && call.errors.contains("mero relay attest"))
            bench.node.clearRequests()
            for words in [["call", context, "entries", "--sealed"], ["relay", "attest", "--relay", bench.url]] {
                let release = try await bench.start(words + ["--min-release", "9.9.9"]).outcome()
                #expect(release.status == ExitCode.usage.rawValue && release.isOneErrorLine, "\(release.errors)")
                #expect(release.errors.contains("--min-release"))
            }
            #expect(bench.node.requests.isEmpty)
        }
    }

    @Test func aNodeThatDoesNotAttestIsNotSealedTo() async throws {
        try await Workbench.with { bench in
            _ = try await bench.login()
            let context = try bench.node.createContext(KeyValueContract())
            bench.node.inject(
                .status(501, body: Data(#"{"error":"no TDX"}"#.utf8)), on: "POST /admin-api/tee/attest", times: nil)
            bench.node.clearRequests()
            let call = try await bench.mero("call", context, "entries", "--sealed")
            #expect(call.status != 0 && call.isOneErrorLine)
            #expect(Set(bench.node.requests.map(\.path)) == ["/admin-api/tee/attest"])
        }
    }

    /// A quote that nobody signs counts only where nobody stands between: not through a proxy, and not for a name that
    /// somebody else may answer for.
    @Test func mockQuotesCountOnThisMachineAlone() async throws {
        try await Workbench.with { bench in
            _ = try await bench.login()
            let context = try bench.node.createContext(KeyValueContract())
            bench.node.clearRequests()
            for (name, value) in [("http_proxy", "http://127.0.0.1:1"), ("all_proxy", "socks5://127.0.0.1:1")] {
                for words in [["call", context, "entries", "--sealed"], ["relay", "attest", "--relay", bench.url]] {
                    let call = try await bench.start(words, environment: [name: value]).outcome()
                    #expect(call.status == ExitCode.usage.rawValue && call.isOneErrorLine, "\(call.errors)")
                    #expect(call.errors.contains(name))
                }
                let spared = try await bench.mero(
                    "relay", "attest", "--relay", bench.url, environment: [name: value, "no_proxy": "127.0.0.1"])
                #expect(spared.status == 0, "\(spared.errors)")
            }
            bench.node.clearRequests()
            let named = bench.url.replacingOccurrences(of: "127.0.0.1", with: "mero.localhost")
            let attested = try await bench.mero("relay", "attest", "--relay", named)
            #expect(attested.status != 0 && attested.isOneErrorLine)
            #expect(bench.node.requestCount("POST", "/sealed/v2") == 0)
        }
    }

    @Test func joinsGoSealed() async throws {
        try await Workbench.with { bench in
            let made = try await bench.mero("account", "new", "--json")
            let account = try #require(made.document?["account"]?.stringValue)
            let namespace = try bench.node.createNamespace(contract: KeyValueContract())
            let invitation = try bench.node.createInvitation(namespace: namespace)
            bench.node.clearRequests()
            let joined = try await bench.mero(
                "relay", "join", invitation, "--relay", bench.url, "--sealed", "--json")
            #expect(joined.status == 0, "\(joined.errors)")
            #expect(bench.node.members(group: namespace)?[account] == .member)
            #expect(
                bench.node.requests.allSatisfy {
                    $0.path.hasPrefix("/sealed/v2") || $0.path == "/admin-api/tee/attest"
                })
        }
    }
}
