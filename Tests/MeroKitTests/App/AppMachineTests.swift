import Foundation
import Testing

@testable import MeroKit

/// The app's sign-in as a machine, driven through random sequences by a made-up world.
@Suite struct AppMachineTests {
    /// What carries out effects, late and in any order.
    struct World {
        var machine = AppMachine()
        /// Inputs that may come at any time from now.
        var pending: [AppMachine.Input] = []
        var lastSession = 0
        var log: [AppMachine.Input] = []

        // What became of every session that was ever granted.
        var granted: Set<Int> = []
        var accounts: Set<Int> = []
        var ended: Set<Int> = []
        var dropped: Set<Int> = []
        var adopted: Set<Int> = []
        /// Sessions that are being asked about just now.
        var checking: Set<Int> = []
        var abandoned: Set<Int> = []
        var storesCleared = 0
        var openStreams: Int?

        var problems: [String] = []

        mutating func expect(_ condition: Bool, _ text: String) {
            if !condition { problems.append("\(text) after \(log.suffix(12))") }
        }

        // MARK: Inputs

        mutating func send(_ input: AppMachine.Input, using random: inout SeededGenerator) {
            let before = machine
            log.append(input)
            let effects = machine.reduce(input)
            if input == .logout { checkLogout(before, effects) }
            for effect in effects { carryOut(effect, using: &random) }
            checkState()
        }

        private mutating func carryOut(_ effect: AppMachine.Effect, using random: inout SeededGenerator) {
            switch effect {
            case .readStores(let operation):
                pending.append(
                    Bool.random(using: &random)
                        ? .nothingStored(operation: operation)
                        : .granted(operation: operation, grant(using: &random)))
            case .signIn(let operation, let way):
                let isAccount: Bool?
                switch way {
                case .node, .hosted: isAccount = false
                case .cloud, .enrolment: isAccount = true
                }
                switch Int.random(in: 0..<5, using: &random) {
                case 0: pending.append(.failed(operation: operation, .authenticationFailed))
                case 1: pending.append(.dismissed(operation: operation))
                default: pending.append(.granted(operation: operation, grant(isAccount, using: &random)))
                }
            case .act(let operation, let session, let act):
                expect(session == machine.session?.number, "acts for session \(session), which is not the live one")
                switch act {
                case .call: pending.append(.called(operation: operation, "x"))
                case .join(let invitation): pending.append(.joined(operation: operation, invitation))
                case .refreshRelay: pending.append(.dismissed(operation: operation))
                }
            case .abandon(let operation):
                expect(operation != machine.operation, "abandons the operation under way")
                abandoned.insert(operation)
            case .adopt(let session):
                expect(session == machine.session?.number, "adopts a session that is not the live one")
                expect(!gone(session), "adopts a session that is over")
                adopted.insert(session)
            case .end(let session):
                expect(granted.contains(session) && !gone(session), "ends session \(session) twice")
                ended.insert(session)
            case .drop(let session):
                expect(granted.contains(session) && !gone(session), "drops session \(session) twice")
                dropped.insert(session)
            case .clearStores: storesCleared += 1
            case .check(let session):
                expect(session == machine.session?.number, "asks about a session that is not the live one")
                expect(checking.insert(session).inserted, "asks twice at a time: outside the single flight")
                let verdicts: [AppMachine.Verdict] = [.alive, .dead, .unknown]
                let verdict = verdicts[Int.random(in: 0..<3, using: &random)]
                if accounts.contains(session), verdict == .alive {
                    var grant = grant(true, using: &random)
                    granted.remove(grant.session)
                    accounts.remove(grant.session)
                    grant.session = session
                    pending.append(.updated(grant))
                }
                pending.append(.checked(session: session, verdict))
            case .openStreams(let session):
                expect(session == machine.session?.number, "listens to a session that is not the live one")
                expect(!machine.state.isSuspended, "listens in the background")
                openStreams = session
                pending.append(.online(session: session, true))
            case .closeStreams: openStreams = nil
            case .keepSelection, .forgetInvitation: break
            }
        }

        private mutating func grant(
            _ isAccount: Bool? = nil, using random: inout SeededGenerator
        ) -> AppMachine.Grant {
            lastSession += 1
            granted.insert(lastSession)
            let isAccount = isAccount ?? Bool.random(using: &random)
            var grant = AppMachine.Grant(session: lastSession, isAccount: isAccount)
            grant.username = "user-\(lastSession)"
            if isAccount {
                accounts.insert(lastSession)
                grant.account = "account-\(lastSession)"
                grant.relayURL = Bool.random(using: &random) ? "http://relay" : nil
                grant.hasReads = grant.relayURL != nil && Bool.random(using: &random)
            }
            grant.nodeURL = grant.relayURL ?? (isAccount ? "" : "http://node")
            return grant
        }

