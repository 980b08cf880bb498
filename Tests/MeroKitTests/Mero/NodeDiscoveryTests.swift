import Foundation
import Testing

@testable import MeroKit

@Suite("Node discovery")
struct NodeDiscoveryTests {
    @Test("Local nodes are looked for where they listen by default")
    func ports() {
        #expect(NodeDiscovery.defaultLocalPorts == [2428, 2429, 2528, 2529])
        #expect(NodeDiscovery.localNodeURL(port: 2528).absoluteString == "http://localhost:2528")
        _ = NodeDiscovery.localNodeURL(port: -1)
    }

    @Test(
        "A place under a node keeps the node's own path",
        arguments: [
            ("https://n.example", "https://n.example/admin-api/health"),
            ("https://n.example/", "https://n.example/admin-api/health"),
            ("https://n.example/node1", "https://n.example/node1/admin-api/health"),
            ("https://n.example/node1/", "https://n.example/node1/admin-api/health"),
            ("http://localhost:2428", "http://localhost:2428/admin-api/health"),
        ])
    func endpoint(base: String, expected: String) throws {
        let url = try #require(URL(string: base))
        #expect(NodeDiscovery.endpoint(url, path: NodeDiscovery.healthPath).absoluteString == expected)
    }

    @Test(
        "A node is well unless it says otherwise",
        arguments: [
            (200, #"{"data":{"status":"alive"}}"#, true), (200, #"{"data":{"status":"ALIVE"}}"#, true),
            (200, #"{"status":"Alive"}"#, true), (204, "", true), (200, "ok", true), (200, "{}", true),
            (200, "[]", true),
            (200, #"{"data":{}}"#, true), (200, #"{"data":{},"status":"alive"}"#, true), (200, "null", true),
            (200, #"{"data":{"status":"store_unavailable"}}"#, false), (200, #"{"status":"not_alive"}"#, false),
            (200, #"{"data":{"status":null}}"#, false), (200, #"{"data":{"status":null},"status":"alive"}"#, false),
            (200, #"{"status":1}"#, false), (200, #"{"data":{"status":"dead"},"status":"alive"}"#, false),
            (503, #"{"data":{"status":"alive"}}"#, false), (404, "", false), (301, "", false), (199, "", false),
        ])
    func health(status: Int, body: String, healthy: Bool) {
        #expect(NodeDiscovery.isHealthy(status: status, body: Data(body.utf8)) == healthy)
    }
}

@Suite("Credentials and capabilities")
struct SmallValuesTests {
    @Test("Printing credentials shows the name and not the password")
    func credentials() {
        let credentials = Credentials(username: "alice", password: "S3CRET")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("S3CRET") && text.contains("alice"), "\(text)")
        }
        #expect(credentials == Credentials(username: "alice", password: "S3CRET"))
        #expect(credentials != Credentials(username: "alice", password: "other"))
    }

    @Test("Capabilities have the bits of the node")
    func bits() {
        #expect(
            [
                Capabilities.canCreateContext, Capabilities.canInviteMembers, Capabilities.canJoinOpenSubgroups,
                Capabilities.manageMembers, Capabilities.manageApplication, Capabilities.canCreateSubgroup,
                Capabilities.canDeleteSubgroup, Capabilities.canManageVisibility, Capabilities.canManageMetadata,
                Capabilities.canAuthorOnBehalf,
            ] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    }

    @Test("A mask has a capability when it has all its bits")
    func masks() {
        #expect(Capabilities.hasCap(0b111, 0b101) && !Capabilities.hasCap(0b011, 0b101) && Capabilities.hasCap(0, 0))
        #expect(Capabilities.withCap(0b001, 0b110) == 0b111 && Capabilities.withCap(0b1, 0b1) == 0b1)
        #expect(Capabilities.withoutCap(0b111, 0b101) == 0b010 && Capabilities.withoutCap(0b010, 0b101) == 0b010)
    }
}
