import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct DevWalletTests {
    private static func url(_ wallet: URL, _ keys: DeviceKeys, state: String? = "s-1") throws -> URL {
        try DeviceEnrolment.url(
            walletURL: wallet, devicePublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey,
            callbackURL: "mero-sample://enrol", state: state)
    }

    @Test func thePageCertifiesAndReturns() async throws {
        try await withCloud { fixture in
            let keys = DeviceKeys.generate()
            let url = try Self.url(fixture.cloud.walletURL, keys)
            let page = try await fixture.call("GET", "/account-enroll?\(url.query ?? "")")
            #expect(page.status == 303)
            #expect(page.headers["location"]?.hasPrefix("mero-sample://enrol#credential=") == true)
            let back = try #require(URL(string: page.headers["location"] ?? ""))
            let callback = try #require(try DeviceEnrolment.readCallback(back))
            let device = try DeviceEnrolment.completeEnrolment(callback, keys: keys, expectState: "s-1")
            #expect(device.account == fixture.cloud.wallet.root.accountId)
            #expect(fixture.cloud.wallet.enrolled.map(\.credential) == [device.credential])
        }
    }

    @Test func withoutABrowserAnswersAreTheSame() throws {
        let wallet = DevWallet()
        let keys = DeviceKeys.generate()
        let url = try Self.url(DeviceEnrolment.defaultWalletURL, keys)
        wallet.next(.deny, .cancel, .refuse(code: "no-passkey"))
        for code in ["denied", "cancelled", "no-passkey"] {
            #expect(try wallet.visit(url).absoluteString == "mero-sample://enrol#error=\(code)")
        }
        let callback = try #require(try DeviceEnrolment.readCallback(try wallet.visit(url)))
        _ = try DeviceEnrolment.completeEnrolment(callback, keys: keys, expectState: "s-1")
        let plain = try wallet.visit(try Self.url(DeviceEnrolment.defaultWalletURL, keys, state: nil))
        #expect(plain.fragment?.contains("state=") == false && wallet.visits == 5)
    }

    @Test(arguments: DevForgery.allCases) func forgeriesAreFound(_ forgery: DevForgery) throws {
        let wallet = DevWallet()
        let keys = DeviceKeys.generate()
        wallet.answer = .forge(forgery)
        let back = try wallet.visit(try Self.url(DeviceEnrolment.defaultWalletURL, keys))
        guard let callback = try DeviceEnrolment.readCallback(back) else {
            #expect(forgery == .missingCredential)
            return
        }
        #expect(throws: AccountError.self) {
            try DeviceEnrolment.completeEnrolment(callback, keys: keys, expectState: "s-1")
        }
        #expect(wallet.enrolled.isEmpty)
    }

    @Test func requestsThatAreNoneAreRefused() async throws {
        try await withCloud { fixture in
            let keys = DeviceKeys.generate()
            let (device, kem) = (keys.signPublicKey, keys.kemPublicKey)
            for query in [
                "", "enrol-device=\(device)", "enrol-device=\(device)&enrol-kem=\(kem)",
                "enrol-device=\(device.uppercased())&enrol-kem=\(kem)&callback-url=https%3A%2F%2Fa.example",
                "enrol-device=\(device)&enrol-kem=\(kem)&callback-url=javascript%3Aalert(1)",
                "enrol-device=\(device)&enrol-kem=\(kem)&callback-url=https%3A%2F%2Fa.example%2F%23x",
            ] {
                let answer = try await fixture.call("GET", "/account-enroll?\(query)")
                #expect(answer.status == 400 && answer.headers["location"] == nil, "\(query)")
            }
            #expect(fixture.cloud.wallet.enrolled.isEmpty)
        }
    }
}