        private func gone(_ session: Int) -> Bool { ended.contains(session) || dropped.contains(session) }

        // MARK: What must hold

        private mutating func checkLogout(_ before: AppMachine, _ effects: [AppMachine.Effect]) {
            expect(machine.state.phase == .signedOut && machine.session == nil, "a logout is lost")
            expect(machine.operation == nil, "something still signs in after a logout")
            expect(machine.state.account == nil && machine.state.username.isEmpty, "a logout leaves a user behind")
            if let session = before.session {
                expect(effects.contains(.end(session: session.number)), "a logout does not end the session")
            } else {
                expect(effects.contains(.clearStores), "a logout leaves the stores as they are")
            }
        }

        private mutating func checkState() {
            let state = machine.state
            switch state.phase {
            case .restoring, .signedOut:
                expect(machine.session == nil && state.account == nil && state.username.isEmpty, "half signed in")
                expect(state.nodeURL.isEmpty && state.relayURL == nil && !state.isOnline, "half signed in")
            case .sessionLost:
                expect(machine.session == nil && !state.isOnline, "a lost session goes on")
                expect(state.account == nil, "an account is lost, which needs no session")
            case .signedIn: expect(machine.session != nil, "signed in to nothing")
            case .signedInWithoutRelay:
                expect(machine.session?.isAccount == true && state.account != nil, "a node's user without a relay")
                expect(state.relayURL == nil && state.nodeURL.isEmpty, "without a relay and with one")
            }
            if let session = machine.session {
                expect(adopted.contains(session.number), "the live session was never adopted")
                expect(session.isAccount == (state.account != nil), "an account that is none")
                expect(state.username == "user-\(session.number)" || session.isAccount, "two sessions at once")
            }
            expect(state.isBusy == (machine.operation != nil), "busy with nothing, or idle with something")
            expect(openStreams == nil || openStreams == machine.session?.number, "listens to a session that is over")
            expect(!state.isSuspended || openStreams == nil, "listens in the background")
            // Whatever was granted is the live session, on its way, or gone; nothing is forgotten.
            let underWay = pending.compactMap { input -> Int? in
                if case .granted(_, let grant) = input { return grant.session }
                return nil
            }
            let known = ended.union(dropped).union(underWay).union(machine.session.map { [$0.number] } ?? [])
            expect(granted.isSubset(of: known), "a session was forgotten")
        }

        mutating func deliver(using random: inout SeededGenerator) {
            guard !pending.isEmpty else { return }
            let input = pending.remove(at: Int.random(in: 0..<pending.count, using: &random))
            if case .checked(let session, _) = input { checking.remove(session) }
            send(input, using: &random)
        }
    }

    private static let invitation = AppInvitation(namespaceId: "n", inviter: "i", expiresAt: nil)

    private static func input(_ world: World, using random: inout SeededGenerator) -> AppMachine.Input {
        // Also of sessions that are long over, as what comes late is.
        let session = world.lastSession == 0 ? 1 : Int.random(in: 1...world.lastSession, using: &random)
        let live = world.machine.session?.number ?? session
        switch Int.random(in: 0..<18, using: &random) {
        case 0: return .restore
        case 1: return .signIn(.node(url: "http://node", username: "u", password: "p"))
        case 2: return .signIn(.node(url: "nonsense", username: "u", password: "p"))
        case 3: return .signIn(.cloud(.scheme("app")))
        case 4: return .signIn(.hosted(callback: "http://localhost/#access_token=x"))
        case 5: return .cancel
        case 6, 7: return .logout
        case 8: return .trouble(session: live, .revoked)
        case 9: return .trouble(session: session, .revoked)
        case 10: return .trouble(session: live, .unauthorized)
        case 11: return .trouble(session: live, Bool.random(using: &random) ? .lacksPermission : .refused)
        case 12: return .suspend
        case 13: return .resume
        case 14: return Bool.random(using: &random) ? .networkIsGone : .networkIsBack
        case 15: return .act(.call(contextId: "c", method: "m"))
        case 16: return .act(Bool.random(using: &random) ? .join(invitation) : .refreshRelay)
        default: return .online(session: session, Bool.random(using: &random))
        }
    }

