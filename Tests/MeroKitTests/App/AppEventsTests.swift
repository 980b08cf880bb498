import Foundation
import MeroDevNode
import MeroKitTestSupport
import Testing

@testable import MeroKit

/// Event streams that the parts of an app share.
@Suite struct AppEventsTests {
    private func withSession(_ body: (AppSession, DevNode, String) async throws -> Void) async throws {
        let node = try await DevNode.start()
        do {
            let context = try node.createContext(KeyValueContract())
            let session = AppSession(AppSession.Setup(suspensionDelay: 0))
            await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "dev-password")
            try await body(session, node, context)
            await session.logout()
            await node.stop()
        } catch {
            await node.stop()
            throw error
        }
    }

    /// Events as text, until one of a kind has come.
    private func collect(_ events: AsyncStream<ContextEvent>, until last: String) -> Task<[String], Never> {
        Task {
            var seen: [String] = []
            for await event in events {
                let text = event.isGap ? "gap" : event.payload["data"]?["name"]?.stringValue ?? event.kind
                seen.append(text)
                if text == last { break }
            }
            return seen
        }
    }

    private func event(_ name: String) -> EventScript.Step {
        .event(#"{"type":"Test","data":{"name":"\#(name)"}}"#)
    }

    @Test func manyWatchersShareOneStream() async throws {
        try await withSession { session, node, context in
            let watchers = [
                collect(await session.events(contextId: context), until: "end"),
                collect(await session.events(contextId: context), until: "end"),
                collect(await session.events(contextId: context), until: "end"),
            ]
            #expect(await comesTrue { await session.state.isOnline })
            #expect(node.streams.open.count == 1)
            try await EventScript([event("a"), event("b"), event("end")]).play(on: node, contextId: context)
            for watcher in watchers { #expect(await watcher.value == ["a", "b", "end"]) }
            // Nobody watches any more: the stream goes.
            #expect(await comesTrue { node.streams.open.isEmpty })
            #expect(await comesTrue { await !session.state.isOnline })
        }
    }

    @Test func theBackgroundClosesTheStreamAndTheForegroundTellsOfAGap() async throws {
        try await withSession { session, node, context in
            let watcher = collect(await session.events(contextId: context), until: "end")
            let first = collect(await session.events(contextId: context), until: "a")
            #expect(await comesTrue { await session.state.isOnline })
            try await EventScript([event("a")]).play(on: node, contextId: context)
            #expect(await first.value == ["a"])
            await session.suspend()
            let state = await session.state
            #expect(state.isSuspended && !state.isOnline)
            #expect(await comesTrue { node.streams.open.isEmpty })
            await session.resume()
            #expect(await comesTrue { await session.state.isOnline })
            try await EventScript([event("end")]).play(on: node, contextId: context)
            #expect(await watcher.value == ["a", "gap", "end"])
        }
    }

    @Test func aShortStayInTheBackgroundClosesNothing() async throws {
        let node = try await DevNode.start()
        let context = try node.createContext(KeyValueContract())
        let session = AppSession(AppSession.Setup(suspensionDelay: 600))
        await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "dev-password")
        let watcher = collect(await session.events(contextId: context), until: "end")
        #expect(await comesTrue { await session.state.isOnline })
        let stream = node.streams.open.map(\.id)
        await session.suspend()
        await session.resume()
        try await EventScript([event("end")]).play(on: node, contextId: context)
        #expect(await watcher.value == ["end"])
        #expect(await !session.state.isSuspended)
        #expect(stream.count == 1)
        await session.logout()
        await node.stop()
    }

    @Test func watchersOutliveASignIn() async throws {
        try await withSession { session, node, context in
            let watcher = collect(await session.events(contextId: context), until: "end")
            #expect(await comesTrue { await session.state.isOnline })
            await session.logout()
            #expect(await comesTrue { node.streams.open.isEmpty })
            await session.login(nodeURL: node.url.absoluteString, username: "dev", password: "dev-password")
            #expect(await comesTrue { await session.state.isOnline })
            try await EventScript([event("end")]).play(on: node, contextId: context)
            #expect(await watcher.value == ["gap", "end"])
        }
    }

    @Test func aMissingRightIsToldAndAnotherRefusalIsNot() async throws {
        for (error, isTold) in [("permission_denied", true), ("", false)] {
            try await withSession { session, node, context in
                node.streams.refuseNext(status: 403, authError: error.isEmpty ? nil : error)
                let events = await session.events(contextId: context)
                let handle = Task { for await _ in events {} }
                #expect(await comesTrue { node.requestCount("GET", "/sse") == 1 })
                if isTold {
                    #expect(await comesTrue { await session.state.failure == .permissionMissing("context:subscribe") })
                }
                let state = await session.state
                #expect(state.phase == .signedIn && (state.failure != nil) == isTold)
                handle.cancel()
            }
        }
    }

    @Test func aRevokedStreamEndsTheSession() async throws {
        try await withSession { session, node, context in
            let events = await session.events(contextId: context)
            let handle = Task { for await _ in events {} }
            #expect(await comesTrue { await session.state.isOnline })
            node.revokeFamilies()
            node.streams.cutAll()
            #expect(await comesTrue { await session.state.phase == .sessionLost })
            #expect(await session.state.failure == .sessionRevoked)
            handle.cancel()
        }
    }

    @Test func anExpiredStreamIsRefreshedOnceForAllContexts() async throws {
        try await withSession { session, node, context in
            let other = try node.createContext(KeyValueContract())
            let watchers = [
                collect(await session.events(contextId: context), until: "end"),
                collect(await session.events(contextId: other), until: "end"),
            ]
            #expect(await comesTrue { await session.state.isOnline })
            node.expireAccessTokens()
            node.streams.cutAll()
            #expect(await comesTrue { await !session.state.isOnline })
            await session.networkChanged(isAvailable: false)
            await session.networkChanged(isAvailable: true)
            #expect(await comesTrue { await session.state.isOnline })
            try await EventScript([event("end")]).play(on: node, contextId: context)
            try await EventScript([event("end")]).play(on: node, contextId: other)
            for watcher in watchers { #expect(await watcher.value.last == "end") }
            #expect(node.requestCount("POST", "/auth/refresh") == 1)
        }
    }
}
