import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("Watching from the command line", .serialized)
struct WatchTests {
    @Test("events for people: one line each, what contracts emitted as JSON")
    func people() async throws {
        try await Workbench.with { bench in
            let group = try bench.node.createGroup()
            let watch = try await bench.listening("watch", bench.store, "--group", group)
            #expect(
                try await bench.mero("call", bench.store, "set", #"{"key":"k","value":"\u001b[31m"}"#).status == 0)
            try bench.node.addMember(String(repeating: "ab", count: 32), group: group)
            bench.node.emit(.syncStatus(.backingOff(retryInSeconds: 8), failureCount: 2), context: bench.store)
            #expect(try await eventually { watch.outputSoFar.split(separator: "\n").count == 3 })
            watch.send(SIGINT)
            let outcome = await watch.outcome()
            #expect(outcome.status == 130)
            let lines = outcome.output.split(separator: "\n").sorted { $0.dropFirst(12) < $1.dropFirst(12) }
            #expect(lines.count == 3)
            let time = "^[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}  "
            #expect(lines.allSatisfy { $0.range(of: time, options: .regularExpression) != nil }, "\(lines)")
            #expect(lines[0].dropFirst(14) == "MemberAdded    \(group.prefix(8))  abababab as Member")
            #expect(
                lines[1].dropFirst(14)
                    == #"StateMutation  \#(bench.store.prefix(8))  Inserted {"key":"k","value":"\u001b[31m"}"#)
            #expect(
                lines[2].dropFirst(14)
                    == "SyncStatus     \(bench.store.prefix(8))  backing off, next try in 8 s, 2 failures in a row")
            #expect(outcome.errors == "mero: Connected to \(bench.url), 2 of 2 ids are watched (Ctrl-C ends it).\n")
        }
    }