    @Test func tenThousandRandomLives() throws {
        let given = ProcessInfo.processInfo.environment["MEROKIT_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("app machine: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var (steps, logouts, losses, checks) = (0, 0, 0, 0)
        for sequence in 0..<10_000 {
            var world = World()
            for _ in 0..<Int.random(in: 5...60, using: &random) {
                if !world.pending.isEmpty, Bool.random(using: &random) {
                    world.deliver(using: &random)
                } else {
                    let input = Self.input(world, using: &random)
                    if input == .logout { logouts += 1 }
                    world.send(input, using: &random)
                }
                if world.machine.state.phase == .sessionLost { losses += 1 }
                checks += world.checking.count
                steps += 1
            }
            world.send(.logout, using: &random)
            while !world.pending.isEmpty { world.deliver(using: &random) }
            // Nobody signs in any more: nothing of what comes late brings anybody back.
            world.expect(world.machine.session == nil, "somebody came back after the last logout")
            world.expect(world.granted == world.ended.union(world.dropped), "a session outlived everything")
            try #require(world.problems.isEmpty, "seed \(seed), sequence \(sequence): \(world.problems[0])")
        }
        print("app machine: 10000 sequences, \(steps) steps, \(logouts) logouts, \(losses) steps in a lost session")
        #expect(logouts > 1000 && losses > 100 && checks > 100)
    }

    // MARK: - Single rules

    private func signedIn(isAccount: Bool = false, relay: String? = nil, hasReads: Bool = true) -> AppMachine {
        var machine = AppMachine()
        _ = machine.reduce(.signIn(.cloud(.scheme("app"))))
        var grant = AppMachine.Grant(session: 1, isAccount: isAccount, username: "u")
        grant.relayURL = relay
        grant.account = isAccount ? "a" : nil
        grant.hasReads = hasReads
        _ = machine.reduce(.granted(operation: 1, grant))
        return machine
    }

    @Test func restoringIsSignedInAtOnceAndLooksAfterwards() {
        var machine = AppMachine()
        #expect(machine.state.phase == .restoring)
        #expect(machine.reduce(.restore) == [.readStores(operation: 1)])
        #expect(machine.state.phase == .restoring && machine.state.isBusy)
        let effects = machine.reduce(.granted(operation: 1, AppMachine.Grant(session: 7, isAccount: false)))
        #expect(machine.state.phase == .signedIn)
        #expect(effects == [.adopt(session: 7), .check(session: 7), .openStreams(session: 7)])
    }

    @Test func aNodesSessionIsLostAndAnAccountsIsNot() {
        var node = signedIn()
        #expect(node.reduce(.trouble(session: 1, .revoked)) == [.closeStreams, .drop(session: 1)])
        #expect(node.state.phase == .sessionLost && node.state.failure == .sessionRevoked)
        var account = signedIn(isAccount: true, relay: "http://relay")
        #expect(account.reduce(.trouble(session: 1, .revoked)) == [.check(session: 1)])
        #expect(account.state.phase == .signedIn && !account.state.isOnline)
        #expect(account.reduce(.trouble(session: 1, .revoked)) == [], "one attempt at a time")
        #expect(account.reduce(.checked(session: 1, .dead)) == [])
        #expect(account.state.phase == .signedIn)
    }

    @Test func streamErrorsAreToldApart() {
        var machine = signedIn()
        #expect(machine.reduce(.trouble(session: 1, .refused)) == [] && machine.state.failure == nil)
        #expect(machine.reduce(.trouble(session: 1, .lacksPermission)) == [])
        #expect(machine.state.failure == .permissionMissing("context:subscribe"))
        #expect(machine.reduce(.trouble(session: 1, .unauthorized)) == [.check(session: 1)])
        #expect(machine.reduce(.trouble(session: 1, .unauthorized)) == [])
        #expect(machine.reduce(.checked(session: 1, .unknown)) == [] && machine.state.phase == .signedIn)
        #expect(machine.reduce(.trouble(session: 1, .unauthorized)) == [.check(session: 1)])
        _ = machine.reduce(.checked(session: 1, .dead))
        #expect(machine.state.phase == .sessionLost)
    }

    @Test func whatComesLateIsUndone() {
        var machine = AppMachine()
        _ = machine.reduce(.signIn(.node(url: "http://n", username: "u", password: "p")))
        #expect(machine.reduce(.logout) == [.abandon(operation: 1), .clearStores, .keepSelection])
        let late = machine.reduce(.granted(operation: 1, AppMachine.Grant(session: 3, isAccount: false)))
        #expect(late == [.end(session: 3)])
        #expect(machine.state.phase == .signedOut)
    }

    @Test func restoringOvertakesNothing() {
        var machine = AppMachine()
        _ = machine.reduce(.signIn(.cloud(.scheme("a"))))
        #expect(machine.reduce(.restore) == [] && machine.operation == 1)
        _ = machine.reduce(.dismissed(operation: 1))
        #expect(machine.reduce(.restore) == [.readStores(operation: 2)])
    }

    @Test func anInvitationThatNobodyHasAnsweredStays() {
        var machine = signedIn()
        let (first, second) = (Self.invitation, AppInvitation(namespaceId: "m", inviter: "i", expiresAt: nil))
        _ = machine.reduce(.invitation(first))
        #expect(machine.reduce(.act(.join(first))) == [.act(operation: 2, session: 1, .join(first))])
        _ = machine.reduce(.invitation(second))
        #expect(machine.reduce(.joined(operation: 2, first)) == [.forgetInvitation(first)])
        #expect(machine.state.pendingInvitation == second)
        _ = machine.reduce(.act(.join(second)))
        _ = machine.reduce(.joined(operation: 3, second))
        #expect(machine.state.pendingInvitation == nil)
    }

    @Test func aLateAccountDoesNotEndTheNewerOne() {
        var machine = AppMachine()
        _ = machine.reduce(.signIn(.cloud(.scheme("a"))))
        _ = machine.reduce(.signIn(.cloud(.scheme("a"))))
        _ = machine.reduce(.granted(operation: 2, AppMachine.Grant(session: 2, isAccount: true)))
        let late = machine.reduce(.granted(operation: 1, AppMachine.Grant(session: 1, isAccount: true)))
        #expect(late == [.drop(session: 1)] && machine.session?.number == 2)
    }

    @Test func withoutARelayNothingIsCalled() {
        var machine = signedIn(isAccount: true, hasReads: false)
        #expect(machine.state.phase == .signedInWithoutRelay)
        #expect(machine.reduce(.act(.call(contextId: "c", method: "m"))) == [])
        #expect(machine.state.errorMessage == "No relay serves this account yet. Redeem an invitation to get one.")
        var out = AppMachine()
        #expect(out.reduce(.act(.call(contextId: "c", method: "m"))) == [] && out.state.failure == nil)
    }

    @Test func theBackgroundClosesAndTheForegroundOpens() {
        var machine = signedIn()
        #expect(machine.reduce(.suspend) == [.closeStreams] && machine.reduce(.suspend) == [])
        #expect(machine.reduce(.networkIsBack) == [], "not in the background")
        #expect(machine.reduce(.resume) == [.closeStreams, .openStreams(session: 1)])
        _ = machine.reduce(.online(session: 1, true))
        #expect(machine.reduce(.networkIsBack) == [], "what is open stays")
        _ = machine.reduce(.networkIsGone)
        #expect(machine.reduce(.networkIsBack) == [.closeStreams, .openStreams(session: 1)])
        var writing = signedIn(isAccount: true, relay: "http://relay", hasReads: false)
        #expect(writing.reduce(.networkIsBack) == [.check(session: 1)])
    }

    @Test func textsOfFailures() {
        let http = HTTPError(status: 401, statusText: "", url: "", headers: [:], bodyText: nil)
        let cases: [(any Error, String)] = [
            (
                MeroError.authRevoked(reason: "token_reuse", http: http),
                "Your session was revoked. Please sign in again."
            ),
            (MeroError.authenticationFailed("x"), "Login failed — check your credentials and node URL."),
            (MeroError.network("no route"), "Can't reach Calimero: no route"),
            (AccountError.enrolmentDeclined("x"), "This device was not approved. You can try again."),
            (AccountError.stateMismatch, "That sign-in did not come from this app. Please try again."),
            (
                AccountError.credentialRejected("x"),
                "The wallet's answer could not be verified, so nothing was saved. Please try again."
            ),
            (AccountError.notSignedIn("nobody"), "nobody"), (NoWords(), "Something went wrong."),
        ]
        for (error, text) in cases { #expect(AppFailure(error).text == text) }
    }

    private struct NoWords: Error {}
}
