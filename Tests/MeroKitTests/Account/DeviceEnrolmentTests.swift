import Foundation
import Testing

@testable import MeroKit

@Suite("Enrolment at the wallet")
struct DeviceEnrolmentTests {
    private static let sign = String(repeating: "ea", count: 32)
    private static let kem = String(repeating: "5f", count: 32)

    private struct Enrolled {
        let keys = DeviceKeys.generate()
        let root = AccountRoot.generate()
        let device: String
        let credential: String

        init() throws {
            device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
            credential = try root.certify(
                device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
        }

        func callback(
            credential: String? = nil, account: String? = nil, device: String? = nil, state: String? = "s"
        ) -> EnrolmentCallback {
            EnrolmentCallback(
                credential: credential ?? self.credential, account: account ?? root.accountId,
                device: device ?? self.device, state: state)
        }
    }

    @Test("The URL, in the order of the spec")
    func url() throws {
        let url = try DeviceEnrolment.url(
            devicePublicKey: Self.sign, kemPublicKey: Self.kem, callbackURL: "mero-sample://enrol", state: "abc123")
        #expect(
            url.absoluteString
                == "https://wallet.cloud.calimero.network/account-enroll?enrol-device=\(Self.sign)&enrol-kem=\(Self.kem)"
                + "&callback-url=mero-sample%3A%2F%2Fenrol&state=abc123")
        for state in [nil, ""] {
            let url = try DeviceEnrolment.url(
                walletURL: #require(URL(string: "http://localhost:3/x?a=b%20c&d")), devicePublicKey: Self.sign,
                kemPublicKey: Self.kem, callbackURL: "https://app.example/e?x=1 2*~", state: state)
            #expect(
                url.absoluteString
                    == "http://localhost:3/x?a=b%20c&d&enrol-device=\(Self.sign)&enrol-kem=\(Self.kem)"
                    + "&callback-url=https%3A%2F%2Fapp.example%2Fe%3Fx%3D1+2*%7E")
        }
        #expect(DeviceEnrolment.makeState().count == 32)
        #expect(DeviceEnrolment.makeState() != DeviceEnrolment.makeState())
    }

    @Test(
        "Callbacks that nothing can return to are refused",
        arguments: [
            "javascript:alert(1)", "JavaScript:alert(1)", " javascript:x", "data:text/html,x", "blob:x", "file:///x",
            "about:blank", "vbscript:x", "filesystem:x", "intent://x", "/relative", "app.example/x", "", "https:",
            "https://app.example/#x", "mero://x#", "1a://x", "://x",
        ])
    func refusedCallbacks(callback: String) {
        #expect(throws: AccountError.self) {
            try DeviceEnrolment.url(
                devicePublicKey: Self.sign, kemPublicKey: Self.kem, callbackURL: callback, state: nil)
        }
    }

    @Test("Keys are 64 lower-case hex characters")
    func refusedKeys() {
        for key in [Self.sign.uppercased(), String(Self.sign.dropLast()), "", Self.sign + " "] {
            for (sign, kem) in [(key, Self.kem), (Self.sign, key)] {
                #expect(throws: AccountError.self) {
                    try DeviceEnrolment.url(
                        devicePublicKey: sign, kemPublicKey: kem, callbackURL: "https://a.example", state: nil)
                }
            }
        }
    }

    @Test("Reading what comes back")
    func read() throws {
        let url = try #require(URL(string: "mero://enrol?credential=no#credential=c+1&account=a&device=d&account=x"))
        #expect(
            try DeviceEnrolment.readCallback(url)
                == EnrolmentCallback(credential: "c 1", account: "a", device: "d", state: nil))
        #expect(try DeviceEnrolment.readCallback(fragment: "#credential=c&account=a&device=d&state=s")?.state == "s")
        for nothing in ["", "#", "credential=c&account=a", "credential=c&account=a&device=", "state=s&error="] {
            #expect(try DeviceEnrolment.readCallback(fragment: nothing) == nil)
        }
        #expect(try DeviceEnrolment.readCallback(#require(URL(string: "mero://enrol?credential=c&device=d"))) == nil)
        for (code, text) in [
            ("denied", "The device was not approved at the wallet."),
            ("cancelled", "The device was not approved at the wallet."),
            ("too+old", "The wallet refused this enrolment: too old"),
        ] {
            #expect(throws: AccountError.enrolmentDeclined(text)) {
                try DeviceEnrolment.readCallback(fragment: "credential=c&account=a&device=d&error=\(code)")
            }
        }
    }

    @Test("A callback that holds gives the device, in lower case")
    func complete() throws {
        let enrolled = try Enrolled()
        let callback = enrolled.callback(
            credential: enrolled.credential.uppercased() + " ", account: " \(enrolled.root.accountId.uppercased())",
            device: enrolled.device.uppercased())
        let device = try DeviceEnrolment.completeEnrolment(callback, keys: enrolled.keys, expectState: "s")
        #expect(device.credential == enrolled.credential)
        #expect(device.account == enrolled.root.accountId)
        #expect(device.device == enrolled.device)
        #expect(device.certificate == (try DeviceCertificates.parse(enrolled.credential)))
        _ = try DeviceEnrolment.completeEnrolment(
            callback, devicePublicKey: enrolled.keys.signPublicKey.uppercased(), kemPublicKey: nil, expectState: nil)
    }

    @Test("One that does not is refused, for the first reason")
    func refusals() throws {
        let enrolled = try Enrolled()
        let other = try Enrolled()
        let half = try DeviceKeys(signSecret: enrolled.keys.signSecret, kemSecret: other.keys.kemSecret)
        func complete(_ callback: EnrolmentCallback, _ keys: DeviceKeys, _ state: String? = "s") -> AccountError? {
            do {
                _ = try DeviceEnrolment.completeEnrolment(callback, keys: keys, expectState: state)
                return nil
            } catch {
                return error as? AccountError
            }
        }
        func rejected(_ phrase: String, _ callback: EnrolmentCallback, _ keys: DeviceKeys) {
            guard case .credentialRejected(let text)? = complete(callback, keys) else {
                Issue.record("not rejected: \(phrase)")
                return
            }
            #expect(text.contains(phrase))
        }
        #expect(complete(enrolled.callback(state: "t"), enrolled.keys) == .stateMismatch)
        #expect(complete(enrolled.callback(credential: "junk", state: nil), enrolled.keys) == .stateMismatch)
        #expect(complete(enrolled.callback(state: nil), enrolled.keys, nil) == nil)
        let broken = enrolled.credential.dropLast(2) + (enrolled.credential.hasSuffix("00") ? "01" : "00")
        rejected("did not sign", enrolled.callback(credential: String(broken)), enrolled.keys)
        rejected("this app holds", enrolled.callback(), other.keys)
        rejected("names delivery key", enrolled.callback(), half)
        rejected("the wallet reported account", enrolled.callback(account: other.root.accountId), enrolled.keys)
        rejected("the wallet reported device", enrolled.callback(device: other.device), enrolled.keys)
    }
}
