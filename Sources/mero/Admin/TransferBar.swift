import Dispatch
import Foundation
import MeroKit

/// How far a transfer has come, on one line of the terminal that is drawn over and over, and gone afterwards.
///
/// Nothing is drawn where nobody looks on: standard error is no terminal, or a program reads along (`--json`).
final class TransferBar: Sendable {
    private struct State {
        var latest: TransferProgress?
        var isDrawing = false
        var hasDrawn = false
        var lastDrawn: DispatchTime?
    }

    private static let pause: UInt64 = 100_000_000
    private let label: String
    private let sink: (any TextSink)?
    private let width: Int
    private let started = DispatchTime.now()
    private let state = Locked(State())
    /// A terminal that stands still must not hold up the transfer.
    private let queue = DispatchQueue(label: "mero.progress")

    init(_ label: String, _ run: AdminRun) {
        self.label = label.printable
        let isWanted = run.invocation.surroundings.errorsIsTerminal && !run.console.json
        sink = isWanted ? run.console.errors : nil
        width = Terminal.width(STDERR_FILENO) ?? 80
    }

    /// Takes news of the transfer, from any thread.
    func update(_ progress: TransferProgress) {
        guard let sink else { return }
        let isDue = state.withLock { state in
            state.latest = progress
            let now = DispatchTime.now()
            if state.isDrawing { return false }
            if let last = state.lastDrawn, now.uptimeNanoseconds - last.uptimeNanoseconds < Self.pause { return false }
            state.isDrawing = true
            state.hasDrawn = true
            state.lastDrawn = now
            return true
        }
        guard isDue else { return }
        queue.async { [self] in
            let latest = state.withLock { $0.latest }
            if let latest { try? sink.write("\r\u{1B}[K" + line(latest)) }
            state.withLock { $0.isDrawing = false }
        }
    }

    /// Takes the line away.
    func finish() async {
        guard let sink, state.withLock({ $0.hasDrawn }) else { return }
        await withCheckedContinuation { continuation in
            queue.async {
                try? sink.write("\r\u{1B}[K")
                continuation.resume()
            }
        }
    }

    private func line(_ progress: TransferProgress) -> String {
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - started.uptimeNanoseconds) / 1_000_000_000
        return Self.line(label, progress, seconds: seconds, width: width)
    }

    /// The line without what moves the cursor: the name, a bar where the size is known, bytes and speed.
    static func line(_ label: String, _ progress: TransferProgress, seconds: Double, width: Int) -> String {
        let speed = seconds > 0.2 ? "  \(Bytes.text(Int64(Double(progress.completed) / seconds)))/s" : ""
        guard let total = progress.total, total > 0 else {
            return clipped("\(label)  \(Bytes.text(progress.completed))\(speed)", width)
        }
        let part = min(1, max(0, Double(progress.completed) / Double(total)))
        let percent = String(format: "%3d%%", Int(part * 100))
        let numbers = "\(percent)  \(Bytes.text(progress.completed)) of \(Bytes.text(total))\(speed)"
        // The last column stays free: some terminals begin a new line there.
        let room = min(40, width - 1 - label.columns - numbers.columns - 6)
        guard room >= 8 else { return clipped("\(label)  \(numbers)", width) }
        let filled = Int(part * Double(room))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
        return "\(label)  [\(bar)]  \(numbers)"
    }

    private static func clipped(_ text: String, _ width: Int) -> String {
        var text = text
        while text.columns >= max(width, 2) { text.removeLast() }
        return text
    }
}

extension Terminal {
    /// Columns, nil for what is no terminal.
    static func width(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
