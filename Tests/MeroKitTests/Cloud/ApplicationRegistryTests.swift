import Foundation
import Testing

@testable import MeroKit

/// Spec: 70, section 12, and 50, section 20.
@Suite("Application registry") struct ApplicationRegistryTests {
    private typealias Bundle = ApplicationRegistry.Bundle

    private static func bundle(_ version: String?, signer: String? = "did:key:a", yanked: Bool = false) -> Bundle {
        Bundle(package: "p", signerId: signer, appVersion: version, yanked: yanked)
    }

    private static func bundles(
        _ body: String, status: Int = 200, all: Int? = nil
    ) async throws -> (bundles: [Bundle], asked: [String]) {
        let engine = ScriptedEngine { request, _ in
            if let all, request.url.contains("all_versions") {
                return .status(all, [:], #"{"error":"invalid_params"}"#)
            }
            return .status(status, [:], body)
        }
        let bundles = try await ApplicationRegistry.bundles(
            registryURL: "https://apps.example/base//", package: "p q", engine: engine)
        return (bundles, engine.requests.map(\.url))
    }

    @Test(arguments: CryptoVector.load("application-ids")) func ids(vector: CryptoVector) throws {
        let id = try ApplicationRegistry.applicationIdForBundle(
            package: vector.input.string("package"), signerId: vector.input.string("signerId"))
        #expect(id == (try vector.expected.string("applicationId")))
    }

    @Test func theIdOfTheContract() {
        #expect(
            ApplicationRegistry.applicationIdForBundle(
                package: "com.example.notes", signerId: "did:key:z6MkExample")
                == "207af022fffc23f735d08936a52caa52865b618e64e55d1a98cc489c9e070f0e")
        #expect(!CryptoVector.load("application-ids").isEmpty)
    }

    @Test(
        arguments: [
            (["1.9.0", "1.10.0"], "1.10.0"), (["2", "10"], "10"), (["1.0.0", "1.0.0-rc.1"], "1.0.0-rc.1"),
            (["1.0", "1.0.0"], "1.0"), (["x", "0.0.1"], "0.0.1"), (["1.x", "1.0"], "1.x"),
            (["99999999999999999998", "99999999999999999999"], "99999999999999999999"), (["01.2", "1.2"], "01.2"),
            (["1..1", "1.0.2"], "1.0.2"), (["", "0"], "0"), ([""], nil), ([], nil),
        ] as [([String], String?)])
    func theLatest(versions: [String], expected: String?) {
        #expect(ApplicationRegistry.selectLatest(versions.map { Self.bundle($0) })?.appVersion == expected)
    }

    @Test func whatWasWithdrawnIsNotTheLatest() {
        let bundles = [Self.bundle("1"), Self.bundle("3", yanked: true), Self.bundle(nil), Self.bundle("2")]
        #expect(ApplicationRegistry.selectLatest(bundles) == bundles[3])
    }

