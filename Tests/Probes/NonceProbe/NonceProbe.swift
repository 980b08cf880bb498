import Foundation
import MeroKit

/// Draws numbers from a shared `FileWarrantNonceStore` and writes each down before it draws the next.
///
/// Arguments: the store's folder, the sequence, the file to append the numbers to, how many to draw (0: until killed).
/// Ends with status 1 when the store has none.
@main
enum NonceProbe {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let count = Int(arguments[4]) else { exit(2) }
        let store = FileWarrantNonceStore(directory: URL(fileURLWithPath: arguments[1]))
        let output = open(arguments[3], O_WRONLY | O_APPEND | O_CREAT, 0o600)
        guard output >= 0 else { exit(2) }
        let parent = getppid()
        var drawn = 0
        while count == 0 ? getppid() == parent : drawn < count {
            let number = store.next(relay: arguments[2])
            guard number > 0 else { exit(1) }
            // One write for one line: a kill leaves a whole line or none.
            let line = Array("\(number)\n".utf8)
            guard write(output, line, line.count) == line.count else { exit(2) }
            drawn += 1
        }
    }
}
