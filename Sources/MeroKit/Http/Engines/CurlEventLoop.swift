#if canImport(CCurl)
    import CCurl
    import Foundation
    import Glibc

    /// Drives all transfers of one engine on one thread.
    ///
    /// Other threads only put commands into the inbox. Safe to share: the inbox has a lock, `multi` is used by others
    /// for `curl_multi_wakeup` alone, which libcurl allows from any thread, and every other variable belongs to the
    /// event thread from `start` on.
    final class CurlEventLoop: @unchecked Sendable {
        private struct Inbox {
            var commands: [Command] = []
            /// The event thread waits, or is about to, and must be woken to see new commands.
            var isWaiting = false
            var isClosed = false
        }

        private enum Command {
            case start(CurlTransfer)
            case cancel(CurlTransfer)
        }

        private let inbox = Locked(Inbox())
        private let multi: UnsafeMutableRawPointer
        private let clock = CurlClock()
        private let authorities: CurlAuthorities
        private var commands: [Command] = []
        private var underWay: [CurlHandle] = []
        private var idle: [CurlHandle] = []
        private var completions: [CurlCompletion] = []
        /// No time-out can be due before; a transfer's activity only moves its own due time further away.
        private var nextTimeoutCheck = UInt64.max
        private var hasJustAnswered = false

        private static let lingerTime: UInt64 = 50_000
        private static let idleHandleLimit = 64
        private static let idleConnectionLimit = 128

        init?(authorities: CurlAuthorities) {
            guard CurlLibrary.isReady, let multi = curl_multi_init() else { return nil }
            self.multi = multi
            self.authorities = authorities
            merokit_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.idleConnectionLimit)
        }

        /// Starts the thread, which keeps the loop alive until `close` is called.
        func start() {
            let thread = Thread { [self] in run() }
            thread.name = "mero.http"
            thread.start()
        }

        // MARK: - From any thread

        func submit(_ transfer: CurlTransfer, _ continuation: UnsafeContinuation<CurlAnswer, any Error>) {
            let refusal: (any Error)? = inbox.withLock { inbox in
                if inbox.isClosed { return EngineError.engineClosed }
                if transfer.isCancelled { return CancellationError() }
                transfer.continuation = continuation
                enqueue(.start(transfer), in: &inbox)
                return nil
            }
            if let refusal { continuation.resume(throwing: refusal) }
        }

        func cancel(_ transfer: CurlTransfer) {
            inbox.withLock { inbox in
                transfer.isCancelled = true
                // Nothing to undo once the loop is closed: every transfer has had its answer then.
                if !inbox.isClosed { enqueue(.cancel(transfer), in: &inbox) }
            }
        }

        /// Ends all transfers with `.closed`, frees everything and lets the thread end.
        func close() {
            inbox.withLock { inbox in
                if inbox.isClosed { return }
                inbox.isClosed = true
                wake(&inbox)
            }
        }

        var isClosed: Bool { inbox.withLock { $0.isClosed } }

        private func enqueue(_ command: Command, in inbox: inout Inbox) {
            inbox.commands.append(command)
            wake(&inbox)
        }

        /// Once is enough for all commands until the thread is up again. Under the lock, since after `close` nobody may
        /// touch `multi` any more.
        private func wake(_ inbox: inout Inbox) {
            guard inbox.isWaiting else { return }
            inbox.isWaiting = false
            curl_multi_wakeup(multi)
        }

        // MARK: - The event thread

        private func run() {
            blockBrokenPipeSignal()
            while true {
                clock.update()
                let isClosed = takeCommands()
                for command in commands { execute(command) }
                if isClosed { break }
                var running: Int32 = 0
                curl_multi_perform(multi, &running)
                collectMessages()
                endTimedOut()
                deliver()
                wait()
            }
            for handle in underWay { release(handle) { $0.end(.closed) } }
            deliver()
            idle.removeAll()
            curl_multi_cleanup(multi)
        }

        /// Empties the inbox into `commands`.
        ///
        /// - Returns: whether the loop was closed.
        private func takeCommands() -> Bool {
            commands.removeAll(keepingCapacity: true)
            return inbox.withLock { inbox in
                inbox.isWaiting = false
                swap(&inbox.commands, &commands)
                return inbox.isClosed
            }
        }

        private func execute(_ command: Command) {
            switch command {
            case .start(let transfer):
                begin(transfer)
            case .cancel(let transfer):
                if let handle = transfer.handle { release(handle) { $0.end(.cancelled) } }
            }
        }

        private func begin(_ transfer: CurlTransfer) {
            guard let handle = idle.popLast() ?? CurlHandle(clock: clock, authorities: authorities) else {
                completions.append(CurlCompletion(transfer: transfer, outcome: .failure(EngineError.engineClosed)))
                return
            }
            do {
                try handle.begin(transfer)
            } catch {
                completions.append(CurlCompletion(transfer: transfer, outcome: .failure(error)))
                idle.append(handle)
                return
            }
            handle.position = underWay.count
            underWay.append(handle)
            guard curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
                return release(handle) { $0.end(CURLE_OUT_OF_MEMORY) }
            }
            nextTimeoutCheck = min(nextTimeoutCheck, handle.lastActivity + handle.inactivityLimit)
        }

        private func collectMessages() {
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi, &left) {
                guard message.pointee.msg == CURLMSG_DONE else { continue }
                let code = message.pointee.data.result
                var context: UnsafeMutableRawPointer?
                merokit_curl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
                if let handle = CurlCallbacks.handle(context) { release(handle) { $0.end(code) } }
            }
        }

        /// Takes a handle away from libcurl, keeps what became of its call, and makes it ready for another.
        private func release(_ handle: CurlHandle, _ end: (CurlHandle) -> CurlCompletion) {
            curl_multi_remove_handle(multi, handle.easy)
            completions.append(end(handle))
            let last = underWay.removeLast()
            if last !== handle {
                underWay[handle.position] = last
                last.position = handle.position
            }
            if idle.count < Self.idleHandleLimit { idle.append(handle) }
        }

        private func endTimedOut() {
            guard clock.now >= nextTimeoutCheck else { return }
            nextTimeoutCheck = .max
            for handle in underWay {
                let due = handle.lastActivity + handle.inactivityLimit
                if due <= clock.now {
                    handle.abandonConnection()
                    release(handle) { $0.end(.timedOut) }
                } else {
                    nextTimeoutCheck = min(nextTimeoutCheck, due)
                }
            }
        }

        private func deliver() {
            hasJustAnswered = !completions.isEmpty
            guard hasJustAnswered else { return }
            for completion in completions { completion.deliver() }
            completions.removeAll(keepingCapacity: true)
        }

        /// A caller that makes one call after another is back within microseconds, which is less than it takes to put
        /// this thread to sleep and to wake it: measured, half again as many calls per second. Never while others are under
        /// way, and once per answer, so an idle engine costs nothing.
        private func lingerForNextCall() {
            guard hasJustAnswered, underWay.isEmpty else { return }
            clock.update()
            let end = clock.now + Self.lingerTime
            repeat {
                if inbox.withLock({ !$0.commands.isEmpty }) { return }
                sched_yield()
                clock.update()
            } while clock.now < end
        }

        private func wait() {
            lingerForNextCall()
            let mayWait = inbox.withLock { inbox in
                inbox.isWaiting = inbox.commands.isEmpty && !inbox.isClosed
                return inbox.isWaiting
            }
            guard mayWait else { return }
            var milliseconds = Int32.max
            if nextTimeoutCheck != .max {
                clock.update()
                let left = nextTimeoutCheck > clock.now ? nextTimeoutCheck - clock.now : 0
                // Rounded up: waking a moment too early would mean one more lap for nothing.
                milliseconds = Int32(min(left / 1_000_000 + 1, UInt64(Int32.max)))
            }
            if curl_multi_poll(multi, nil, 0, milliseconds, nil) != CURLM_OK {
                // Out of memory or descriptors. Never spin.
                usleep(10_000)
            }
        }

        /// A write to a connection that the other side closed must be an error, not the end of the process.
        private func blockBrokenPipeSignal() {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        }
    }

    /// A call that is over.
    struct CurlCompletion {
        let transfer: CurlTransfer?
        let outcome: CurlTransfer.Outcome
        var progress: CurlProgress?

        /// Answers the caller, after the last progress report if there are any.
        func deliver() {
            guard let transfer else { return }
            guard let progress else { return transfer.resume(outcome) }
            progress.afterReports { [outcome] in transfer.resume(outcome) }
        }
    }

    /// The event loop's clock, read once a lap: nanoseconds that never go back.
    final class CurlClock {
        private(set) var now: UInt64 = 0

        init() { update() }

        func update() { now = DispatchTime.now().uptimeNanoseconds }
    }

    /// The library as a whole.
    enum CurlLibrary {
        /// Whether libcurl is set up in this process; the first use sets it up.
        static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }

    extension EngineError {
        static let engineClosed = EngineError(
            kind: .closed, mayHaveReachedNode: false, message: "The HTTP engine is closed")
    }
#endif
