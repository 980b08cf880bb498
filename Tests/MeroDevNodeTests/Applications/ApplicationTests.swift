import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct ApplicationTests {
    private func install(
        _ fixture: NodeFixture, _ package: String, _ version: String, token: String? = nil
    ) async throws -> Answer {
        try await fixture.admin(
            "POST", "/install-application",
            JsonTree.object([
                JsonMember(name: "package", value: .string(package)),
                JsonMember(name: "version", value: .string(version)),
            ]).text, token: token)
    }

    @Test func aFreshNodeHasNone() async throws {
        try await withNode { fixture async throws in
            #expect(try await fixture.admin("GET", "/applications").json == ["data": ["apps": []]])
            #expect(try await fixture.admin("GET", "/packages").json == ["packages": []])
            #expect(try await fixture.admin("GET", "/packages/com.example.app/versions").json == ["versions": []])
            #expect(
                try await fixture.admin("GET", "/packages/com.example.app/latest").json == [
                    "applicationId": .null, "version": .null,
                ])
            for path in ["", "/versions", "/abi"] {
                try await fixture.admin("GET", "/applications/\(SomeId.first)\(path)").expectError(
                    404, "Application not found")
            }
        }
    }

    @Test func installedFromTheRegistry() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            node.applications.publish(KeyValueContract(), package: "com.example.app", version: "1.9.0")
            node.applications.publish(ProbeContract(), package: "com.example.app", version: "1.10.0")
            let token = fixture.token("application:install")
            let first = try await install(fixture, "com.example.app", "1.10.0", token: token)
            #expect(first.status == 200, "\(first.text)")
            #expect(first.data?.names == ["applicationId"])
            let id = try #require(first.data?["applicationId"]?.stringValue)
            #expect(Hex.decode(id)?.count == 32)
            // Another version is the same application, and the same release again changes nothing.
            #expect(try await install(fixture, "com.example.app", "1.9.0").json == first.json)
            #expect(try await install(fixture, "com.example.app", "1.9.0").json == first.json)
            #expect(node.applications.ids == [id])
            #expect(node.applications.versions(of: id) == ["1.10.0", "1.9.0"])

            let listed = try await fixture.admin("GET", "/applications")
            let apps = try #require(listed.data?["apps"]?.arrayValue)
            #expect(apps.count == 1)
            let app = try #require(apps.first)
            #expect(
                app.names == ["id", "blob", "size", "source", "metadata", "signer_id", "package", "version"])
            #expect(app["id"] == .string(id))
            #expect(app["version"] == "1.10.0")
            #expect(app["package"] == "com.example.app")
            #expect(app["signer_id"]?.stringValue?.hasPrefix("did:key:z6Mk") == true)
            #expect(app["blob"]?.names == ["bytecode", "compiled"])
            #expect(app["blob"]?["compiled"] == .string(String(repeating: "0", count: 64)))
            #expect(
                ApplicationRegistry.applicationIdForBundle(
                    package: "com.example.app", signerId: app["signer_id"]?.stringValue ?? "") == id)
            let one = try await fixture.admin("GET", "/applications/\(id)")
            #expect(one.json == ["data": ["application": app]])
            #expect(try await fixture.admin("GET", "/applications/\(id.uppercased())").json == one.json)

            let versions = try #require(try await fixture.admin("GET", "/applications/\(id)/versions").data?.arrayValue)
            #expect(versions.compactMap { $0["version"]?.stringValue } == ["1.10.0", "1.9.0"])
            for row in versions { #expect(row.names == ["version", "blobId", "size", "package"]) }
            #expect(versions.first?["blobId"] == app["blob"]?["bytecode"])

            #expect(try await fixture.admin("GET", "/packages").json == ["packages": ["com.example.app"]])
            #expect(
                try await fixture.admin("GET", "/packages/com.example.app/versions").json == [
                    "versions": ["1.10.0", "1.9.0"]
                ])
            #expect(
                try await fixture.admin("GET", "/packages/com.example.app/latest").json == [
                    "applicationId": .string(id), "version": "1.10.0",
                ])
        }
    }

    @Test func whatTheRegistryDoesNotHaveIs502() async throws {
        try await withNode { fixture async throws in
            fixture.node.applications.publish(KeyValueContract(), package: "com.example.app", version: "1.0.0")
            for (package, version) in [("com.example.app", "2.0.0"), ("com.example.other", "1.0.0"), ("p/q %ü", "1")] {
                try await install(fixture, package, version).expectError(502)
            }
            #expect(fixture.node.applications.ids.isEmpty)
            // Every contract has a package of its own name.
            #expect(try await install(fixture, "kv-store", "1.0.0").status == 200)
        }
    }

    @Test func packagesWithOddNames() async throws {
        try await withNode { fixture async throws in
            let name = "a/b %ü?"
            let id = try fixture.node.applications.install(KeyValueContract(), package: name, version: "1.0.0")
            let path = "/packages/a%2Fb%20%25%C3%BC%3F"
            #expect(try await fixture.admin("GET", path + "/versions").json == ["versions": ["1.0.0"]])
            #expect(try await fixture.admin("GET", path + "/latest").json["applicationId"] == .string(id))
            #expect(try await fixture.admin("GET", "/packages").json == ["packages": [.string(name)]])
        }
    }

    // MARK: - Dev installs

    @Test func devInstalls() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await withNode { fixture async throws in
                let file = folder.appendingPathComponent("app ü.mpk")
                let bundle = try DevBundle(package: "com.example.app", version: "1.2.0", contract: ProbeContract())
                try bundle.data.write(to: file)
                let body = JsonTree.object([JsonMember(name: "path", value: .string(file.path))]).text
                let answer = try await fixture.admin("POST", "/install-dev-application", body)
                #expect(answer.json == ["data": ["applicationId": .string(bundle.applicationId)]])
                let app = try await fixture.admin("GET", "/applications/\(bundle.applicationId)").data?["application"]
                #expect(app?["source"] == .string("file://\(file.path)"))
                #expect(app?["size"] == JsonTree(bundle.data.count))
                // The bytecode is a blob of the node, and stays as long as the application does.
                let blob = try #require(app?["blob"]?["bytecode"]?.stringValue)
                #expect(blob == (try DevBlobs.id(of: bundle.data)))
                let download = try await fixture.admin("GET", "/blobs/\(blob)")
                #expect(download.body == bundle.data)
                #expect(download.headers["content-type"] == "application/gzip")
                try await fixture.admin("DELETE", "/blobs/\(blob)").expectError(403)
                #expect(
                    try await fixture.admin("DELETE", "/applications/\(bundle.applicationId)").json == [
                        "data": ["applicationId": .string(bundle.applicationId)]
                    ])
                #expect(try await fixture.admin("GET", "/blobs/\(blob)").status == 404)
                try await fixture.admin("GET", "/applications/\(bundle.applicationId)").expectError(404)
            }
        }
    }

    @Test func whatIsNoBundleIs500InText() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await withNode { fixture async throws in
                func install(_ name: String, _ data: Data?) async throws -> Answer {
                    let file = folder.appendingPathComponent(name)
                    try data?.write(to: file)
                    return try await fixture.admin(
                        "POST", "/install-dev-application", #"{"path":"\#(file.path)"}"#)
                }
                let wasm = folder.appendingPathComponent("app.wasm").path
                let bare = try await install("app.wasm", Data([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]))
                bare.expectText(500)
                #expect(bare.text == "not a signed application bundle: \(wasm)")
                try await install("empty.mpk", Data()).expectText(500, containing: "not a signed application bundle")
                let whole = try DevBundle(package: "p", version: "1").data
                for length in [1, 10, whole.count / 2, whole.count - 1] {
                    try await install("cut.mpk", whole.prefix(length)).expectText(500)
                }
                for seed in 0..<20 {
                    var broken = whole
                    broken[broken.startIndex + 20 + seed * (whole.count - 30) / 20] ^= 0x55
                    // Whatever became of it, the node answers.
                    #expect([200, 500].contains(try await install("broken.mpk", broken).status))
                }
                try await install("missing.mpk", nil).expectText(500)
                for manifest in [
                    #"{"package":"p","appVersion":"1","wasm":{"path":"app.wasm"}}"#,
                    #"{"package":"p","appVersion":"1","signature":{"signature":"x"}}"#,
                    #"{"appVersion":"1","signerId":"s","signature":{"signature":"x"}}"#,
                    #"{"package":"p","appVersion":"1","signerId":"s","signature":{"signature":"x"},"wasm":{"path":"no"}}"#,
                    #"{"package":"p","appVersion":"1","signerId":"s","signature":{"signature":"x"},"services":[{}]}"#,
                    "[]", "",
                ] {
                    var archive = TarArchive()
                    archive.add("app.wasm", [0])
                    archive.add("manifest.json", Array(manifest.utf8))
                    let packed = try RawDeflate.deflate(archive.bytes, wrapper: .gzip)
                    try await install("manifest.mpk", Data(packed)).expectText(500)
                }
            }
        }
    }

    @Test func devInstallsMayBeConfined() async throws {
        try await withFolder { folder in
            let inside = folder.appendingPathComponent("inside")
            try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
            try await withNode(.with { $0.devInstallRoot = inside }) { fixture async throws in
                let bundle = try DevBundle(package: "p", version: "1")
                for (url, status) in [
                    (inside.appendingPathComponent("a.mpk"), 200), (folder.appendingPathComponent("b.mpk"), 403),
                ] {
                    try bundle.data.write(to: url)
                    let answer = try await fixture.admin(
                        "POST", "/install-dev-application", #"{"path":"\#(url.path)"}"#)
                    #expect(answer.status == status)
                    if status == 403 { answer.expectError(403) }
                }
                let link = inside.appendingPathComponent("link.mpk")
                try FileManager.default.createSymbolicLink(
                    at: link, withDestinationURL: folder.appendingPathComponent("b.mpk"))
                for path in [link.path, inside.path + "/missing.mpk", inside.path] {
                    try await fixture.admin("POST", "/install-dev-application", #"{"path":"\#(path)"}"#)
                        .expectError(403)
                }
            }
        }
    }

    // MARK: - Removal

    @Test func whatCannotBeUninstalledIs500InText() async throws {
        try await withNode { fixture async throws in
            try await fixture.admin("DELETE", "/applications/\(SomeId.first)").expectText(500)
            try fixture.node.createContext(KeyValueContract())
            let bare = DevNode.applicationId(of: KeyValueContract())
            try await fixture.admin("DELETE", "/applications/\(bare)").expectText(500, containing: "kv-store")
            #expect(throws: DevNodeError.self) { try fixture.node.applications.uninstall(SomeId.first) }
        }
    }

    @Test func contextsOfARemovedApplicationWaitForItsReturn() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let namespace = try node.createNamespace()
            let bundle = try DevBundle(package: "com.example.app", version: "1.0.0", contract: KeyValueContract())
            let id = try node.applications.install(bundle.data)
            let context = try await fixture.makeContext(id, in: namespace)
            let token = fixture.token("admin")
            _ = try await fixture.execute(context, "set", ["key": "k", "value": "v"], token: token)
            #expect(try await fixture.admin("DELETE", "/applications/\(id)").status == 200)
            let missing = try await fixture.execute(context, "get", ["key": "k"], token: token)
            #expect(missing.rpcType == "ApplicationNotInstalled")
            #expect(missing.rpcData == ["application_id": .string(id)])
            try node.applications.install(bundle.data)
            #expect(try await fixture.execute(context, "get", ["key": "k"], token: token).output == "v")
        }
    }

    // MARK: - Contracts that nobody installed

    @Test func aContractInUseIsListedWithoutASigner() async throws {
        try await withNode { fixture async throws in
            try fixture.node.createContext(KeyValueContract())
            let id = DevNode.applicationId(of: KeyValueContract())
            let app = try #require(
                try await fixture.admin("GET", "/applications/\(id)").data?["application"])
            #expect(app.names == ["id", "blob", "size", "source", "metadata", "package", "version"])
            #expect(try await fixture.admin("GET", "/applications").data?["apps"]?.arrayValue == [app])
            #expect(
                try await fixture.admin("GET", "/applications/\(id)/versions").data?.arrayValue?.count == 1)
            #expect(try await fixture.admin("GET", "/packages").json == ["packages": ["kv-store"]])
            try await fixture.admin("GET", "/applications/\(DevNode.applicationId(of: ProbeContract()))")
                .expectError(404)
            let abi = try await fixture.admin("GET", "/applications/\(id)/abi")
            let methods = (abi.data?["methods"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
            #expect(methods == KeyValueContract().methods.keys.sorted())
        }
    }

    // MARK: - Interfaces and services

    @Test func abis() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let own = #"{"schema_version":"wasm-abi/1","methods":[],"big":18446744073709551615}"#
            let plain = try node.applications.install(
                try DevBundle(package: "com.example.plain", version: "1.0.0", abi: own).data)
            let answer = try await fixture.admin("GET", "/applications/\(plain)/abi")
            #expect(answer.json == ["data": try JsonParser.parse(own.utf8)])
            try await fixture.admin("GET", "/applications/\(plain)/abi?service_name=chat").expectError(400)

            let several = try node.applications.install(
                try DevBundle(
                    package: "com.example.several", version: "1.0.0",
                    services: ["chat": KeyValueContract(), "probe": ProbeContract()]
                ).data)
            let listed = try await fixture.admin("GET", "/applications/\(several)").data?["application"]
            #expect(listed?["services"]?.names == ["chat", "probe"])
            #expect(listed?["services"]?["chat"]?.names == ["bytecode", "compiled"])
            #expect(listed?["services"]?["chat"] != listed?["services"]?["probe"])
            let unnamed = try await fixture.admin("GET", "/applications/\(several)/abi")
            unnamed.expectError(400)
            #expect(unnamed.error?.contains("chat, probe") == true)
            try await fixture.admin("GET", "/applications/\(several)/abi?service_name=nope").expectError(400)
            let probe = try await fixture.admin("GET", "/applications/\(several)/abi?service_name=probe")
            #expect(probe.data?["methods"]?.arrayValue?.contains { $0["name"] == "echo" } == true)
        }
    }

    @Test func aContextRunsOneServiceOfABundle() async throws {
        try await withNode { fixture async throws in
            let namespace = try fixture.node.createNamespace()
            let id = try fixture.node.applications.install(
                try DevBundle(
                    package: "com.example.several", version: "1.0.0",
                    services: ["chat": KeyValueContract(), "probe": ProbeContract()]
                ).data)
            func create(_ service: String?) async throws -> Answer {
                let member = service.map { #","serviceName":"\#($0)""# } ?? ""
                return try await fixture.admin(
                    "POST", "/contexts",
                    #"{"applicationId":"\#(id)","groupId":"\#(namespace)","initializationParams":[]\#(member)}"#)
            }
            try await create(nil).expectError(400)
            try await create("nope").expectError(400)
            let context = try #require(try await create("probe").data?["contextId"]?.stringValue)
            let token = fixture.token("admin")
            #expect(try await fixture.execute(context, "increment", token: token).output == 1)
            #expect(try await fixture.admin("GET", "/contexts/\(context)").data?["serviceName"] == "probe")
            let single = try fixture.node.applications.install(KeyValueContract(), package: "com.example.one")
            let group = try fixture.node.createNamespace()
            try await fixture.admin(
                "POST", "/contexts",
                #"{"applicationId":"\#(single)","groupId":"\#(group)","initializationParams":[],"serviceName":"chat"}"#
            ).expectError(400)
        }
    }

    // MARK: - Which contract runs

    @Test func theContractOfAnApplication() async throws {
        struct Custom: DevContract {
            let name = "custom"
            let methods: [String: DevMethod] = ["who": .read { _ in "custom" }]
        }
        try await withNode(.with { $0.contracts = [Custom()] }) { fixture async throws in
            let store = fixture.node.core.applications
            func contract(_ package: String, _ contract: (any DevContract)? = nil) throws -> String? {
                let id = try fixture.node.applications.install(
                    try DevBundle(package: package, version: "1", contract: contract).data)
                return store.contract(ofApplication: id)?.name
            }
            #expect(try contract("com.example.app") == "kv-store")
            #expect(try contract("com.example.custom") == "custom")
            #expect(try contract("custom") == "custom")
            #expect(try contract("com.example.probe") == "probe")
            #expect(try contract("com.example.probe", Custom()) == "custom")
        }
    }

    /// Of any version the node may be given.
    @Test(arguments: [
        ("1.10.0", "1.9.0", true), ("1.0.0", "1.0.0-rc.1", true), ("2", "10", false),
        ("1.0.0-rc.2", "1.0.0-rc.10", false), ("1.b", "1.a", true), ("99999999999999999999999", "1", true),
        ("", "1", false),
    ])
    func newerVersions(left: String, right: String, isNewer: Bool) {
        #expect((SemanticVersion(right) < SemanticVersion(left)) == isNewer)
        #expect((SemanticVersion(left) < SemanticVersion(right)) != isNewer)
    }
}