    @Test func allVersionsAreAskedForAndTheWithdrawnOnesDropped() async throws {
        let rows = #"""
            [{"package":"p q","appVersion":"2","signerId":"s","yanked":true,"metadata":{}},
             {"package":"p q","appVersion":"1","signerId":"s","yanked":false,"downloads":7},
             {"package":"other","appVersion":"9","signerId":"t"},{"appVersion":"0"},7]
            """#
        let (bundles, asked) = try await Self.bundles(rows)
        #expect(
            bundles == [
                Bundle(package: "p q", signerId: "s", appVersion: "1"), Bundle(appVersion: "0"), Bundle(),
            ])
        #expect(asked == ["https://apps.example/base/api/v2/bundles?package=p%20q&all_versions=true"])
        // A registry of one's own may not know the question.
        let older = try await Self.bundles(rows, all: 400)
        #expect(older.bundles == bundles)
        #expect(older.asked.last == "https://apps.example/base/api/v2/bundles?package=p%20q" && older.asked.count == 2)
        for status in [404, 422] {
            let error = await failure(of: { try await Self.bundles(rows, all: status) })
            #expect((error as? MeroError)?.httpStatus == status)
        }
        guard case MeroError.decoding? = await failure(of: { try await Self.bundles("{}") }) else {
            return #expect(Bool(false), "an object was taken for a list")
        }
    }

    @Test func whatIsNoRegistryIsNotAsked() async {
        for (url, package) in [
            ("ftp://x", "p"), ("apps.example", "p"), ("", "p"), ("https://u:p@x", "p"), ("https://x", ""),
        ] {
            let error = await failure(of: { try await ApplicationRegistry.bundles(registryURL: url, package: package) })
            guard case AccountError.invalidInput? = error else {
                return #expect(Bool(false), "\(url): \(String(describing: error))")
            }
        }
    }

    @Test func anApplicationIsResolved() throws {
        func resolve(_ bundles: [Bundle]) throws -> ResolvedApplication {
            try ApplicationRegistry.resolve("p", among: bundles)
        }
        let resolved = try resolve([Self.bundle("1.0.0"), Self.bundle("2.0.0-rc.1"), Self.bundle("1.2.0")])
        #expect(
            resolved
                == ResolvedApplication(
                    applicationId: ApplicationRegistry.applicationIdForBundle(package: "p", signerId: "did:key:a"),
                    signerId: "did:key:a", version: "1.2.0"))
        // There are only pre-releases.
        #expect(try resolve([Self.bundle("2.0.0-rc.1"), Self.bundle("2.0.0-rc.2")]).version == "2.0.0-rc.2")
        func text(_ bundles: [Bundle]) -> String? {
            guard
                case .invalidInput(let text)? = #expect(throws: AccountError.self, performing: { try resolve(bundles) })
            else { return nil }
            return text
        }
        let several = text([Self.bundle("1", signer: "b"), Self.bundle("2", signer: "a"), Self.bundle("0", signer: "")])
        #expect(several?.contains("a, b") == true)
        #expect(several?.contains("refusing to guess which application it is") == true)
        for none in [[], [Self.bundle("1", yanked: true)], [Self.bundle(nil)]] {
            #expect(text(none) == "the registry lists no version of p")
        }
        for unsigned in [Self.bundle("1", signer: nil), Self.bundle("1", signer: "")] {
            #expect(text([unsigned])?.contains("the registry names no publisher for p") == true)
        }
        // A withdrawn version's publisher does not count.
        #expect(try resolve([Self.bundle("1"), Self.bundle("2", signer: "b", yanked: true)]).version == "1")
    }

    @Test func bundlesAreDownloadedFromTheRegistrysOrigin() throws {
        #expect(
            try ApplicationRegistry.artifactURL(
                registryURL: "https://apps.example/base/", package: "com.a", version: "1/2"
            ).absoluteString == "https://apps.example/artifacts/com.a/1%2F2/com.a-1%2F2.mpk")
        #expect(
            try ApplicationRegistry.artifactURL(package: "p", version: "1").absoluteString
                == "https://apps.calimero.network/artifacts/p/1/p-1.mpk")
        #expect(throws: AccountError.self) { try ApplicationRegistry.artifactURL(package: "", version: "1") }
    }

    /// Over real HTTP.
    @Test func aRegistryIsAsked() async throws {
        let registry = try ScriptedCloud()
        defer { registry.stop() }
        registry.on("GET /api/v2/bundles") { request in
            request.target.contains("all_versions")
                ? .status(400, #"{"error":"invalid_params"}"#)
                : .json(#"[{"package":"p","appVersion":"1.0.0","signerId":"did:key:a"}]"#)
        }
        let url = try registry.url.absoluteString
        #expect(try await ApplicationRegistry.resolve(registryURL: url, package: "p").version == "1.0.0")
        #expect(registry.asked == ["GET /api/v2/bundles?package=p&all_versions=true", "GET /api/v2/bundles?package=p"])
    }
}
