import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// What the node tells of itself.
@Suite struct NodeReportTests {
    @Test func theNetworkStatusHasEveryKey() async throws {
        try await withNode { fixture async throws in
            #expect(try await fixture.admin("GET", "/peers").json == ["count": 0])
            let status = try await fixture.admin("GET", "/network/status")
            #expect(status.status == 200)
            #expect(
                status.json.names == [
                    "localPeerId", "listenAddrs", "externalAddrs", "relays", "rendezvous", "directUpgrades", "autonat",
                ])
            #expect(status.json["localPeerId"]?.stringValue?.hasPrefix("12D3KooW") == true)
            #expect(
                status.json["autonat"]?.names == [
                    "reachability", "lastTestAddr", "lastTestResult", "lastTestReason", "lastTestObservedAddr",
                    "lastTestAt",
                ])
        }
    }

    @Test func usageCountsEveryNamespace() async throws {
        try await withNode { fixture async throws in
            #expect(try await fixture.admin("GET", "/usage").json == ["namespaces": []])
            let node = fixture.node
            let ada = try DevAccount()
            let namespace = try node.createNamespace(members: [ada.accountId: .member])
            let group = try node.createGroup(parent: namespace)
            try node.createContext(KeyValueContract(), inGroup: namespace)
            let inner = try node.createContext(KeyValueContract(), inGroup: group)
            _ = try await fixture.execute(inner, "set", ["key": "k", "value": "v"], token: fixture.token("admin"))
            let usage = try await fixture.admin("GET", "/usage").json
            let rows = try #require(usage["namespaces"]?.arrayValue)
            #expect(rows.count == 1)
            let row = try #require(rows.first)
            #expect(row.names == ["namespaceId", "contextCount", "memberCount", "subgroupCount", "bytes"])
            #expect(row["namespaceId"] == .string(namespace))
            #expect(row["contextCount"] == 2)
            #expect(row["memberCount"] == 2)
            #expect(row["subgroupCount"] == 1)
            let bytes = try #require(row["bytes"])
            #expect(bytes.names == ["state", "privateState", "delta", "governance", "total"])
            let parts = ["state", "privateState", "delta", "governance"].compactMap { bytes[$0]?.integer(Int.self) }
            #expect(parts.count == 4)
            #expect(parts[0] > 0 && parts[3] > 0)
            #expect(bytes["total"]?.integer(Int.self) == parts.reduce(0, +))
        }
    }

    @Test func teeInfo() async throws {
        try await withNode { fixture async throws in
            try await fixture.call("GET", "/admin-api/tee/info").expectError(
                500, "Failed to get TEE info: this machine is no TDX guest")
        }
        let mrtd = String(repeating: "ab", count: 48)
        try await withNode(.with { $0.tee = DevTee(cloudProvider: "gcp", osImage: "image-1", mrtd: mrtd) }) { fixture in
            let answer = try await fixture.call("GET", "/admin-api/tee/info")
            #expect(
                answer.json == ["data": ["cloudProvider": "gcp", "osImage": "image-1", "mrtd": .string(mrtd)]])
        }
    }

    @Test func registrationAttests() async throws {
        try await withNode { fixture async throws in
            let body = #"{"nonce":"\#(SomeId.first)"}"#
            let answer = try await fixture.admin("POST", "/tee/registration-attest", body)
            #expect(answer.status == 200)
            #expect(answer.data?.names == ["quoteB64", "quote"])
            let report = try #require(answer.data?["quote"]?["body"]?["reportdata"]?.stringValue)
            #expect(report.hasPrefix(SomeId.first))
            // What an ordinary attestation never says, whatever it is asked for.
            let plain = try await fixture.call("POST", "/admin-api/tee/attest", json: body)
            #expect(plain.data?["quote"]?["body"]?["reportdata"]?.stringValue != report)
            let again = try await fixture.admin("POST", "/tee/registration-attest", body)
            #expect(again.json == answer.json)
        }
    }

    @Test func attestationNamesInstalledBytecode() async throws {
        try await withNode { fixture async throws in
            let id = try fixture.node.applications.install(KeyValueContract(), package: "com.example.app")
            let answer = try await fixture.call(
                "POST", "/admin-api/tee/attest", json: #"{"nonce":"\#(SomeId.first)","applicationId":"\#(id)"}"#)
            let bytecode = try #require(fixture.node.applications.bytecodeId(of: id))
            #expect(
                answer.data?["quote"]?["body"]?["reportdata"] == .string(SomeId.first + bytecode), "\(answer.text)")
        }
    }

    @Test func joiningAFleet() async throws {
        try await withNode { fixture async throws in
            let namespace = try fixture.node.createNamespace()
            let context = try fixture.node.createContext(KeyValueContract(), inGroup: namespace)
            let inside = try await fixture.admin(
                "POST", "/tee/fleet-join",
                #"{"groupId":"\#(namespace)","admitterAddrs":["/ip4/127.0.0.1/tcp/1/p2p/12D3KooW"]}"#)
            #expect(inside.status == 200)
            #expect(
                inside.json.names == [
                    "status", "group_id", "namespace_id", "public_key", "account", "admitted", "auto_follow_enabled",
                    "contexts_joined",
                ])
            #expect(inside.json["status"] == "joined")
            #expect(inside.json["admitted"] == true)
            #expect(inside.json["contexts_joined"]?.strings == [context])
            #expect(inside.json["account"] == .string(fixture.node.accountId))
            let outside = try await fixture.admin("POST", "/tee/fleet-join", #"{"groupId":"\#(SomeId.first)"}"#)
            #expect(outside.status == 200)
            #expect(outside.json["status"] == "announced")
            #expect(outside.json["admitted"] == false)
        }
    }
}
