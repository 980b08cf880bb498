import MeroDevNode
import MeroKit

/// The cloud beside the node of `mero dev`.
enum DevCommandCloud {
    private static let user = "dev@example.com"

    /// Starts a cloud that has the node as its relay, and hosts its namespace there.
    static func start(_ node: DevNode, namespace: String) async throws -> DevCloud {
        let cloud: DevCloud
        do {
            cloud = try await DevCloud.start()
        } catch let error as DevNodeError {
            throw Failure(code: .localFile, message: "The cloud cannot be started: \(error.localizedDescription)")
        }
        let peer = cloud.add(node)
        do {
            try cloud.assign(peer, toNamespace: namespace)
            // The wallet's account is a cloud user's, as it is for somebody who uses the portal.
            try cloud.link(account: cloud.wallet.root.accountId, to: user)
        } catch {
            await cloud.stop()
            throw error
        }
        return cloud
    }

    static func document(_ cloud: DevCloud) -> Report {
        [
            "url": .string(cloud.url.absoluteString), "wallet": .string(cloud.walletURL.absoluteString),
            "user": .string(user), "googleIdToken": .string(cloud.googleIdToken(user)),
            "account": .string(cloud.wallet.root.accountId),
        ]
    }

    static func announce(
        _ cloud: DevCloud, namespace: String, context: String, invitation: String, relay: String, _ console: Console
    ) throws {
        let url = cloud.url.absoluteString
        try console.line()
        try console.line(
            "\(console.style.bold("A cloud runs at \(url)")), with a wallet. As an account of the wallet's:")
        try console.line("  mero cloud login --profile cloud --cloud \(url)")
        try console.line("  mero invite accept \(invitation) --as-account --profile cloud")
        try console.line("  mero call \(context) entries --relay \(relay) --profile cloud")
        try console.line("As the cloud's user, who has a namespace of the node hosted:")
        try console.line(
            "  echo \(cloud.googleIdToken(user)) | mero cloud login --google-stdin --cloud \(url)")
        try console.line("  mero cloud claim \(namespace)")
        try console.line("  mero cloud ha enable \(namespace)")
        try console.line("  mero cloud relays \(namespace)")
    }
}
