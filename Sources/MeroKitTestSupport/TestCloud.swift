import Foundation
import MeroDevNode
import MeroKit

/// A cloud with a relay and a wallet, all in this process: everything that an app's sign-in as an account meets.
///
/// ```swift
/// let test = try await TestCloud.start()
/// let session = AppSession(test.setup())
/// await session.signInWithCloud(callback: .scheme("my-app"))
/// await test.stop()
/// ```
public struct TestCloud: Sendable {
    /// The cloud: logins, claims, rows, faults and records.
    public let cloud: DevCloud
    /// Its relay.
    public let relay: DevNode
    /// The relay's id in the cloud.
    public let peerId: String
    /// A namespace of the relay's that the cloud has hosted there.
    public let namespaceId: String
    /// A context of the namespace.
    public let contextId: String
    /// The person who signs in, by the cloud's wallet.
    public let person: WalletAuthenticator

    /// Starts both.
    ///
    /// - Parameters:
    ///   - contract: What runs in the context.
    ///   - options: Of the cloud.
    ///   - relayOptions: Of the relay.
    ///   - isMember: Whether the wallet's account is a member of the namespace, and so has the relay from the start.
    ///     Else it is signed in without a relay until it redeems an invitation.
    public static func start(
        _ contract: any DevContract = KeyValueContract(), options: DevCloudOptions = DevCloudOptions(),
        relay relayOptions: DevNodeOptions = DevNodeOptions(), isMember: Bool = true
    ) async throws -> TestCloud {
        var relayOptions = relayOptions
        relayOptions.delegatedAccess = true
        let relay = try await DevNode.start(relayOptions)
        do {
            let cloud = try await DevCloud.start(options)
            do {
                let account = cloud.wallet.root.accountId
                let namespaceId = try relay.createNamespace(
                    members: isMember ? [account: .member] : [:], contract: contract)
                let contextId = try relay.createContext(contract, inGroup: namespaceId)
                let peerId = cloud.add(relay)
                try cloud.assign(peerId, toNamespace: namespaceId)
                return TestCloud(
                    cloud: cloud, relay: relay, peerId: peerId, namespaceId: namespaceId, contextId: contextId,
                    person: WalletAuthenticator(cloud.wallet))
            } catch {
                await cloud.stop()
                throw error
            }
        } catch {
            await relay.stop()
            throw error
        }
    }

    /// Where `CloudSignIn` finds the cloud and the wallet.
    public var config: CloudConfig {
        CloudConfig(walletURL: cloud.walletURL, cloudBaseURL: cloud.url, audience: .cli)
    }

    /// The sign-in of a new device, which keeps everything in memory.
    public func signIn() -> CloudSignIn {
        CloudSignIn(
            config: config, keyStore: .memory(), sessionStore: .memory(), nonces: MemoryWarrantNonceStore())
    }

    /// An app on a new device.
    public func setup() -> AppSession.Setup {
        AppSession.Setup(cloud: signIn(), webAuthenticator: person, suspensionDelay: 0)
    }

    /// Stops both.
    public func stop() async {
        await cloud.stop()
        await relay.stop()
    }
}
