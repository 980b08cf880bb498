import Foundation
import MeroKit

@testable import MeroDevNode

/// A started cloud, a client of it, and an account with a device.
struct CloudFixture: LoopbackFixture {
    let cloud: DevCloud
    let ada: DevAccount

    var port: UInt16 { cloud.port }

    static let email = "ada@example.com"

    /// A session of ada's login.
    func session(_ email: String = Self.email) -> String { cloud.mintSession(email).token }

    func nonce(_ path: String, token: String? = nil) async throws -> String {
        try await call("GET", path, token: token).json["nonce"]?.stringValue ?? ""
    }

    // MARK: - Proofs of a root

    static func signature(_ account: DevAccount, _ domain: String, _ text: String) throws -> String {
        try account.root.sign(Data("calimero.mdma.\(domain).v1".utf8) + [0] + Data(text.utf8)).base64EncodedString()
    }

    func loginBody(_ account: DevAccount? = nil, nonce: String, domain: String = "account-login") throws -> JsonTree {
        let account = account ?? ada
        return [
            "root_public_key": .string(account.root.publicKey), "nonce": .string(nonce),
            "signature": .string(try Self.signature(account, domain, nonce)),
        ]
    }

    func linkBody(_ account: DevAccount? = nil, nonce: String, domain: String = "account-link") throws -> JsonTree {
        let account = account ?? ada
        return try loginBody(account, nonce: nonce, domain: domain)
            .replacing("account_id", .string(account.accountId))
    }

    // MARK: - Routing proofs

    struct Proof {
        var credential: String
        var nonce: String
        var signature: String

        var headers: [(String, String)] {
            [
                ("X-Calimero-Credential", credential), ("X-Calimero-Nonce", nonce),
                ("X-Calimero-Signature", signature),
            ]
        }
    }

    static func sign(_ account: DevAccount, nonce: String, domain: String = "routing-read") throws -> String {
        try account.keys.sign(Data("calimero.mdma.\(domain).v1".utf8) + [0] + Data(nonce.utf8)).base64EncodedString()
    }

    func proof(_ place: String, as account: DevAccount? = nil) async throws -> Proof {
        let account = account ?? ada
        let nonce = try await nonce("/api/cloud/\(place)/challenge")
        return Proof(
            credential: account.credential, nonce: nonce, signature: try Self.sign(account, nonce: nonce))
    }

    /// The account's relays, read with a proof of its own.
    func relays(of account: DevAccount? = nil) async throws -> Answer {
        let account = account ?? ada
        let place = "accounts/\(account.accountId)"
        return try await call(
            "GET", "/api/cloud/\(place)/relays", headers: try await proof(place, as: account).headers)
    }

    func admitters(_ namespace: String) async throws -> Answer {
        try await call("GET", "/api/cloud/namespaces/\(namespace)/admitters")
    }
}

/// A cloud that is stopped at the end of the test.
func withCloud(
    _ options: DevCloudOptions = DevCloudOptions(), _ body: (CloudFixture) async throws -> Void
) async throws {
    let cloud = try await DevCloud.start(options)
    do {
        try await body(CloudFixture(cloud: cloud, ada: DevAccount()))
        await cloud.stop()
    } catch {
        await cloud.stop()
        throw error
    }
}

extension DevCloudOptions {
    static func with(_ change: (inout DevCloudOptions) -> Void) -> DevCloudOptions {
        var options = DevCloudOptions()
        change(&options)
        return options
    }
}

extension Answer {
    /// What the cloud says about a refusal, in either of its shapes.
    var detail: String? { json["detail"]?.stringValue ?? json["detail"]?["message"]?.stringValue }
    /// The code of a refusal that has one.
    var code: String? { json["detail"]?["error"]?.stringValue }
    /// Where validation found something wrong.
    var invalidPlaces: [String] {
        (json["detail"]?.arrayValue ?? []).map { $0["loc"]?.text ?? "" }
    }
}

extension String {
    /// The same text with another character at a place; both are hexadecimal or base64 alike.
    func flipping(at offset: Int) -> String {
        var characters = Array(self)
        characters[offset] = characters[offset] == "1" ? "2" : "1"
        return String(characters)
    }
}
