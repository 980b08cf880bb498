import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

/// A node, a home folder and the built `mero`.
final class Workbench: Sendable {
    static let user = "alice"
    static let password = "correct horse 7 battery"

    let folder: TemporaryFolder
    let node: DevNode
    let store: String
    let probe: String

    init() async throws {
        folder = try TemporaryFolder()
        var options = DevNodeOptions()
        options.users = [(Self.user, Self.password)]
        options.eventRetryMilliseconds = 100
        options.delegatedAccess = true
        options.tee = DevTee(cloudProvider: "gcp", osImage: "image-1", mrtd: String(repeating: "0", count: 96))
        node = try await DevNode.start(options)
        store = try node.createContext(KeyValueContract())
        probe = try node.createContext(ProbeContract())
    }

    /// Runs the test with a workbench and stops the node afterwards, however the test ends.
    static func with(_ body: (Workbench) async throws -> Void) async throws {
        let bench = try await Workbench()
        do {
            try await body(bench)
        } catch {
            await bench.node.stop()
            throw error
        }
        await bench.node.stop()
    }

    var url: String { node.url.absoluteString }
    /// Where the default profile keeps its session with the node.
    var tokensFile: URL {
        let profile = Profile(name: "default", variables: ["XDG_CONFIG_HOME": folder.file("config").path])
        return profile.tokensFile(for: NodeAddress(url)!)
    }

    func mero(_ words: String..., input: String = "", environment: [String: String] = [:]) async throws
        -> Program.Outcome
    {
        try await start(words, input: input, environment: environment).outcome()
    }

    func start(_ words: [String], input: String = "", environment: [String: String] = [:]) throws -> RunningProgram {
        let base = ["XDG_CONFIG_HOME": folder.file("config").path]
        return try Program(Program.mero, words).start(
            input: input, environment: base.merging(environment) { $1 }, in: folder)
    }

    /// Signs in and starts `mero watch` or `mero presence`, which hears everything from when this returns.
    func listening(_ words: String...) async throws -> RunningProgram {
        try await login()
        let running = try start(words)
        let isOn = try await eventually {
            running.hasEnded || running.errorsSoFar.contains("Connected to")
                || running.documents.contains { $0["type"] == "status" && $0.isSettledStatus }
        }
        #expect(isOn, "\(running.outputSoFar)\(running.errorsSoFar)")
        return running
    }

    /// Breaks every stream, does something while none is open, and lets the clients back in once one was refused.
    func whileCut(_ body: () async throws -> Void) async throws {
        let refusal = node.streams.refuseNext(status: 503, times: nil)
        node.streams.cutAll()
        #expect(try await eventually { self.node.streams.open.isEmpty })
        try await body()
        #expect(try await eventually { refusal.hits > 0 })
        refusal.remove()
    }

    @discardableResult
    func login(_ words: String...) async throws -> Program.Outcome {
        let all = ["login", "--node", url, "--user", Self.user, "--password-stdin"] + words
        let outcome = try await start(all, input: Self.password + "\n").outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome
    }
}

extension JSONValue {
    /// Whether a status tells that the node has answered to everything.
    var isSettledStatus: Bool {
        let words = ["contexts", "groups"].flatMap { (self[$0]?.objectValue ?? [:]).values }
        return self["connection"] == "open" && words.allSatisfy { $0 != "requested" }
    }
}

extension RunningProgram {
    /// The complete lines so far, as documents.
    var documents: [JSONValue] {
        var lines = outputSoFar.split(separator: "\n", omittingEmptySubsequences: false)
        _ = lines.popLast()
        return lines.compactMap { try? JSONValue(jsonBytes: Array($0.utf8)) }
    }

    func documents(_ type: String) -> [JSONValue] { documents.filter { $0["type"] == .string(type) } }
}

extension Program.Outcome {
    /// The one document on standard output.
    var document: JSONValue? { try? JSONValue(jsonBytes: Array(output.utf8)) }

    /// One document a line on standard output.
    var documents: [JSONValue] {
        output.split(separator: "\n").compactMap { try? JSONValue(jsonBytes: Array($0.utf8)) }
    }

    /// The error object on standard error.
    var error: JSONValue? { (try? JSONValue(jsonBytes: Array(errors.utf8)))?["error"] }

    /// Exactly one line, as an error for people is.
    var isOneErrorLine: Bool {
        errors.hasPrefix("mero: ") && errors.hasSuffix("\n") && errors.dropLast().contains("\n") == false
    }
}