    @Test("events for programs: the node's own object, with all digits and members in their order")
    func programs() async throws {
        try await Workbench.with { bench in
            let watch = try await bench.listening("watch", bench.store, bench.probe, "--json")
            let sent = [
                #"{"type":"New","z":18446744073709551615,"contextId":"\#(bench.store)","data":{"b":1.10,"a":[null]}}"#,
                #"{"contextId":"\#(bench.probe)","type":"Other","data":"é\u0007"}"#,
            ]
            for json in sent { #expect(try bench.node.emit(result: json) == 1) }
            #expect(try await eventually { watch.documents("event").count == 2 })
            watch.send(SIGTERM)
            let outcome = await watch.outcome()
            #expect(outcome.status == 143)
            #expect(outcome.errors.isEmpty)
            #expect(outcome.documents.count == outcome.output.split(separator: "\n").count)
            for json in sent { #expect(outcome.output.contains(#""event":"# + json + "}\n"), "\(json)") }
            for document in outcome.documents {
                let text = try #require(document["time"]?.stringValue, "\(outcome.output)")
                #expect(text.range(of: "[.][0-9]{3}Z$", options: .regularExpression) != nil, "\(text)")
                let time = try #require(ISO8601DateFormatter().date(from: text.prefix(19) + "Z"))
                #expect(abs(time.timeIntervalSinceNow) < 120)
            }
            let status = try #require(outcome.documents.last { $0["type"] == "status" })
            #expect(status["connection"] == "open")
            #expect(status["contexts"] == [bench.store: "active", bench.probe: "active"])
        }
    }

    @Test("a node that restarts: the loss, the return and the gap are told, and events go on")
    func restart() async throws {
        try await Workbench.with { bench in
            let watch = try await bench.listening("watch", bench.store)
            try await bench.node.restart()
            #expect(try await eventually { watch.outputSoFar.contains("Gap ") })
            #expect(try await bench.mero("call", bench.store, "set", #"{"key":"k","value":"after"}"#).status == 0)
            #expect(try await eventually { watch.outputSoFar.contains(#""value":"after""#) })
            watch.send(SIGINT)
            let outcome = await watch.outcome()
            #expect(outcome.status == 130)
            #expect(outcome.output.split(separator: "\n").count == 2)
            #expect(outcome.errors.contains("mero: Connection lost: "))
            #expect(outcome.errors.hasSuffix("mero: Connected again.\n"))
        }
    }

    @Test("gaps for programs, one for each context and group")
    func gaps() async throws {
        try await Workbench.with { bench in
            let group = try bench.node.createGroup()
            let watch = try await bench.listening("watch", bench.store, "-g", group, "--json")
            try await bench.whileCut { bench.node.emit(.syncStatus(.idle), context: bench.store) }
            #expect(try await eventually { watch.documents("gap").count == 2 })
            bench.node.emit(.syncStatus(.syncing), context: bench.store)
            #expect(try await eventually { watch.documents("event").count == 1 })
            watch.send(SIGINT)
            let documents = await watch.outcome().documents
            let gaps = documents.filter { $0["type"] == "gap" }
            #expect(gaps.compactMap { $0["contextId"] } == [.string(bench.store)])
            #expect(gaps.compactMap { $0["groupId"] } == [.string(group)])
            let event = try #require(documents.first { $0["type"] == "event" })
            #expect(event["event"]?["data"]?["syncState"]?["state"] == "syncing")
            let lost = try #require(documents.first { $0["connection"] == "waiting" })
            #expect(lost["contexts"] == [bench.store: "requested"])
            // Refused with 503 at least once on the way back.
            #expect(documents.contains { $0["error"]?["status"] == 503 })
        }
    }

    @Test("an expired token is renewed for the reconnect, and kept for the next command")
    func tokenExpiry() async throws {
        try await Workbench.with { bench in
            let watch = try await bench.listening("watch", bench.store, "--json", "--count", "1")
            bench.node.expireAccessTokens()
            bench.node.streams.cutAll()
            #expect(try await eventually { watch.documents("gap").count == 1 })
            #expect(bench.node.requestCount("POST", "/auth/refresh") == 1)
            bench.node.emit(.syncStatus(.idle), context: bench.store)
            #expect(await watch.outcome().status == 0)
            #expect(try await bench.mero("whoami").status == 0)
            #expect(bench.node.requestCount("POST", "/auth/refresh") == 1)
        }
    }

    @Test("a revoked session ends it with 3, and the session is gone")
    func revoked() async throws {
        try await Workbench.with { bench in
            let watch = try await bench.listening("watch", bench.store)
            bench.node.revokeFamilies()
            bench.node.streams.cutAll()
            let outcome = await watch.outcome()
            #expect(outcome.status == 3)
            #expect(outcome.errors.contains("mero: The session is over (token_revoked)"))
            #expect(outcome.errors.contains("mero login"))
            #expect(try await bench.mero("whoami").status == 3)
        }
    }

    @Test("a node that does not know the session any more ends it with 3")
    func forgotten() async throws {
        try await Workbench.with { bench in
            let watch = try await bench.listening("watch", bench.store)
            bench.node.streams.refuseNext(status: 401, times: nil)
            bench.node.streams.cutAll()
            let outcome = await watch.outcome()
            #expect(outcome.status == 3)
            #expect(outcome.errors.contains("mero login"))
        }
    }

    @Test("an id that is none ends it with 1 and the node's reason, and costs another nothing")
    func noId() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let alone = try await bench.mero("watch", "bogus")
            #expect(alone.status == 1)
            let watch = try await bench.listening("watch", bench.store, "bogus")
            #expect(try await bench.mero("call", bench.store, "set", #"{"key":"k","value":"v"}"#).status == 0)
            #expect(try await eventually { watch.outputSoFar.contains(#""value":"v""#) })
            watch.send(SIGINT)
            #expect(await watch.outcome().status == 130)
        }
    }

