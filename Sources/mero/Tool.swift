import Foundation

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
        guard let body = parsed.command.body else { throw UsageError.noCommand(of: parsed) }
        return try await body(
            Invocation(arguments: parsed.arguments, console: console, surroundings: surroundings))
    }

    private static func seemsToAskForJSON(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == OptionSpec.json.flag || $0 == "-j" }
    }
}
