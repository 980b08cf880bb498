import Foundation
import MeroDevNode
import MeroKit
import MeroKitUI
import Testing

@Suite struct AppSessionTests {
    @Test func signsInAndOut() async throws {
        let node = try await DevNode.start()
        let session = AppSession()
        await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "dev-password")
        let state = await session.state
        #expect(state.phase == .signedIn && state.username == "dev" && state.errorMessage == nil)
        #expect(await session.mero?.isAuthenticated == true)
        await session.logout()
        #expect(await session.state == AppState())
        #expect(await session.mero == nil)
        #expect(node.requestCount("POST", "/auth/logout") == 1)
        await node.stop()
    }

    @Test func badInputIsToldAndNothingIsSent() async throws {
        let node = try await DevNode.start()
        let session = AppSession()
        for url in ["", "nonsense", "ftp://127.0.0.1", "http://"] {
            await session.login(nodeURL: url, username: "dev", password: "dev-password")
            #expect(await session.state.errorMessage == "Enter a valid node URL (e.g. http://localhost:4001).")
        }
        await session.login(nodeURL: node.url.absoluteString, username: "", password: "x")
        #expect(await session.state.errorMessage == "Username and password are required.")
        #expect(await session.state.phase == .signedOut)
        #expect(node.requests.isEmpty)
        await node.stop()
    }

    @Test func aRefusedLoginLeavesTheAppSignedOut() async throws {
        let node = try await DevNode.start()
        let session = AppSession()
        await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "wrong-password")
        let state = await session.state
        #expect(state.phase == .signedOut)
        #expect(state.errorMessage == "Login failed — check your credentials and node URL.")
        await node.stop()
    }

    @Test func observersSeeTheStateAndItsChanges() async throws {
        let node = try await DevNode.start()
        let session = AppSession()
        let states = await session.states()
        let login = Task {
            await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "dev-password")
        }
        var phases: [AppState.Phase] = []
        for await state in states {
            if phases.last != state.phase { phases.append(state.phase) }
            if state.phase == .signedIn { break }
        }
        #expect(phases == [.signedOut, .signingIn, .signedIn])
        await login.value
        await node.stop()
    }
}
