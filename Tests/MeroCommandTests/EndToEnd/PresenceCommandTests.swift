import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("Presence from the command line", .serialized)
struct PresenceCommandTests {
    private let bob = String(repeating: "b0", count: 32)
    private let account = String(repeating: "ac", count: 32)

    @Test("who is there, who changes, who leaves")
    func life() async throws {
        try await Workbench.with { bench in
            let context = bench.store
            try bench.node.setPresence(Data(#"{"at":18446744073709551615}"#.utf8), author: bob, context: context)
            let running = try await bench.listening("presence", context, "--json", "--count", "3")
            #expect(try await eventually { running.documents("join").count == 1 })
            // The same again says nothing new.
            try bench.node.setPresence(Data(#"{"at":18446744073709551615}"#.utf8), author: bob, context: context)
            try bench.node.setPresence(Data([0xFF, 0]), author: bob, account: account, context: context)
            bench.node.removePresence(author: bob, context: context)
            let outcome = await running.outcome()
            #expect(outcome.status == 0)
            let lines = outcome.documents.filter { $0["author"] == .string(bob) }
            #expect(lines.map { $0["type"]?.stringValue } == ["join", "change", "leave"])
            #expect(lines.allSatisfy { $0["contextId"] == .string(context) })
            #expect(outcome.output.contains(#""state":{"at":18446744073709551615},"ageMs":"#))
            #expect(lines[1]["stateHex"] == "ff00" && lines[1]["account"] == .string(account))
            #expect(lines[1]["ageMs"] == nil)
            #expect(lines[2]["state"] == nil && lines[2]["reason"] == nil)
        }
    }

    @Test("for people")
    func people() async throws {
        try await Workbench.with { bench in
            let running = try await bench.listening("presence", bench.store)
            try bench.node.setPresence(
                Data("\u{1B}]0;x\u{7}".utf8), author: bob, account: account, context: bench.store)
            bench.node.removePresence(author: bob, context: bench.store)
            #expect(try await eventually { running.outputSoFar.split(separator: "\n").count == 2 })
            running.send(SIGINT)
            let outcome = await running.outcome()
            #expect(outcome.status == 130)
            let lines = outcome.output.split(separator: "\n").map { $0.dropFirst(14) }
            #expect(lines[0] == #"join           b0b0b0b0  (account acacacac) "\u001b]0;x\u0007""#)
            #expect(lines[1].hasPrefix("leave          b0b0b0b0"))
        }
    }

    @Test("--set publishes once, exactly; others see it; with --watch it shows itself")
    func publish() async throws {
        try await Workbench.with { bench in
            let running = try await bench.listening("presence", bench.store, "--json", "--count", "2")
            let state = #"{"n":18446744073709551615,"a":[1.10]}"#
            let set = try await bench.mero("presence", bench.store, "--set", state, "--json")
            #expect(set.status == 0, "\(set.errors)")
            #expect(set.documents.count == 1)
            #expect(set.document?["type"] == "published" && set.document?["bytes"] == .number(Double(state.utf8.count)))
            let piped = try await bench.start(["presence", bench.store, "--set", "-"], input: " \"gone\"\n").outcome()
            #expect(piped.status == 0)
            #expect(piped.output == "Published 6 bytes in context \(bench.store.prefix(8)).\n")
            let outcome = await running.outcome()
            #expect(outcome.output.contains(#""state":\#(state)"#))
            #expect(outcome.documents.last { $0["author"] != nil }?["state"] == "gone")
            #expect(
                outcome.documents.last { $0["author"] != nil }?["author"]?.stringValue
                    == bench.node.executor(inContext: bench.store))

            let both = try await bench.mero(
                "presence", bench.store, "--set", "1", "--watch", "--count", "1", "--timeout", "30", "--json")
            #expect(both.status == 0, "\(both.errors)")
            #expect(both.documents.first?["type"] == "published")
            #expect(both.documents.last { $0["type"] == "join" }?["state"] == 1)
        }
    }

    @Test("who went while the connection was down is told after the return")
    func unheard() async throws {
        try await Workbench.with { bench in
            let carol = String(repeating: "c0", count: 32)
            for author in [bob, carol] {
                try bench.node.setPresence(Data("1".utf8), author: author, keepsBeating: true, context: bench.store)
            }
            let running = try await bench.listening("presence", bench.store, "--json", "--count", "3")
            #expect(try await eventually { running.documents("join").count == 2 })
            try await bench.whileCut { bench.node.removePresence(author: bob, context: bench.store) }
            let outcome = await running.outcome()
            #expect(outcome.status == 0)
            #expect(outcome.documents.filter { $0["type"] == "gap" }.count == 1)
            let leave = try #require(outcome.documents.last)
            #expect(leave["type"] == "leave" && leave["author"] == .string(bob) && leave["reason"] == "unheard")
        }
    }

    @Test("what cannot be published says why")
    func failures() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let noJSON = try await bench.mero("presence", bench.store, "--set", "{'a':1}")
            #expect(noJSON.status == 2)
            #expect(noJSON.errors.contains("The value of --set is not JSON"))
            let long = "\"" + String(repeating: "x", count: 16_384) + "\""
            let tooLong = try await bench.mero("presence", bench.store, "--set", long, "--json")
            #expect(tooLong.status == 1)
            #expect(tooLong.error?["type"] == "SliceTooLarge")
            let unknown = try await bench.mero("presence", String(repeating: "0", count: 64), "--json")
            #expect(unknown.status == 1)
        }
    }
}
