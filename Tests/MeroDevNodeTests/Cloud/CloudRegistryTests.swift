import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct CloudRegistryTests {
    private static let package = "com.example.notes"

    private static func withVersions(_ test: (CloudFixture) async throws -> Void) async throws {
        try await withCloud { fixture in
            for version in ["1.0.0", "1.10.0", "1.9.0"] {
                try fixture.cloud.publish(try DevBundle(package: package, version: version).data)
            }
            try fixture.cloud.publish(try DevBundle(package: "com.example.chat", version: "2.0.0").data)
            try await test(fixture)
        }
    }

    private static func versions(_ answer: Answer) -> [String] {
        (answer.json.arrayValue ?? []).compactMap { $0["appVersion"]?.stringValue }
    }

    @Test func theLatestUnlessAllAreAskedFor() async throws {
        try await Self.withVersions { fixture in
            let all = try await fixture.call("GET", "/api/v2/bundles")
            let packages = (all.json.arrayValue ?? []).compactMap { $0["package"]?.stringValue }
            #expect(packages == ["com.example.chat", Self.package])
            let latest = try await fixture.call("GET", "/api/v2/bundles?package=\(Self.package)")
            #expect(Self.versions(latest) == ["1.10.0"] && latest.json.arrayValue?.first?["yanked"] == nil)
            fixture.cloud.setYanked(true, package: Self.package, version: "1.10.0")
            let versions = try await fixture.call(
                "GET", "/api/v2/bundles?package=\(Self.package)&all_versions=true")
            #expect(Self.versions(versions) == ["1.10.0", "1.9.0", "1.0.0"])
            #expect(versions.json.arrayValue?.map { $0["yanked"] } == [true, false, false])
            let signer = versions.json.arrayValue?.first?["signerId"]?.stringValue ?? ""
            let id = try DevBundle(package: Self.package, version: "1.0.0").applicationId
            #expect(ApplicationRegistry.applicationIdForBundle(package: Self.package, signerId: signer) == id)
        }
    }

    @Test func parametersThatDoNotGoTogether() async throws {
        try await Self.withVersions { fixture in
            for query in [
                "all_versions=true", "all_versions=true&package=x&developer=y", "all_versions=true&package=x&author=y",
                "all_versions=maybe&package=x",
            ] {
                let answer = try await fixture.call("GET", "/api/v2/bundles?\(query)")
                #expect(answer.status == 400 && answer.error == "invalid_params", "\(query)")
            }
            fixture.cloud.listsAllVersions = false
            let old = try await fixture.call("GET", "/api/v2/bundles?package=\(Self.package)&all_versions=true")
            #expect(old.status == 400)
            #expect(try await fixture.call("POST", "/api/v2/bundles").status == 405)
        }
    }

    @Test func manifestsAndArtifacts() async throws {
        try await Self.withVersions { fixture in
            let path = "/api/v2/bundles/\(Self.package)/1.9.0"
            let manifest = try await fixture.call("GET", path)
            #expect(manifest.json["appVersion"] == "1.9.0" && manifest.json["signature"]?["algorithm"] == "ed25519")
            let queried = try await fixture.call("GET", "/api/v2/bundles?package=\(Self.package)&version=1.9.0")
            #expect(queried.json.arrayValue == [manifest.json])
            #expect(try await fixture.call("GET", "/api/v2/bundles?package=\(Self.package)&version=9").status == 404)
            let unknown = try await fixture.call("GET", "/api/v2/bundles/\(Self.package)/9")
            #expect(unknown.status == 404 && unknown.error == "manifest_not_found")
            let artifact = try await fixture.call(
                "GET", "/artifacts/\(Self.package)/1.9.0/\(Self.package)-1.9.0.mpk")
            #expect(artifact.body == (try DevBundle(package: Self.package, version: "1.9.0").data))
            #expect(try await fixture.call("GET", "/artifacts/\(Self.package)/1.9.0/other.mpk").status == 404)
            let row = try await fixture.call(
                "GET", "/api/v2/bundles?package=\(Self.package)&all_versions=true")
            #expect(row.json.arrayValue?.map { $0["downloads"] } == [0, 1, 0])
        }
    }

    @Test func whatIsNoBundleIsRefused() async throws {
        try await withCloud { fixture in
            #expect(throws: DevNodeError.self) { try fixture.cloud.publish(Data("no bundle".utf8)) }
        }
    }
}
