#if canImport(CCurl)
    import CCurl
    import Foundation
    import Glibc

    /// The thread that all WebSockets of the process share: connects them, waits for them, and lets each do its work.
    ///
    /// Safe to share: the inbox has a lock, and `curl_multi_wakeup` is only called under it, while the handle exists; every
    /// other variable belongs to the thread.
    final class CurlWebSocketLoop: @unchecked Sendable {
        static let shared = CurlWebSocketLoop()

        private struct Inbox {
            var arrivals: [CurlWebSocket] = []
            var hasNews = false
            /// Set while the thread runs.
            var multi: UnsafeMutableRawPointer?
        }

        private let inbox = Locked(Inbox())
        private var sockets: [CurlWebSocket] = []
        private var scratch = [UInt8](repeating: 0, count: 64 << 10)

        /// Whether its thread runs.
        var isRunning: Bool { inbox.withLock { $0.multi != nil } }

        // MARK: - From any thread

        /// Takes a socket on, starting the thread if need be. False when libcurl cannot work.
        func add(_ socket: CurlWebSocket) -> Bool {
            inbox.withLock { inbox in
                if inbox.multi == nil {
                    guard CurlLibrary.isReady, let multi = curl_multi_init() else { return false }
                    inbox.multi = multi
                    let handle = SendableHandle(multi)
                    let thread = Thread { [self] in run(handle) }
                    thread.name = "mero.websocket"
                    thread.start()
                }
                inbox.arrivals.append(socket)
                wake(&inbox)
                return true
            }
        }

        /// Lets every socket look for what it has been asked to do.
        func wake() { inbox.withLock { wake(&$0) } }

        private func wake(_ inbox: inout Inbox) {
            guard !inbox.hasNews, let multi = inbox.multi else { return }
            inbox.hasNews = true
            curl_multi_wakeup(multi)
        }

        private struct SendableHandle: @unchecked Sendable {
            // Safe to share: it is handed to the thread that owns it from then on.
            let multi: UnsafeMutableRawPointer
            init(_ multi: UnsafeMutableRawPointer) { self.multi = multi }
        }

        // MARK: - The thread

        private func run(_ handle: SendableHandle) {
            let multi = handle.multi
            blockBrokenPipeSignal()
            while true {
                let arrivals = inbox.withLock { inbox in
                    defer { inbox.arrivals = [] }
                    inbox.hasNews = false
                    return inbox.arrivals
                }
                for socket in arrivals where socket.begin(multi) { sockets.append(socket) }
                if sockets.contains(where: \.isConnecting) { connect(multi) }
                let now = DispatchTime.now().uptimeNanoseconds
                for socket in sockets { socket.work(now, &scratch) }
                sockets.removeAll { socket in
                    guard socket.isFinished else { return false }
                    socket.release(multi)
                    return true
                }
                if sockets.isEmpty, end(multi) { return }
                wait(multi, now)
            }
        }

        private func connect(_ multi: UnsafeMutableRawPointer) {
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi, &left) {
                guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
                let code = message.pointee.data.result
                sockets.first { $0.easy == easy }?.connected(code)
            }
        }

        /// False when a socket has come in the meantime.
        private func end(_ multi: UnsafeMutableRawPointer) -> Bool {
            let isOver = inbox.withLock { inbox in
                guard inbox.arrivals.isEmpty else { return false }
                inbox.multi = nil
                inbox.hasNews = false
                return true
            }
            if isOver { curl_multi_cleanup(multi) }
            return isOver
        }

        private func wait(_ multi: UnsafeMutableRawPointer, _ now: UInt64) {
            var deadline = UInt64.max
            var waits: [curl_waitfd] = []
            var waiting: [CurlWebSocket] = []
            waits.reserveCapacity(sockets.count)
            waiting.reserveCapacity(sockets.count)
            for socket in sockets {
                deadline = min(deadline, socket.deadline)
                guard let interest = socket.interest else { continue }
                waits.append(interest)
                waiting.append(socket)
            }
            let left = deadline > now ? (deadline - now) / 1_000_000 : 0
            // Rounded up: waking a moment too early would mean one more lap for nothing.
            let milliseconds = deadline <= now ? 0 : Int32(min(left + 1, 60_000))
            if curl_multi_poll(multi, &waits, UInt32(waits.count), milliseconds, nil) != CURLM_OK {
                // Out of memory or descriptors. Never spin.
                usleep(10_000)
            }
            for (socket, wait) in zip(waiting, waits) where wait.revents != 0 { socket.isReady = true }
        }

        /// A write to a connection that the other side closed must be an error, not the end of the process.
        private func blockBrokenPipeSignal() {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        }
    }
#endif
