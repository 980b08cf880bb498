#if canImport(CCurl)
    import CCurl
    import Foundation

    /// The thread that owns a libcurl multi handle and everything that hangs on it.
    ///
    /// `@unchecked Sendable`: `inbox` is locked; all other stored properties are touched by the loop's own thread alone,
    /// which starts after `init` and is the only one to run `run()`.
    final class CurlEventLoop: @unchecked Sendable {
        enum Command {
            case start(CurlTransfer)
            case cancel(CurlTransfer)
        }

        private struct Inbox {
            var commands: [Command] = []
            var isStarted = false
            var isStopped = false
            /// Whether the thread sleeps in `curl_multi_poll`, or is about to: only then a wake-up is needed.
            var isPolling = false
        }

        private let inbox = Locked(Inbox())
        private let multi: UnsafeMutableRawPointer?
        private let certificateAuthorities: String?
        private var active: [UnsafeMutableRawPointer: CurlTransfer] = [:]
        private var idleHandles: [CurlHandle] = []
        /// No transfer can time out before this. Activity only moves deadlines away, so it needs no update at every byte.
        private var nextDeadline = UInt64.max

        init(certificateAuthorities: String?) {
            _ = Self.globalInit
            self.certificateAuthorities = certificateAuthorities
            multi = curl_multi_init()
            if let multi { _ = merokit_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 512) }
        }

        /// libcurl wants this once, before anything else.
        private static let globalInit: Void = { curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()

        /// Any thread.
        func submit(_ command: Command) {
            let (start, wake, refused) = inbox.withLock { inbox -> (Bool, Bool, Bool) in
                if inbox.isStopped { return (false, false, true) }
                inbox.commands.append(command)
                let start = !inbox.isStarted
                inbox.isStarted = true
                let wake = inbox.isPolling
                inbox.isPolling = false
                return (start, wake, false)
            }
            if refused {
                if case .start(let transfer) = command { transfer.fail(.closedEngine) }
                return
            }
            if start {
                let thread = Thread { self.run() }
                thread.name = "merokit-curl"
                thread.stackSize = 512 * 1024
                thread.start()
            } else if wake, let multi {
                curl_multi_wakeup(multi)
            }
        }

        /// Any thread. What is under way ends with an error; the thread frees everything and ends.
        func stop() {
            let wasStarted = inbox.withLock { inbox -> Bool in
                inbox.isStopped = true
                return inbox.isStarted
            }
            guard let multi else { return }
            if wasStarted { curl_multi_wakeup(multi) } else { curl_multi_cleanup(multi) }
        }

        // MARK: The loop's thread

        private func run() {
            guard let multi else {
                for command in take().commands { if case .start(let transfer) = command { transfer.fail(.closedEngine) } }
                return
            }
            var running: Int32 = 0
            while true {
                let (commands, isStopped) = take()
                if isStopped { return end(commands) }
                for command in commands { handle(command) }
                curl_multi_perform(multi, &running)
                collect()
                if nextDeadline != .max { endOverdue() }
                sleep()
            }
        }

        private func take() -> (commands: [Command], isStopped: Bool) {
            inbox.withLock { inbox in
                inbox.isPolling = false
                guard !inbox.commands.isEmpty else { return ([], inbox.isStopped) }
                defer { inbox.commands.removeAll(keepingCapacity: true) }
                return (inbox.commands, inbox.isStopped)
            }
        }

        private func sleep() {
            let mayPoll = inbox.withLock { inbox -> Bool in
                guard inbox.commands.isEmpty, !inbox.isStopped else { return false }
                inbox.isPolling = true
                return true
            }
            guard mayPoll, let multi else { return }
            var timeout: Int32 = 60_000
            if nextDeadline != .max {
                let now = MonotonicClock.nanoseconds
                timeout = nextDeadline <= now ? 0 : Int32(min(60_000, (nextDeadline - now) / 1_000_000 + 1))
            }
            curl_multi_poll(multi, nil, 0, timeout, nil)
        }

        private func handle(_ command: Command) {
            switch command {
            case .start(let transfer):
                if transfer.isCancelled { return transfer.fail(nil) }
                guard let handle = idleHandles.popLast() ?? CurlHandle(certificateAuthorities: certificateAuthorities)
                else { return transfer.fail(.closedEngine) }
                if let failure = transfer.begin(on: handle) {
                    idleHandles.append(handle)
                    return transfer.fail(failure)
                }
                guard curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
                    transfer.release()
                    return transfer.fail(.closedEngine)
                }
                active[handle.easy] = transfer
                nextDeadline = min(nextDeadline, transfer.deadline)
            case .cancel(let transfer):
                transfer.isCancelled = true
                // Not started yet, or already over: the flag says all.
                guard let handle = transfer.handle else { return }
                detach(handle)
                transfer.fail(nil)
            }
        }

        /// Hands out what libcurl has finished.
        private func collect() {
            var remaining: Int32 = 0
            while let message = curl_multi_info_read(multi, &remaining) {
                guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                    let transfer = active[easy], let handle = transfer.handle
                else { continue }
                let code = message.pointee.data.result
                let outcome = transfer.outcome(code)
                detach(handle)
                transfer.finish(outcome)
            }
        }

        private func detach(_ handle: CurlHandle) {
            curl_multi_remove_handle(multi, handle.easy)
            active.removeValue(forKey: handle.easy)?.release()
            if idleHandles.count < 64 { idleHandles.append(handle) }
        }

        private func endOverdue() {
            let now = MonotonicClock.nanoseconds
            guard now >= nextDeadline else { return }
            var next = UInt64.max
            for transfer in active.values {
                if transfer.deadline <= now, let handle = transfer.handle {
                    let error = transfer.timeoutError
                    detach(handle)
                    transfer.fail(error)
                } else {
                    next = min(next, transfer.deadline)
                }
            }
            nextDeadline = next
        }

        private func end(_ commands: [Command]) {
            for transfer in active.values {
                if let handle = transfer.handle { detach(handle) }
                transfer.fail(.closedEngine)
            }
            for command in commands {
                if case .start(let transfer) = command { transfer.fail(.closedEngine) }
            }
            idleHandles = []
            if let multi { curl_multi_cleanup(multi) }
        }
    }

    extension EngineError {
        fileprivate static let closedEngine = EngineError(
            kind: .closed, mayHaveReachedNode: true, message: "The HTTP engine was closed")
    }

    /// Time that no change of the system's clock moves.
    enum MonotonicClock {
        static var nanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }
    }
#endif
