import Foundation
import MeroKit

/// What a wallet does with a request to certify a device.
public enum DevWalletAnswer: Sendable, Equatable {
    /// Certifies the device.
    case approve
    /// The person says no: `#error=denied`.
    case deny
    /// The person goes away from it: `#error=cancelled`.
    case cancel
    /// The wallet has a reason of its own: `#error=<code>`.
    case refuse(code: String)
    /// Certifies, but something is not as it should be.
    case forge(DevForgery)
}

/// What is wrong with a wallet's answer.
public enum DevForgery: Sendable, Equatable, CaseIterable {
    /// The answer to somebody else's request.
    case state
    /// No `state`, although one was sent.
    case missingState
    /// The certificate is for another signing key.
    case signingKey
    /// The certificate is for another delivery key.
    case deliveryKey
    /// `account` is not the certificate's.
    case account
    /// `device` is not the certificate's.
    case device
    /// The root did not sign the certificate.
    case signature
    /// There is no `credential`.
    case missingCredential
}

/// A wallet with a test root, which certifies the devices of apps: in a browser as the page of a ``DevCloud``, or without
/// one.
///
/// ```swift
/// let wallet = DevWallet()
/// wallet.next(.deny)
/// let callback = try wallet.visit(url)     // as the browser would come back
/// ```
///
/// Spec: 70, section 6.1.
public final class DevWallet: Sendable {
    private struct State {
        var root: AccountRoot
        var answer = DevWalletAnswer.approve
        var script: [DevWalletAnswer] = []
        var enrolled: [DevEnrolment] = []
        var visits = 0
    }

    private let state: Locked<State>

    /// A wallet of an account.
    public init(root: AccountRoot = .generate()) { state = Locked(State(root: root)) }

    /// Whose account's devices it certifies.
    public var root: AccountRoot {
        get { state.withLock { $0.root } }
        set { state.withLock { $0.root = newValue } }
    }

    /// What it does with every request that ``next(_:)`` says nothing of.
    public var answer: DevWalletAnswer {
        get { state.withLock { $0.answer } }
        set { state.withLock { $0.answer = newValue } }
    }

    /// What it does with the next requests, one each.
    public func next(_ answers: DevWalletAnswer...) { state.withLock { $0.script += answers } }

    /// The devices that it certified, oldest first.
    public var enrolled: [DevEnrolment] { state.withLock { $0.enrolled } }

    /// How many requests it has seen.
    public var visits: Int { state.withLock { $0.visits } }

    /// Does what a browser and a person would: opens the wallet's page, and tells where the page returns to.
    ///
    /// Throws ``DevNodeError/refused(_:_:)`` for a URL that does not ask for an enrolment.
    public func visit(_ url: URL) throws -> URL {
        let query = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? ""
        guard let callback = URL(string: try answer(FormEncoding.decode(query))) else {
            throw DevNodeError.refused(400, "The callback is no URL")
        }
        return callback
    }

    /// The whole callback URL. Throws ``DevNodeError/refused(_:_:)``.
    func answer(_ query: [(String, String?)]) throws -> String {
        func value(_ name: String) -> String? { query.first { $0.0 == name }?.1.flatMap { $0.isEmpty ? nil : $0 } }
        guard let device = value("enrol-device"), let kem = value("enrol-kem"), CloudBody.isId(device),
            CloudBody.isId(kem)
        else { throw DevNodeError.refused(400, "enrol-device and enrol-kem have 64 lower-case hex characters") }
        guard let callback = value("callback-url"), Self.isUsable(callback) else {
            throw DevNodeError.refused(400, "callback-url is not a URL to return to")
        }
        let asked = Asked(signKey: device, kemKey: kem, state: value("state"))
        let (root, answer) = state.withLock { state in
            state.visits += 1
            return (state.root, state.script.isEmpty ? state.answer : state.script.removeFirst())
        }
        return callback + "#" + FormEncoding.encode(try fields(asked, answer, root))
    }

    private struct Asked {
        var signKey: String
        var kemKey: String
        var state: String?
    }

    private func fields(_ asked: Asked, _ answer: DevWalletAnswer, _ root: AccountRoot) throws -> [(String, String)] {
        let forgery: DevForgery?
        switch answer {
        case .deny: return [("error", "denied")]
        case .cancel: return [("error", "cancelled")]
        case .refuse(let code): return [("error", code)]
        case .approve: forgery = nil
        case .forge(let kind): forgery = kind
        }
        let other = DeviceKeys.generate()
        let device: String
        let credential: String
        do {
            device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
            credential = try root.certify(
                device: device, signPublicKey: forgery == .signingKey ? other.signPublicKey : asked.signKey,
                kemPublicKey: forgery == .deliveryKey ? other.kemPublicKey : asked.kemKey)
        } catch {
            throw DevNodeError.refused(400, "The keys cannot be certified")
        }
        if forgery == nil {
            state.withLock {
                $0.enrolled.append(
                    DevEnrolment(
                        account: root.accountId, device: device, credential: credential, signPublicKey: asked.signKey))
            }
        }
        var fields: [(String, String)] = []
        if forgery != .missingCredential {
            fields.append(("credential", forgery == .signature ? Self.damaged(credential) : credential))
        }
        fields.append(("account", forgery == .account ? other.signPublicKey : root.accountId))
        fields.append(("device", forgery == .device ? other.signPublicKey : device))
        if let state = asked.state, forgery != .missingState {
            fields.append(("state", forgery == .state ? Hex.encode(SecureRandom.bytes(16)) : state))
        }
        return fields
    }

    /// Another last digit, which belongs to the signature.
    private static func damaged(_ credential: String) -> String {
        String(credential.dropLast()) + (credential.hasSuffix("0") ? "1" : "0")
    }

    /// Absolute, without a fragment, and of no scheme that would run something.
    static func isUsable(_ callback: String) -> Bool {
        let scheme = callback.prefix { $0 != ":" }.lowercased()
        let refused = ["javascript", "data", "blob", "file", "about", "vbscript", "filesystem", "intent"]
        return callback.contains(":") && !callback.contains("#") && !scheme.isEmpty && !refused.contains(scheme)
            && callback.utf8.allSatisfy { (0x21...0x7e).contains($0) } && URL(string: callback) != nil
    }
}

/// A device that a ``DevWallet`` certified.
public struct DevEnrolment: Sendable, Equatable {
    /// The account, 64 hex.
    public let account: String
    /// The device, 64 hex.
    public let device: String
    /// The device's certificate in hex.
    public let credential: String
    /// The key that it signs with, 64 hex.
    public let signPublicKey: String
}
