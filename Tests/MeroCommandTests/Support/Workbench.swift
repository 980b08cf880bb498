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

    @discardableResult
    func login(_ words: String...) async throws -> Program.Outcome {
        let all = ["login", "--node", url, "--user", Self.user, "--password-stdin"] + words
        let outcome = try await start(all, input: Self.password + "\n").outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome
    }
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
