import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

#if os(Linux)

    /// Both ends of a terminal that only this test sees.
    final class PseudoTerminal: Sendable {
        let master: Int32
        let name: String

        init() throws {
            master = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY)
            // TIOCSPTLCK and TIOCGPTN, whose macros Swift cannot import: unlock the other end, and which one it is.
            var lock: Int32 = 0
            var number: UInt32 = 0
            try #require(
                master >= 0 && ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
            name = "/dev/pts/\(number)"
        }

        deinit { close(master) }

        func open() throws -> FileHandle {
            let descriptor = Foundation.open(name, O_RDWR | O_NOCTTY)
            try #require(descriptor >= 0)
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }

        func type(_ text: String) { _ = text.withCString { write(master, $0, strlen($0)) } }

        /// Whether what is typed would be shown.
        var echoes: Bool {
            var settings = termios()
            return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
        }

        /// Everything that the terminal has shown and nobody has read yet.
        func shown() -> String {
            var bytes: [UInt8] = []
            var waits = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            while poll(&waits, 1, 0) > 0, waits.revents & Int16(POLLIN) != 0 {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = read(master, &buffer, buffer.count)
                if count <= 0 { break }
                bytes += buffer[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Suite("Passwords on a terminal", .serialized)
    struct TerminalTests {
        private func startLogin(_ bench: Workbench, on terminal: PseudoTerminal) throws -> RunningProgram {
            let stem = UUID().uuidString
            return try RunningProgram(
                Program(Program.mero, ["login", "--node", bench.url]), input: terminal.open(),
                output: bench.folder.file("\(stem).out"), errors: bench.folder.file("\(stem).err"),
                environment: ["XDG_CONFIG_HOME": bench.folder.file("config").path], home: bench.folder)
        }

        @Test("user and password are asked for, and the password is not shown")
        func prompt() async throws {
            try await Workbench.with { bench in
                let terminal = try PseudoTerminal()
                let keep = try terminal.open()
                let login = try startLogin(bench, on: terminal)
                #expect(try await eventually { login.errorsSoFar.contains("User: ") })
                #expect(terminal.echoes)
                terminal.type("alice\n")
                #expect(
                    try await eventually {
                        login.errorsSoFar.contains("Password of alice at \(bench.url):") && !terminal.echoes
                    })
                _ = terminal.shown()
                terminal.type(Workbench.password + "\n")
                let outcome = await login.outcome()
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(terminal.echoes)
                #expect(!terminal.shown().contains(Workbench.password))
                #expect(!(outcome.output + outcome.errors).contains(Workbench.password))
                try keep.close()
            }
        }

        @Test(
            "a signal at the prompt gives the terminal back as it was",
            arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
        func interruptedPrompt(signal: Int32, status: Int32) async throws {
            try await Workbench.with { bench in
                let terminal = try PseudoTerminal()
                let keep = try terminal.open()
                let login = try startLogin(bench, on: terminal)
                terminal.type("alice\n")
                #expect(try await eventually { login.errorsSoFar.contains("Password of") && !terminal.echoes })
                login.send(signal)
                let outcome = await login.outcome()
                #expect(outcome.status == status)
                #expect(terminal.echoes)
                #expect(bench.node.requestCount("POST", "/auth/token") == 0)
                try keep.close()
            }
        }

        @Test("answers are coloured and laid out on a terminal, plain in a file")
        func prettyAnswers() async throws {
            try await Workbench.with { bench in
                try await bench.login()
                let terminal = try PseudoTerminal()
                let keep = try terminal.open()
                let script = "exec \(Program.mero) call \(bench.probe) echo '{\"a\":[1]}' > \(terminal.name)"
                let outcome = try await Program("/bin/sh", ["-c", script]).run(
                    environment: ["XDG_CONFIG_HOME": bench.folder.file("config").path], in: bench.folder)
                #expect(outcome.status == 0)
                let shown = terminal.shown()
                #expect(shown.contains("\u{1B}[36m\"a\"\u{1B}[0m: [\r\n"))
                try keep.close()
            }
        }
    }

#endif

@Suite("Pipes")
struct PipeTests {
    @Test("a reader that leaves ends the command without a word")
    func brokenPipe() async throws {
        let folder = try TemporaryFolder()
        // The reader is gone before the first byte: `exec` closes it, then the command starts.
        let script = """
            set -o pipefail
            { while kill -0 $$ 2>/dev/null && ! [ -e gone ]; do sleep 0.01; done; exec "$1" help; } | { exec <&-; : > gone; }
            echo "${PIPESTATUS[0]}"
            """
        let outcome = try await Program("/bin/bash", ["-c", "cd \"$HOME\"\n" + script, "bash", Program.mero]).run(
            in: folder)
        #expect(outcome.output == "141\n")
        #expect(outcome.errors.isEmpty)
    }
}
