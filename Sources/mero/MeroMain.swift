import Dispatch
import Foundation

/// The process: signals in, exit code out.
@main
enum MeroMain {
    static func main() {
        // Before anything opens a file, which would get the number of a stream that was closed.
        StandardDescriptors.fill()
        Task { await run() }
        dispatchMain()
    }

    private static func run() async {
        // A reader that leaves shows up as an error of `write`, which ends the command quietly.
        signal(SIGPIPE, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        let task = Task { await Tool(root: CommandTable.root, surroundings: .process).run(words) }
        let signals = SignalWatcher { task.cancel() }
        let code = await task.value
        Terminal.restore()
        let isTermination = code == .interrupted && signals.first == SIGTERM
        // Nothing is buffered, and the threads of the HTTP stack must not meet half torn-down libraries: skip the exit
        // handlers.
        _exit(isTermination ? ExitCode.terminated.rawValue : code.rawValue)
    }
}

extension Surroundings {
    /// Those of this process.
    static var process: Surroundings {
        Surroundings(
            variables: ProcessInfo.processInfo.environment, input: StandardInput(),
            output: DescriptorSink(descriptor: STDOUT_FILENO), errors: DescriptorSink(descriptor: STDERR_FILENO),
            outputIsTerminal: Terminal.isTerminal(STDOUT_FILENO), errorsIsTerminal: Terminal.isTerminal(STDERR_FILENO))
    }
}
