import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// A device's sign-in by way of the wallet, and its first namespace. Spec: 70, sections 6.1, 8 and 11.3.
@Suite("Cloud sign-in") struct CloudSignInTests {
    @Test func aDeviceIsEnrolled() async throws {
        let rig = try SignInRig()
        rig.cloud.serve(
            relays: [#"{"peer_id":"p","relay_url":"https://r.example","fresh":true}"#], account: rig.account)
        let signIn = try rig.signIn()
        #expect(await signIn.restoreSession() == nil)
        let page = try await signIn.beginEnrolment(callbackURL: SignInRig.callback)
        let keys = await signIn.deviceKeys()
        #expect(page.absoluteString.contains("enrol-device=\(keys.signPublicKey)&enrol-kem=\(keys.kemPublicKey)"))
        #expect(rig.pending.load() != nil && rig.cloud.asked.isEmpty)
        let returned = try rig.wallet.approve(page)
        let session = try await signIn.completeEnrolment(callbackURL: returned)
        #expect(session.account == rig.account && session.relayUrl == "https://r.example" && session.note == nil)
        #expect(rig.sessions.load() == session && rig.pending.load() == nil && !session.isRelayless)
        #expect(
            rig.cloud.asked == [
                "GET /api/cloud/accounts/\(rig.account)/challenge", "GET /api/cloud/accounts/\(rig.account)/relays",
            ])
        #expect(rig.cloud.requests[1].values("X-Calimero-Credential") == [session.credential])
        #expect(rig.cloud.requests.allSatisfy { $0.values("Authorization").isEmpty })
        // A second use of the same answer is nobody's any more.
        #expect(
            await failure(of: { try await signIn.completeEnrolment(callbackURL: returned) }) as? AccountError
                == .stateMismatch)
        let asked = rig.cloud.asked.count
        #expect(try await rig.signIn().restoreSession() == session)
        #expect(rig.cloud.asked.count == asked)
        #expect(try await signIn.cloudClient().routingCredential?.credential == session.credential)
    }

    /// Ended while the wallet was open, and started again.
    @Test func aSignInSurvivesTheAppBeingEnded() async throws {
        let rig = try SignInRig()
        rig.cloud.serve(relays: [], account: rig.account)
        let page = try await rig.signIn().beginEnrolment(callbackURL: SignInRig.callback)
        let session = try await rig.signIn().completeEnrolment(callbackURL: rig.wallet.approve(page))
        #expect(session.isRelayless && session.note?.contains("redeeming an invitation") == true)
    }

