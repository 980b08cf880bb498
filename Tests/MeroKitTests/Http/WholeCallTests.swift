import Foundation
import Testing

@testable import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A call whose answer is small ends in time, whoever answers and however slowly. Spec: 70, section 2.
@Suite("Calls that are dripped at") struct WholeCallTests {
    /// Seconds without progress; whole calls may take three times that.
    private static let timeout = 0.7

    enum Kind: String, CaseIterable, Sendable {
        case attest, loginChallenge, login, logout, refresh, logoutOfNode, validate, directory, directoryAsUser,
            signInToCloud, registry, release, teeInfo, transportKey, handshake
    }

    private static let key = String(repeating: "0d", count: 32)
    private static let account = String(repeating: "a1", count: 32)

    /// Nil for a call that tells no errors.
    private static func call(_ kind: Kind, _ url: String, _ session: URLSession?) async throws -> (any Error)? {
        let base = try #require(URL(string: url))
        let http = URLSessionHttpClient(baseURL: base, timeout: timeout, session: session, retryPolicy: .never)
        let auth = AuthApi(http: http)
        let cloud = CloudAccountClient(baseURL: base, sessionToken: "s", session: session, timeout: timeout)
        func login() async throws {
            let device = try AccountDevice()
            _ = try await RelayLogin.login(
                relayURL: url, nodeKey: key, credential: device.credential, keys: device.keys, session: session,
                timeout: timeout)
        }
        do {
            switch kind {
            case .attest: _ = try await RelayNodeKey.attest(relayURL: url, session: session, timeout: timeout)
            case .loginChallenge, .login: try await login()
            case .logout:
                await RelayLogin.logout(relayURL: url, refreshToken: "r", session: session, timeout: timeout)
                return nil
            case .refresh:
                _ = try await auth.refreshToken(RefreshTokenRequest(accessToken: "a", refreshToken: "r"))
            case .logoutOfNode: _ = try await auth.logout(LogoutRequest(refreshToken: "r"))
            case .validate:
                _ = await auth.validateToken("t")
                return nil
            case .directory:
                _ = try await CloudClient(baseURL: base, session: session, timeout: timeout)
                    .getAccountRelaysChallenge(account)
            case .directoryAsUser: _ = try await cloud.getMyNamespaces()
            case .signInToCloud: _ = try await cloud.signInWithGoogle(idToken: "t")
            case .registry:
                _ = try await http.call(RegistryEndpoints.manifest, "p", "1.0.0")
            case .release:
                _ = try await fetchNodeRelease("2.3.87", mirror: base, session: session, timeout: timeout)
            case .teeInfo: _ = try await AdminApi(http: http).getTeeInfo()
            case .transportKey:
                _ = try await AdminApi(http: http).attestation(
                    TeeAttestRequest(nonce: key, bindTransportKey: true, includeCollateral: true))
            case .handshake:
                // Others wait for the session, too: it must not take as long as somebody likes, whatever it is opened for.
                let secret = SecretBytes(random: 32)
                let known = try #require(secret.withUnsafeBytes(Curve25519Backend.x25519PublicKey))
                let sealed = URLSessionHttpClient(
                    baseURL: base, timeout: timeout, session: session, retryPolicy: .never,
                    options: HttpOptions(sealing: .node(key: .fixed(Data(known)))))
                let _: JSONValue = try await sealed.get("/admin-api/health")
            }
        } catch {
            return error
        }
        return nil
    }

    @Test(arguments: Kind.allCases, [false, true])
    func endsInTime(kind: Kind, ownSession: Bool) async throws {
        // Of a handshake nobody takes more than 64 KiB.
        let server = try DrippingServer(length: kind == .handshake ? 60_000 : 1 << 20) { request in
            guard kind == .login, request.target == "/auth/challenge" else { return nil }
            return DrippingServer.json(#"{"data":{"challenge":"\#(Self.key)"}}"#)
        }
        defer { server.stop() }
        let session = ownSession ? URLSession(configuration: .ephemeral) : nil
        let start = ProcessInfo.processInfo.systemUptime
        let error = try await Self.call(kind, server.url, session)
        let took = ProcessInfo.processInfo.systemUptime - start
        switch kind {
        case .logout, .validate: #expect(error == nil)
        case .attest:
            guard case AccountError.relayKeyUnavailable(let text)? = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(text.contains("timed out"))
        default:
            guard case MeroError.network(let text)? = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(text.contains("timed out"))
        }
        // A HEAD has no body to drip: it ends with its head.
        if kind != .validate {
            #expect(took > Self.timeout * 2, "it was not the time-out for silence")
            #expect(server.dripped > 0)
        }
        // Three attempts for what may be asked again; the rest leaves room for a busy machine.
        #expect(took < 40, "\(kind) took \(took) s")
        let sent = server.requests.filter { kind == .login ? $0.target == "/auth/token" : true }.count
        let isAskedAgain = kind == .loginChallenge || kind == .release
        #expect(sent == (isAskedAgain ? 3 : 1), "nothing is sent twice that must not be")
    }

    /// What a contract returns, a stream and a file may take their time, as long as something comes.
    @Test func otherCallsGoOnAsLongAsSomethingComes() async throws {
        let server = try DrippingServer(pace: 0.05, length: 60)
        defer { server.stop() }
        let http = URLSessionHttpClient(baseURL: try #require(URL(string: server.url)), timeout: Self.timeout)
        let start = ProcessInfo.processInfo.systemUptime
        let value: JSONValue = try await http.send(HttpRequest(path: "/jsonrpc", method: .post, body: .json(Data())))
        #expect(value == [:])
        #expect(ProcessInfo.processInfo.systemUptime - start > Self.timeout * TimeBudget.timeouts)
    }

    /// The time that a call waits for a connection is not the other side's.
    @Test func waitingForAConnectionCostsNothing() async throws {
        let engine = ScriptedEngine { _, number in
            // The first holds the only connection for longer than a whole call may take.
            if number == 0 { try await Task.sleep(nanoseconds: 1_200_000_000) }
            return .status(200, [:], #"{"data":{"success":true}}"#)
        }
        let http = URLSessionHttpClient(
            baseURL: try #require(URL(string: "http://one-connection.example")), timeout: 0.3, engine: engine,
            options: HttpOptions(connectionsPerHost: 1))
        async let first = http.sendRaw(HttpRequest(path: "/slow"))
        while engine.requests.isEmpty { await Task.yield() }
        _ = try await AuthApi(http: http).logout(LogoutRequest(refreshToken: "r"))
        #expect(try await first.1.status == 200)
    }

    @Test func cancellingIsNoTimeOut() async throws {
        let server = try DrippingServer()
        defer { server.stop() }
        let url = try #require(URL(string: server.url))
        let call = Task { try await CloudClient(baseURL: url).getAccountRelaysChallenge(Self.account) }
        while server.dripped == 0 { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}
