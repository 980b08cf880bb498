import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Presence between a client and a node. Spec: 40, section 5.
@Suite("Presence on a node")
struct PresenceNodeTests {
    private struct Cursor: Codable, Equatable, Sendable {
        var line: Int
    }

    private static let author = String(repeating: "a0", count: 32)
    private static let account = String(repeating: "77", count: 32)

    /// Collects what a presence stream delivers.
    private final class Seen<State: Sendable>: Sendable {
        private let entries = Locked<[EphemeralEntry<State>]>([])
        private let result = Locked<Result<Void, any Error>?>(nil)
        private let task: Task<Void, Never>

        init(_ stream: AsyncThrowingStream<EphemeralEntry<State>, any Error>) {
            task = Task { [entries, result] in
                do {
                    for try await entry in stream { entries.withLock { $0.append(entry) } }
                    result.withLock { $0 = .success(()) }
                } catch {
                    result.withLock { $0 = .failure(error) }
                }
            }
        }

        var all: [EphemeralEntry<State>] { entries.withLock { $0 } }
        var hasEnded: Bool { result.withLock { $0 != nil } }
        func stop() { task.cancel() }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func whatIsSetIsSeen(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let presence = fixture.mero.ephemeral
        let seen = Seen(try presence.subscribe(fixture.probe))
        try await eventually { fixture.mero.sse.status.isComplete }
        try await presence.set(fixture.probe, state: ["typing": true])
        try await presence.set(fixture.probe, state: ["typing": true])
        try await presence.set(fixture.probe, state: .null)
        try await eventually { seen.all.count == 2 }
        let first = try #require(seen.all.first)
        #expect(first.author == fixture.node.executor(inContext: fixture.probe))
        #expect(first.account == nil && first.state == ["typing": true] && !first.removed && first.ageMs == nil)
        #expect(seen.all[1].state == .some(.null))
        let request = try #require(fixture.node.requests.first { $0.path == "/jsonrpc" })
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(body.contains(#""method":"set_ephemeral""#) && body.contains(#""state":[123,34,116,121"#))
        seen.stop()
        await fixture.stop()
    }

    @Test func othersComeAndGo() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let codec = PresenceCodec<Cursor>.json
        try fixture.node.setPresence(
            Data(#"{"line":1}"#.utf8), author: Self.author, account: Self.account, keepsBeating: true,
            context: fixture.probe)
        let first = Seen(try fixture.mero.ephemeral.subscribe(fixture.probe, codec: codec))
        try await eventually { !first.all.isEmpty }
        #expect(first.all[0].state == Cursor(line: 1) && first.all[0].account == Self.account)
        #expect(first.all[0].ageMs != nil)
        // One who comes later is told, too, although the connection is subscribed already.
        let second = Seen(try fixture.mero.ephemeral.subscribe(fixture.probe, codec: codec))
        try await eventually { second.all.contains { $0.state == Cursor(line: 1) } }
        // What is no such state is left out, for this author and nobody else.
        let other = String(repeating: "b0", count: 32)
        try fixture.node.setPresence(Data("{".utf8), author: other, keepsBeating: true, context: fixture.probe)
        try fixture.node.setPresence(
            Data(#"{"line":2}"#.utf8), author: Self.author, account: Self.account, keepsBeating: true,
            context: fixture.probe)
        try await eventually { second.all.last?.state == Cursor(line: 2) }
        #expect(!second.all.contains { $0.author == other })
        fixture.node.removePresence(author: Self.author, context: fixture.probe)
        try await eventually { first.all.last?.removed == true && second.all.last?.removed == true }
        #expect(second.all.last?.state == nil)
        first.stop()
        second.stop()
        await fixture.stop()
    }

    @Test func bytesStayAsTheyAre() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let seen = Seen(try fixture.mero.ephemeral.subscribe(fixture.probe, codec: .bytes))
        try await eventually { fixture.mero.sse.status.isComplete }
        let all = Data(0...255)
        try await fixture.mero.ephemeral.set(fixture.probe, state: all, codec: .bytes)
        try await fixture.mero.ephemeral.set(fixture.probe, state: Data(), codec: .bytes)
        try await eventually { seen.all.count == 2 }
        #expect(seen.all.map(\.state) == [all, Data()])
        seen.stop()
        await fixture.stop()
    }

    @Test func refusalsAreTyped() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let presence = fixture.mero.ephemeral
        let tooLarge = await meroError {
            try await presence.set(fixture.probe, state: Data(count: 16_385), codec: .bytes)
        }
        #expect(tooLarge?.errorType == "SliceTooLarge")
        try await presence.set(fixture.probe, state: Data(count: 16_384), codec: .bytes)
        let group = try fixture.node.createGroup()
        try fixture.node.assign(context: fixture.probe, toGroup: group)
        try fixture.node.removeMember(fixture.node.accountId, group: group)
        let refused = await meroError { try await presence.set(fixture.probe, state: [:]) }
        #expect(refused?.errorType == "Unauthorized")
        await fixture.stop()
    }

    @Test func closingEndsTheStreams() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let seen = Seen(try fixture.mero.ephemeral.subscribe(fixture.probe))
        try await eventually { fixture.mero.sse.status.isComplete }
        await fixture.mero.close()
        try await eventually { seen.hasEnded }
        try await eventually { fixture.node.streams.open.isEmpty }
        await fixture.stop()
    }

    @Test func aRevokedSessionIsThrown() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let stream = try fixture.mero.ephemeral.subscribe(fixture.probe)
        try await eventually { fixture.mero.sse.status.isComplete }
        fixture.node.revokeFamilies()
        fixture.node.streams.cutAll()
        let error = await meroError { for try await _ in stream {} }
        guard case .authRevoked = error else { return #expect(Bool(false), "\(String(describing: error))") }
        await fixture.stop()
    }
}
