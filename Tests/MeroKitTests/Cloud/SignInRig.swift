import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// A wallet that certifies what is asked for: reads the keys and the state off the page's URL.
struct ScriptedWallet {
    let root = AccountRoot.generate()

    func approve(_ page: URL, state: String? = nil) throws -> URL {
        let query = try #require(URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems)
        func field(_ name: String) throws -> String { try #require(query.first { $0.name == name }?.value) }
        let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
        let credential = try root.certify(
            device: device, signPublicKey: field("enrol-device"), kemPublicKey: field("enrol-kem"))
        let fragment = "credential=\(credential)&account=\(root.accountId)&device=\(device)"
        return try #require(
            URL(string: "\(field("callback-url"))#\(fragment)&state=\(try state ?? field("state"))"))
    }
}

/// A sign-in over a scripted cloud, with stores that outlive it.
final class SignInRig: Sendable {
    static let callback = "https://app.example/enrol"

    let cloud: ScriptedCloud
    let sessions = AnyValueStore<CloudSession>.memory()
    let pending = AnyValueStore<PendingEnrolment>.memory()
    let keys = AnyValueStore<DeviceKeys>.memory()
    let tokens = MemoryTokenStore()
    let nonces = MemoryWarrantNonceStore()
    let time = Locked(Date())
    let wallet = ScriptedWallet()

    init() throws { cloud = try ScriptedCloud() }
    deinit { cloud.stop() }

    /// As after a start of the app: everything that lives on is in the stores.
    func signIn(
        unsolicited: Bool = false, verifier: any RelayKeyVerifier = TLSRelayKeyVerifier()
    ) throws -> CloudSignIn {
        let time = self.time
        var clock = RelayClock()
        clock.now = { time.withLock { $0 } }
        return CloudSignIn(
            config: CloudConfig(cloudBaseURL: try cloud.url, audience: .cli, relayKeyVerifier: verifier),
            keyStore: keys,
            sessionStore: sessions, tokenStore: tokens, nonces: nonces, pendingStore: pending,
            acceptsUnsolicitedCallbacks: unsolicited, clock: clock)
    }

    var account: String { wallet.root.accountId }

    func enrol(_ signIn: CloudSignIn) async throws -> CloudSession {
        let page = try await signIn.beginEnrolment(callbackURL: Self.callback)
        return try await signIn.completeEnrolment(callbackURL: wallet.approve(page))
    }

    func serve(_ node: DevNode, fresh: Bool = true) {
        cloud.serve(
            relays: [
                #"{"peer_id":"p","relay_url":"\#(node.url.absoluteString)","fresh":\#(fresh),"executor_account":"\#(node.accountId)"}"#
            ], account: account)
    }

    /// A node that acts for accounts.
    static func relay() async throws -> DevNode {
        var options = DevNodeOptions()
        options.delegatedAccess = true
        return try await DevNode.start(options)
    }
}
