import Foundation
import MeroKit

/// The terminal's echo, switched off while a password is typed.
///
/// The way back is kept outside the code that reads, so that the end of the process, however it comes, can restore it.
enum Terminal {
    private static let saved = Locked<termios?>(nil)

    /// False when the descriptor is no terminal.
    static func hideInput(_ descriptor: Int32) -> Bool {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return false }
        saved.withLock { $0 = settings }
        settings.c_lflag &= ~tcflag_t(ECHO)
        settings.c_lflag |= tcflag_t(ICANON | ISIG)
        return tcsetattr(descriptor, TCSAFLUSH, &settings) == 0
    }

    /// Puts the terminal back as it was. Does nothing when it was not changed.
    static func restore(_ descriptor: Int32 = STDIN_FILENO) {
        guard
            var settings = saved.withLock({ saved in
                defer { saved = nil }
                return saved
            })
        else { return }
        _ = tcsetattr(descriptor, TCSANOW, &settings)
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}
