#if canImport(CCurl)
    import CCurl
    import Foundation
    import Glibc

    /// Drives all transfers of one engine.
    ///
    /// One thread waits for sockets and does what they ask for. Other threads put commands into the inbox. A call of plain
    /// HTTP that finds nothing under way is set off by its own task instead: the thread then wakes up while the request
    /// is on its way, not before (measured: a third more calls per second, one at a time).
    ///
    /// Safe to share: the inbox has a lock; `curl_multi_wakeup` may be called by any thread; every other variable, and
    /// libcurl itself, belongs to the event thread, except between the moment in which a caller takes `isIdle` back and
    /// its `idleSignal`, when they belong to that caller. `driver` is held over each of the two, so that neither can
    /// begin before the other has ended.
    final class CurlEventLoop: @unchecked Sendable {
        private struct Inbox {
            var commands: [Command] = []
            /// The event thread waits for sockets, or is about to, and must be woken to see new commands.
            var isWaiting = false
            /// It waits for `idleSignal`, or is about to, and nothing is under way. Whoever takes this back sends it.
            var isIdle = false
            var isClosed = false
        }

        private enum Command {
            case start(CurlTransfer)
            case cancel(CurlTransfer)
        }

        private let inbox = Locked(Inbox())
        private let driver = NSLock()
        /// Only the event thread, which is no thread of the cooperative pool, waits for it.
        private let idleSignal = DispatchSemaphore(value: 0)
        private let multi: UnsafeMutableRawPointer
        private let clock = CurlClock()
        private let sockets = CurlSockets()
        private let shared = CurlShare()
        private let farewells = CurlFarewells()
        private let authorities: CurlAuthorities
        private var underWay: [CurlHandle] = []
        private var idle: [CurlHandle] = []
        private var completions: [CurlCompletion] = []
        /// No time-out can be due before; a transfer's activity only moves its own due time further away.
        private var nextTimeoutCheck = UInt64.max

        private static let lingerTime: UInt64 = 20_000
        private static let idleHandleLimit = 64
        private static let idleConnectionLimit = 128

        init?(authorities: CurlAuthorities) {
            guard CurlLibrary.isReady, let multi = curl_multi_init() else { return nil }
            self.multi = multi
            self.authorities = authorities
            merokit_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.idleConnectionLimit)
        }

        deinit {
            idle.removeAll()
            curl_multi_cleanup(multi)
        }

        /// Starts the thread. It keeps the loop alive until `close` is called.
        func start() {
            let thread = Thread { [self] in run() }
            thread.name = "mero.http"
            thread.start()
        }

        // MARK: - From any thread

        func submit(_ transfer: CurlTransfer, _ continuation: UnsafeContinuation<CurlAnswer, any Error>) {
            let mayStartInPlace = transfer.request.mayStartInPlace
            let (inPlace, refusal) = inbox.withLock { inbox -> (Bool, (any Error)?) in
                if inbox.isClosed { return (false, EngineError.engineClosed) }
                if transfer.isCancelled { return (false, CancellationError()) }
                transfer.continuation = continuation
                if mayStartInPlace && inbox.isIdle {
                    inbox.isIdle = false
                    return (true, nil)
                }
                enqueue(.start(transfer), in: &inbox)
                return (false, nil)
            }
            if let refusal { return continuation.resume(throwing: refusal) }
            guard inPlace else { return }
            // Free: the event thread sleeps until the signal.
            driver.lock()
            drive { begin(transfer) }
            let over = takeCompletions()
            driver.unlock()
            idleSignal.signal()
            for completion in over { completion.deliver() }
        }

        func cancel(_ transfer: CurlTransfer) {
            inbox.withLock { inbox in
                transfer.isCancelled = true
                // Nothing to undo once the loop is closed: every transfer has had its answer then.
                if !inbox.isClosed { enqueue(.cancel(transfer), in: &inbox) }
            }
        }

        /// Ends all transfers with `.closed` and lets the thread end. Connections close when nobody holds the loop any more.
        func close() {
            inbox.withLock { inbox in
                inbox.isClosed = true
                wake(&inbox)
            }
        }

        var isClosed: Bool { inbox.withLock { $0.isClosed } }

        private func enqueue(_ command: Command, in inbox: inout Inbox) {
            inbox.commands.append(command)
            wake(&inbox)
        }

        /// One wake-up is enough for all commands until the thread is up again.
        private func wake(_ inbox: inout Inbox) {
            if inbox.isWaiting {
                inbox.isWaiting = false
                curl_multi_wakeup(multi)
            } else if inbox.isIdle {
                inbox.isIdle = false
                idleSignal.signal()
            }
        }

        // MARK: - The event thread

        private func run() {
            blockBrokenPipeSignal()
            var isClosed = false
            while !isClosed {
                driver.lock()
                let work = takeCommands()
                isClosed = work.isClosed
                drive { execute(work.commands) }
                endTimedOut()
                if isClosed {
                    for handle in underWay { release(handle) { $0.end(.closed) } }
                    idle.removeAll()
                }
                let over = takeCompletions()
                let nothingUnderWay = underWay.isEmpty
                driver.unlock()
                for completion in over { completion.deliver() }
                if !over.isEmpty { renewIdle() }
                if nothingUnderWay && over.count > 1 { lingerForNextCalls() }
                if !isClosed { wait(nothingUnderWay) }
            }
        }

        /// One lap: what is new, what the sockets have brought, what is over. For whoever holds `driver`.
        private func drive(_ news: () -> Void) {
            clock.update()
            news()
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            collectMessages()
            answerSated()
        }

        private func takeCommands() -> (commands: [Command], isClosed: Bool) {
            inbox.withLock { inbox in
                inbox.isWaiting = false
                inbox.isIdle = false
                let commands = inbox.commands
                if !commands.isEmpty { inbox.commands = [] }
                return (commands, inbox.isClosed)
            }
        }

        private func execute(_ commands: [Command]) {
            for command in commands {
                switch command {
                case .start(let transfer): begin(transfer)
                case .cancel(let transfer):
                    if let handle = transfer.handle { release(handle) { $0.end(.cancelled) } }
                }
            }
        }

        private func begin(_ transfer: CurlTransfer) {
            guard let handle = idle.popLast() ?? newHandle() else {
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
            curl_multi_add_handle(multi, handle.easy)
            handle.position = underWay.count
            underWay.append(handle)
            nextTimeoutCheck = min(nextTimeoutCheck, handle.due)
        }

        private func newHandle() -> CurlHandle? {
            CurlHandle(
                clock: clock, sockets: sockets, shared: shared, farewells: farewells, authorities: authorities)
        }

        private func collectMessages() {
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi, &left) {
                guard message.pointee.msg == CURLMSG_DONE else { continue }
                let code = message.pointee.data.result
                var context: UnsafeMutableRawPointer?
                merokit_curl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
                guard let handle = CurlCallbacks.handle(context) else { continue }
                if handle.needsFreshConnection, beginAnew(handle) { continue }
                if code == CURLE_OK { sockets.note(handle.easy) }
                release(handle) { $0.end(code) }
            }
        }

        /// Those who have enough need not wait for the end of their connections.
        private func answerSated() {
            for handle in farewells.take() {
                guard let completion = handle.endEarly() else { continue }
                completions.append(completion)
                farewells.begin()
                if farewells.count <= EngineFarewell.most {
                    nextTimeoutCheck = min(nextTimeoutCheck, handle.due)
                } else {
                    release(handle) { $0.end(.cancelled) }
                }
            }
        }

        private func beginAnew(_ handle: CurlHandle) -> Bool {
            curl_multi_remove_handle(multi, handle.easy)
            guard (try? handle.beginAnew()) != nil else { return false }
            curl_multi_add_handle(multi, handle.easy)
            return true
        }

        /// Takes a handle away from libcurl, keeps what became of its call, and makes it ready for another.
        private func release(_ handle: CurlHandle, _ end: (CurlHandle) -> CurlCompletion) {
            curl_multi_remove_handle(multi, handle.easy)
            let isFarewell = handle.farewellEnd != nil
            let completion = end(handle)
            if isFarewell { farewells.end() } else { completions.append(completion) }
            let last = underWay.removeLast()
            if last !== handle {
                underWay[handle.position] = last
                last.position = handle.position
            }
            if idle.count < Self.idleHandleLimit { idle.append(handle) }
        }

        /// Gets ready the handles of calls that are over, while their callers go on.
        private func renewIdle() {
            driver.lock()
            defer { driver.unlock() }
            // What lies deeper is ready.
            for handle in idle.reversed() {
                guard handle.wasUsed, !CurlLibrary.canReuseHandles, (try? handle.renew()) != nil else { return }
            }
        }

        private func endTimedOut() {
            guard clock.now >= nextTimeoutCheck else { return }
            nextTimeoutCheck = .max
            for handle in underWay {
                let due = handle.due
                if due <= clock.now {
                    handle.abandonConnection()
                    release(handle) { $0.end(.timedOut) }
                } else {
                    nextTimeoutCheck = min(nextTimeoutCheck, due)
                }
            }
        }

        private func takeCompletions() -> [CurlCompletion] {
            guard !completions.isEmpty else { return [] }
            defer { completions = [] }
            return completions
        }

        /// Several callers that were answered together are back together, within microseconds: started as one batch they
        /// cost less than one by one.
        private func lingerForNextCalls() {
            clock.update()
            let end = clock.now + Self.lingerTime
            repeat {
                if inbox.withLock({ !$0.commands.isEmpty }) { return }
                sched_yield()
                clock.update()
            } while clock.now < end
        }

        private func wait(_ nothingUnderWay: Bool) {
            let mayWait = inbox.withLock { inbox in
                let mayWait = inbox.commands.isEmpty && !inbox.isClosed
                inbox.isIdle = mayWait && nothingUnderWay
                inbox.isWaiting = mayWait && !nothingUnderWay
                return mayWait
            }
            guard mayWait else { return }
            if nothingUnderWay { return idleSignal.wait() }
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

    extension EngineRequest {
        /// Whether setting the transfer off takes no more than handing a few bytes to the system. A file would be read, what
        /// takes a long body may write one, and TLS may write to a closed connection in a way that raises a signal, which
        /// only the event thread blocks.
        fileprivate var mayStartInPlace: Bool {
            if case .file = body { return false }
            if case .stream = sink, transferSize != .small { return false }
            return url.hasPrefix("http://")
        }
    }

    extension EngineError {
        static let engineClosed = EngineError(
            kind: .closed, mayHaveReachedNode: false, message: "The HTTP engine is closed")
    }
#endif
