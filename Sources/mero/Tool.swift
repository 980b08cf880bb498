import Foundation
import MeroKit

/// `mero` itself: from the words of a command line to an exit code.
struct Tool: Sendable {
    let root: Command
    let surroundings: Surroundings

    func run(_ words: [String]) async -> ExitCode {
        let parsed = Result { try ArgumentParser(root: root).parse(words) }
        // A command line that cannot be parsed is reported in the form that it seems to ask for.
        let json = (try? parsed.get().arguments.has(.json)) ?? Self.seemsToAskForJSON(words)
        let console = Console(
            output: surroundings.output, errors: surroundings.errors, json: json,
            style: surroundings.style(forTerminal: surroundings.outputIsTerminal),
            errorStyle: surroundings.style(forTerminal: surroundings.errorsIsTerminal))
        do {
            return try await run(words.isEmpty ? .init(path: [root], wantsHelp: true) : parsed.get(), console: console)
        } catch is OutputClosed {
            return .brokenPipe
        } catch {
            let failure = Failure(describing: error)
            if failure.code != .interrupted { console.report(failure) }
            return failure.code
        }
    }

    private func run(_ parsed: ArgumentParser.Result, console: Console) async throws -> ExitCode {
        if parsed.wantsVersion {
            try Version.print(on: console)
            return .done
        }
        if parsed.wantsHelp {
            try HelpPage(path: parsed.path, style: console.style).print(on: console)
            return .done
        }
        let command = parsed.command
        guard let body = command.body else { throw UsageError.noCommand(of: parsed) }
        let invocation = Invocation(
            arguments: parsed.arguments, console: console, surroundings: surroundings,
            relay: relay(of: command, parsed.arguments))
        do {
            return try await body(AliasNames.resolved(invocation, of: command))
        } catch let error as MeroError where invocation.relay != nil {
            throw Failure(describing: error, ofRelay: true)
        }
    }

    private func relay(of command: Command, _ arguments: Arguments) -> String? {
        guard command.options.contains(.relay) else { return nil }
        // A node on the line is meant; a relay in the environment was there before.
        return arguments.text(.relay) ?? (arguments.has(.node) ? nil : surroundings.setting("MERO_RELAY"))
    }

    private static func seemsToAskForJSON(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == OptionSpec.json.flag || $0 == "-j" }
    }
}
