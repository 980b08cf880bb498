#if canImport(CCurl)
    import CCurl
    import Dispatch

    /// Reports how far a call has come, about ten times a second, on a queue of its own so that a slow listener holds up
    /// neither the event thread nor other calls.
    final class CurlProgress {
        private var upload: Direction?
        private var download: Direction?
        private let queue: DispatchQueue

        private struct Direction {
            let listener: @Sendable (TransferProgress) -> Void
            let moved: CURLINFO
            let total: CURLINFO
            var nextReport: UInt64 = 0
        }

        private static let interval: UInt64 = 100_000_000

        /// Nil when nobody listens.
        init?(_ request: EngineRequest) {
            // First of all: nearly every call ends here, and a queue costs as much as all the rest of this.
            if request.uploadProgress == nil, request.downloadProgress == nil { return nil }
            queue = DispatchQueue(label: "mero.http.progress")
            if let listener = request.uploadProgress, request.hasBody {
                upload = Direction(
                    listener: listener, moved: CURLINFO_SIZE_UPLOAD_T, total: CURLINFO_CONTENT_LENGTH_UPLOAD_T)
            }
            // What the answer to HEAD announces never comes.
            if let listener = request.downloadProgress, request.method != "HEAD" {
                download = Direction(
                    listener: listener, moved: CURLINFO_SIZE_DOWNLOAD_T, total: CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
            }
            if upload == nil, download == nil { return nil }
        }

        func sent(_ easy: UnsafeMutableRawPointer, now: UInt64) { report(&upload, easy, now) }

        func received(_ easy: UnsafeMutableRawPointer, now: UInt64) { report(&download, easy, now) }

        /// The last reports of a call that came to its end.
        func finish(_ easy: UnsafeMutableRawPointer) {
            report(&upload, easy, .max)
            report(&download, easy, .max)
        }

        /// Runs `work` when all reports so far have been delivered.
        func afterReports(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

        private func report(_ direction: inout Direction?, _ easy: UnsafeMutableRawPointer, _ now: UInt64) {
            guard let told = direction, now >= told.nextReport else { return }
            direction?.nextReport = now &+ Self.interval
            var completed = 0
            var size = -1
            merokit_curl_get_offset(easy, told.moved, &completed)
            merokit_curl_get_offset(easy, told.total, &size)
            let progress = TransferProgress(completed: Int64(completed), total: size < 0 ? nil : Int64(size))
            queue.async { told.listener(progress) }
        }
    }
#endif