    @Test("a session that may not watch ends it with 1")
    func forbidden() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.streams.refuseNext(status: 403, authError: "permission_denied")
            let outcome = try await bench.mero("watch", bench.store, "--json")
            #expect(outcome.status == 1)
            #expect(outcome.error?["type"] == "permission_denied")
            #expect(outcome.error?["status"] == 403)
            #expect(outcome.documents.last?["connection"] == "ended")
        }
    }

    @Test("--count ends it right behind the last event; gaps do not count")
    func count() async throws {
        try await Workbench.with { bench in
            let watch = try await bench.listening("watch", bench.store, "--json", "--count", "2")
            bench.node.emit(.syncStatus(.idle), context: bench.store)
            #expect(try await eventually { watch.documents("event").count == 1 })
            try await bench.whileCut {}
            #expect(try await eventually { watch.documents("gap").count == 1 })
            for _ in 0..<5 { bench.node.emit(.syncStatus(.syncing), context: bench.store) }
            let outcome = await watch.outcome()
            #expect(outcome.status == 0)
            #expect(outcome.documents.filter { $0["type"] == "event" }.count == 2)
        }
    }

    @Test("--timeout ends it: well, or with 4 when events are missing or the node is")
    func timeout() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            // Long enough that a busy machine gets to open the stream.
            let quiet = try await bench.mero("watch", bench.store, "--timeout", "3")
            #expect(quiet.status == 0, "\(quiet.errors)")
            #expect(quiet.output.isEmpty)
            let few = try await bench.mero("watch", bench.store, "--timeout=3", "--count=2", "--json")
            #expect(few.status == 4)
            #expect(few.error?["message"] == "Only 0 of 2 came within 3 s")
            try await bench.node.refuseConnections(true)
            let absent = try await bench.mero("watch", bench.store, "--timeout", "0.5")
            #expect(absent.status == 4)
            #expect(absent.errors.contains("No stream was open within 0.5 s"))
            #expect(absent.errors.split(separator: "\n").count <= 2, "\(absent.errors)")
        }
    }

    @Test("ids that the node keeps to itself are named, and alone they end it with 1")
    func refused() async throws {
        try await Workbench.with { bench in
            let unknown = String(repeating: "0", count: 64)
            let both = try await bench.listening("watch", bench.store, unknown, "--json", "--count", "1")
            bench.node.emit(.syncStatus(.idle), context: bench.store)
            let programs = await both.outcome()
            #expect(programs.status == 0)
            #expect(programs.documents.last { $0["type"] == "status" }?["contexts"]?[unknown] == "refused")
            let people = try await bench.mero("watch", bench.store, unknown, "--timeout", "3")
            #expect(people.status == 0)
            #expect(people.errors.contains("1 of 2 ids"))
            #expect(people.errors.contains("delivers nothing about context \(unknown)"))
            let alone = try await bench.mero("watch", unknown)
            #expect(alone.status == 1)
            #expect(alone.output.isEmpty)
            #expect(alone.errors.contains("The node delivers nothing about this id"))
        }
    }

    @Test("a reader that leaves ends it quietly, without another event", arguments: [true, false])
    func closedPipe(json: Bool) async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let script = #""$0" watch "$@" | head -n 1; echo "${PIPESTATUS[0]}""#
            let words = ["-c", script, Program.mero, bench.store] + (json ? ["--json"] : [])
            let running = try Program("/bin/bash", words).start(
                environment: ["XDG_CONFIG_HOME": bench.folder.file("config").path], in: bench.folder)
            if !json {
                #expect(try await eventually { running.errorsSoFar.contains("Connected to") })
                bench.node.emit(.syncStatus(.idle), context: bench.store)
            }
            let outcome = await running.outcome()
            #expect(outcome.output.hasSuffix("\n141\n"))
            #expect(outcome.output.split(separator: "\n").count == 2)
            #expect(outcome.errors.split(separator: "\n").count == (json ? 0 : 1), "\(outcome.errors)")
        }
    }

    @Test("a signal ends it at once, even if the reader of the pipe stands still")
    func stuckReader() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let pipe = Pipe()
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Program.mero)
            process.arguments = ["watch", bench.store, "--json"]
            process.environment = ["XDG_CONFIG_HOME": bench.folder.file("config").path, "HOME": bench.folder.url.path]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            try process.run()
            let descriptor = pipe.fileHandleForReading.fileDescriptor
            @Sendable func waiting() -> Int32 {
                var count: Int32 = 0
                _ = ioctl(descriptor, UInt(FIONREAD), &count)
                return count
            }
            let text = String(repeating: "x", count: 8000)
            let isStuck = try await eventually {
                let before = waiting()
                for _ in 0..<20 { bench.node.emit(.syncStatus(.idle, lastError: text), context: bench.store) }
                try await Task.sleep(nanoseconds: 200_000_000)
                return before > 0 && waiting() == before
            }
            #expect(isStuck)
            kill(process.processIdentifier, SIGINT)
            #expect(try await eventually { !process.isRunning })
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
        }
    }

    @Test(
        "command lines that say nothing to watch",
        arguments: [["watch"], ["watch", ""], ["watch", "x", "--count", "0"], ["watch", "x", "--timeout", "-1"]])
    func usage(words: [String]) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program(Program.mero, words).run(in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.isOneErrorLine)
    }

    @Test("without a session")
    func notSignedIn() async throws {
        try await Workbench.with { bench in
            let outcome = try await bench.mero("watch", bench.store, "--node", bench.url)
            #expect(outcome.status == 3)
            #expect(bench.node.requestCount("GET", "/sse") == 0)
        }
    }
}