    @Test func answersThatDoNotHoldStoreAndSendNothing() async throws {
        let rig = try SignInRig()
        let signIn = try rig.signIn()
        let page = try await signIn.beginEnrolment(callbackURL: SignInRig.callback)
        let state = try #require(rig.pending.load()?.state)
        let good = try rig.wallet.approve(page)
        func refused(_ url: URL) async -> AccountError? {
            await failure(of: { try await signIn.completeEnrolment(callbackURL: url) }) as? AccountError
        }
        #expect(try await refused(rig.wallet.approve(page, state: "forged")) == .stateMismatch)
        #expect(
            try await refused(#require(URL(string: "mero-sample://enrol")))
                == .protocolViolation("the wallet returned no credential"))
        #expect(
            try await refused(#require(URL(string: "\(SignInRig.callback)#error=denied")))
                == .enrolmentDeclined("The device was not approved at the wallet."))
        #expect(
            try await refused(#require(URL(string: "\(SignInRig.callback)#error=busy")))
                == .enrolmentDeclined("The wallet refused this enrolment: busy"))
        let other = try AccountDevice()
        let foreign = "credential=\(other.credential)&account=\(other.account)&device=d&state=\(state)"
        guard
            case .credentialRejected(let text)? = try await refused(
                #require(URL(string: "\(SignInRig.callback)#\(foreign)")))
        else { return #expect(Bool(false), "another device's certificate was taken") }
        #expect(text.contains("this app holds"))
        #expect(rig.sessions.load() == nil && rig.cloud.asked.isEmpty)
        // The state is consumed by success only.
        rig.cloud.serve(relays: [], account: rig.account)
        #expect(try await signIn.completeEnrolment(callbackURL: good).account == rig.account)
    }

    @Test(arguments: [-1.0, 601, 86_400]) func anAnswerComesInTimeOrNotAtAll(later: Double) async throws {
        let rig = try SignInRig()
        rig.cloud.serve(relays: [], account: rig.account)
        let signIn = try rig.signIn()
        let page = try await signIn.beginEnrolment(callbackURL: SignInRig.callback)
        let start = rig.time.withLock { $0 }
        rig.time.withLock { $0 = start.addingTimeInterval(later) }
        let returned = try rig.wallet.approve(page)
        #expect(
            await failure(of: { try await signIn.completeEnrolment(callbackURL: returned) }) as? AccountError
                == .stateMismatch)
        #expect(rig.cloud.asked.isEmpty && rig.sessions.load() == nil)
        rig.time.withLock { $0 = start.addingTimeInterval(600) }
        #expect(try await signIn.completeEnrolment(callbackURL: returned).account == rig.account)
    }

    @Test func answersThatNobodyWaitsForAreTakenOnRequestOnly() async throws {
        let rig = try SignInRig()
        rig.cloud.serve(relays: [], account: rig.account)
        let page = try await rig.signIn().beginEnrolment(callbackURL: SignInRig.callback)
        let returned = try rig.wallet.approve(page)
        rig.pending.clear()
        #expect(
            await failure(of: { try await rig.signIn().completeEnrolment(callbackURL: returned) }) as? AccountError
                == .stateMismatch)
        let lenient = try rig.signIn(unsolicited: true)
        #expect(try await lenient.completeEnrolment(callbackURL: returned).account == rig.account)
        // Where one is waited for, it must be that.
        let second = try await lenient.beginEnrolment(callbackURL: SignInRig.callback)
        #expect(
            await failure(of: {
                try await lenient.completeEnrolment(callbackURL: rig.wallet.approve(second, state: "forged"))
            }) as? AccountError == .stateMismatch)
    }

    @Test func aCloudThatCannotBeAskedIsANote() async throws {
        let rig = try SignInRig()
        rig.cloud.on("GET /api/cloud/accounts/\(rig.account)/challenge", .status(503))
        let signIn = try rig.signIn()
        let session = try await rig.enrol(signIn)
        let beginning = "Signed in, but the Cloud manager could not be asked for a relay: "
        #expect(session.isRelayless && session.note?.hasPrefix(beginning) == true)
        #expect(rig.sessions.load() == session && rig.pending.load() == nil)
        let connection = await signIn.connect(session)
        #expect(connection.relay == nil && connection.mero == nil && connection.nodeKey == nil)
        #expect(connection.readNote == session.note)
        // Asked again later.
        rig.cloud.serve(relays: [#"{"peer_id":"p","relay_url":"https://old.example"}"#], account: rig.account)
        let stale = try await signIn.refreshRelay()
        #expect(stale.relayUrl == "https://old.example" && stale.note?.contains("heartbeat") == true)
    }

    /// Given up while the cloud is asked: whoever was signed in before still is.
    @Test func aCancelledSignInLeavesTheSessionBefore() async throws {
        let rig = try SignInRig()
        let signIn = try rig.signIn()
        let other = CloudSession(account: rig.account, device: "d", credential: "02", relayUrl: "https://r.example")
        for before in [nil, other] {
            let answer = DispatchSemaphore(value: 0)
            defer { answer.signal() }
            if let before { rig.sessions.save(before) } else { rig.sessions.clear() }
            rig.cloud.on("GET /api/cloud/accounts/\(rig.account)/challenge") { _ in
                answer.wait()
                return .status(503)
            }
            let asked = rig.cloud.asked.count
            let enrolling = Task { try await rig.enrol(signIn) }
            try await eventually { rig.cloud.asked.count > asked }
            #expect(rig.sessions.load()?.account == rig.account && rig.sessions.load() != before)
            enrolling.cancel()
            #expect(await failure(of: { try await enrolling.value }) is CancellationError)
            #expect(rig.sessions.load() == before)
        }
    }

    @Test func keysThatCannotBeStoredAreNotCertified() async throws {
        let folder = try TemporaryFolder()
        let blocked = folder.file("blocked")
        try Data("x".utf8).write(to: blocked)
        let signIn = CloudSignIn.files(directory: blocked)
        #expect(
            await failure(of: { try await signIn.beginEnrolment(callbackURL: SignInRig.callback) })
                is SecureValueStoreError)
    }

    @Test func aBadCallbackLeavesNothingToWaitFor() async throws {
        let rig = try SignInRig()
        let signIn = try rig.signIn()
        for bad in ["javascript:x", "/enrol", "https://a.example/#x"] {
            guard
                case AccountError.invalidInput? = await failure(of: {
                    try await signIn.beginEnrolment(callbackURL: bad)
                })
            else { return #expect(Bool(false), "\(bad)") }
        }
        #expect(rig.pending.load() == nil)
    }

    // MARK: Joining

    @Test func anInvitationGivesAnAccountItsRelay() async throws {
        let node = try await SignInRig.relay()
        let rig = try SignInRig()
        rig.cloud.serve(relays: [], account: rig.account)
        let signIn = try rig.signIn()
        let namespace = try node.createNamespace(memberCapabilities: 231)
        let context = try node.createContext(ProbeContract(), inGroup: namespace)
        let invitation = try InvitationPayload(json: node.createInvitation(namespace: namespace)).invitation
        guard
            case AccountError.notSignedIn? = await failure(of: {
                try await signIn.join(namespaceId: namespace, invitation: invitation)
            })
        else { return #expect(Bool(false), "nobody is signed in") }
        #expect(try await rig.enrol(signIn).isRelayless)
        rig.cloud.serve(
            admitters: [
                #"{"peer_id":"p","account":"\#(node.accountId)","relay_url":"\#(node.url.absoluteString)/","fresh":true,"can_admit":true}"#
            ], namespace: namespace)
        let (session, outcome) = try await signIn.join(namespaceId: namespace, invitation: invitation)
        #expect(outcome.published && session.note == nil && rig.sessions.load() == session)
        #expect(session.relayUrl == node.url.absoluteString)
        let admit = try #require(node.requests.last)
        let op = try #require(JSONValue(jsonBytes: admit.body)["signedOp"]?.stringValue)
        #expect(op.hasPrefix("18"))
        rig.serve(node)
        #expect(try await signIn.waitForMembership(namespace))
        // Now the cloud knows the relay, too.
        #expect(rig.sessions.load()?.executorAccount == node.accountId)
        let connection = await signIn.connect(try #require(rig.sessions.load()))
        let relay = try #require(connection.relay)
        #expect(try await relay.execute(Int.self, contextId: context, method: "increment") == 1)
        // An account with a relay keeps it.
        let (again, _) = try await signIn.join(
            namespaceId: namespace, invitation: invitation, nodeURL: node.url.absoluteString)
        #expect(again == rig.sessions.load())
        #expect(rig.nonces.next(relay: "join:\(rig.account)") == 3)
        await node.stop()
    }

    @Test func anExpiredInvitationIsNotSent() async throws {
        let rig = try SignInRig()
        rig.cloud.serve(relays: [], account: rig.account)
        let signIn = try rig.signIn()
        _ = try await rig.enrol(signIn)
        let asked = rig.cloud.asked.count
        let namespace = String(repeating: "ab", count: 32)
        let invitation = try GroupInvitations.sign(
            groupId: namespace, inviterAccount: namespace, keys: .generate(), admitters: [namespace],
            validForSeconds: 60, now: Int(Date().timeIntervalSince1970) - 200)
        guard
            case AccountError.invalidInput(let text)? = await failure(of: {
                try await signIn.join(namespaceId: namespace, invitation: invitation)
            })
        else { return #expect(Bool(false), "sent") }
        #expect(text.contains("expired") && rig.cloud.asked.count == asked)
    }

    // MARK: Files

    @Test func everythingIsKeptInFilesOfTheOwners() async throws {
        let node = try await SignInRig.relay()
        let folder = try TemporaryFolder()
        let rig = try SignInRig()
        rig.serve(node)
        let config = CloudConfig(cloudBaseURL: try rig.cloud.url, audience: .cli)
        let directory = folder.file("device")
        let page = try await CloudSignIn.files(directory: directory, config: config).beginEnrolment(
            callbackURL: SignInRig.callback)
        let session = try await CloudSignIn.files(directory: directory, config: config).completeEnrolment(
            callbackURL: rig.wallet.approve(page))
        let signIn = CloudSignIn.files(directory: directory, config: config)
        #expect(await signIn.restoreSession() == session)
        #expect(await signIn.connect(session).readNote == nil)
        let again = CloudSignIn.files(directory: directory, config: config)
        #expect(await again.connect(session).readNote == nil)
        #expect(node.handlerRuns("POST", "/auth/token") == 1)
        for name in ["cloud-device-keys.json", "cloud-session.json", "cloud-relay-tokens.json"] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: directory.appendingPathComponent(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        await again.signOut(forgetDevice: true)
        #expect(await again.restoreSession() == nil)
        await node.stop()
    }
}
