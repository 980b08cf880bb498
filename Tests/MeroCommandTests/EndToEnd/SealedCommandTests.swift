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
}
