import Foundation
import MeroKit

/// Which cloud a command talks to, and as which profile: options before environment before what the login kept.
struct CloudDesk: Sendable {
    let invocation: Invocation
    let profile: Profile
    let cloud: NodeAddress
    let wallet: NodeAddress
    /// Of one attempt, without any progress, in seconds.
    let timeout: TimeInterval
    /// How the cloud and the account's relay are spoken to: whom to trust.
    let options: HttpOptions

    var console: Console { invocation.console }
    var arguments: Arguments { invocation.arguments }

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        profile = try Connection.profile(invocation)
        timeout = invocation.arguments.seconds(.timeout) ?? Connection.standardTimeout
        options = HttpOptions(
            certificateAuthorityFile: try Connection.certificates(invocation.arguments.text(.cacert)))
        let device = try profile.loadCloudDevice()
        cloud = try Self.address(
            .cloud, "MERO_CLOUD", kept: try device?.cloud ?? profile.loadCloudOwner()?.cloud,
            standard: CloudClient.defaultBaseURL.absoluteString, invocation)
        // One that runs on this machine brings its wallet along; the hosted wallet could not return to it anyway.
        let standard =
            cloud.isLoopback ? "\(cloud.text)/account-enroll" : DeviceEnrolment.defaultWalletURL.absoluteString
        let isSameCloud = device.flatMap { NodeAddress($0.cloud) }?.isSameNode(as: cloud) ?? false
        wallet = try Self.address(
            .wallet, "MERO_WALLET", kept: isSameCloud ? device?.wallet : nil, standard: standard, invocation)
    }

    private static func address(
        _ option: OptionSpec, _ variable: String, kept: String?, standard: String, _ invocation: Invocation
    ) throws -> NodeAddress {
        let named = invocation.arguments.text(option) ?? invocation.surroundings.setting(variable)
        let text = named ?? kept ?? standard
        guard let address = NodeAddress(text) else {
            throw Failure(
                code: .usage,
                message: "The address \"\(text)\" cannot be used: \(NodeAddress.complaint(about: text) ?? "")",
                hint: "It comes from \(variable) or from the profile; give another one with \(option.flag) URL")
        }
        return address
    }

    var config: CloudConfig {
        CloudConfig(
            walletURL: wallet.url, cloudBaseURL: cloud.url, audience: .cli, clientName: "mero", relayOptions: options,
            cloudOptions: options, timeout: timeout)
    }

    /// What to add to a command so that it means the same profile.
    var profileWords: String { profile.name == ProfileName.standard ? "" : " --profile \(profile.name)" }
}

extension CloudDesk {
    /// A call to suggest, which somebody may paste into a shell: what others chose stands in it as plain words only. Nil for
    /// a relay that is no address.
    func callWords(_ context: String, relay: String?) -> String? {
        guard let relay, let address = NodeAddress(relay), !address.text.contains(where: \.isControlled) else {
            return nil
        }
        return "mero call \(context.shellWord) METHOD '{}' --relay \(address.text.shellWord)\(profileWords)"
    }
}

extension Character {
    fileprivate var isControlled: Bool { unicodeScalars.contains(where: String.isControl) }
}

extension String {
    /// As one word of a shell that means nothing else there.
    var shellWord: String {
        let plain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                return true
            default: return "-_./:".utf8.contains(byte)
            }
        }
        guard !plain || isEmpty || hasPrefix("-") else { return self }
        return "'" + replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }
}

// MARK: - As the device

extension CloudDesk {
    /// The device that is signed in, as a client of the cloud. Throws `Failure` when none is.
    func device() throws -> CloudDevice {
        guard let stored = try profile.loadCloudDevice(), let address = NodeAddress(stored.cloud),
            address.isSameNode(as: cloud)
        else {
            throw Failure(
                code: .notSignedIn, message: "No device of profile \"\(profile.name)\" is signed in to \(cloud.text)",
                hint: "Run \"mero cloud login\(profileWords) --cloud \(cloud.text)\"")
        }
        let identity = try profile.identity()
        // Another device may have taken this one's place in the profile since.
        let certified = try? DeviceCertificates.verify(stored.session.credential)
        guard certified?.signPublicKey == identity.keys.signPublicKey else {
            throw Failure(
                code: .notSignedIn,
                message: "Profile \"\(profile.name)\" holds another device than the one that signed in to the cloud",
                hint:
                    "Run \"mero cloud login\(profileWords)\" again (with --certified if the device is certified already)"
            )
        }
        return CloudDevice(desk: self, identity: identity, stored: stored)
    }
}

// MARK: - As the cloud's user

extension CloudDesk {
    /// The login of the cloud's user. Throws `Failure` when nobody is signed in there.
    func owner() throws -> CloudLoginSession {
        guard let stored = try profile.loadCloudOwner(), let address = NodeAddress(stored.cloud),
            address.isSameNode(as: cloud)
        else {
            throw Failure(
                code: .notSignedIn,
                message: "Nobody is signed in to \(cloud.text) as the owner of namespaces",
                hint:
                    "Run \"mero cloud login --owner\(profileWords)\" or \"mero cloud login --google-stdin\(profileWords)\""
            )
        }
        return stored.session
    }

    /// Does something as the cloud's user. The cloud replaces the session's token now and then: the new one is kept, even
    /// when what was asked for failed.
    func asOwner<Value: Sendable>(
        _ body: @Sendable (CloudAccountClient, CloudUser) async throws -> Value
    ) async throws -> Value {
        let session = try owner()
        let client = CloudAccountClient(
            baseURL: cloud.url, sessionToken: session.sessionToken, timeout: timeout, options: options)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(client, session.user))
        } catch {
            result = .failure(CloudFailure.describing(error))
        }
        if let now = await client.currentSession {
            try await profile.keep(now, inPlaceOf: session, at: cloud.text)
        }
        return try result.get()
    }
}

extension OptionSpec {
    static let cloud = OptionSpec(
        name: "cloud", value: .node, help: "The cloud's API, instead of the hosted one or the one of the login.",
        environment: "MERO_CLOUD")
    static let wallet = OptionSpec(
        name: "wallet", value: .node,
        help:
            "The wallet's page, instead of the hosted one. A cloud on this machine (\"mero dev --with-cloud\") brings its own.",
        environment: "MERO_WALLET")
    /// What every command that talks to the cloud understands.
    static let cloudConnection = [cloud, profile, cacert, timeout]
}
