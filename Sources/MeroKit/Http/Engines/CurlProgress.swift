#if canImport(CCurl)
    import CCurl
    import Dispatch

    /// Reports how far a call has come, about ten times a second, on a queue of its own so that a slow listener holds up
    /// neither the event thread nor other calls.
    final class CurlProgress {
        private let upload: (@Sendable (TransferProgress) -> Void)?
        private let download: (@Sendable (TransferProgress) -> Void)?
        private let queue = DispatchQueue(label: "mero.http.progress")
        private var lastReport: UInt64 = 0
        private static let interval: UInt64 = 100_000_000

        /// Nil when nobody listens.
        init?(_ request: EngineRequest) {
            guard request.uploadProgress != nil || request.downloadProgress != nil else { return nil }
            upload = request.uploadProgress
            download = request.downloadProgress
        }

        func moved(_ easy: UnsafeMutableRawPointer, now: UInt64) {
            guard now >= lastReport + Self.interval else { return }
            lastReport = now
            report(easy)
        }

        /// The last report of a call that came to its end.
        func finish(_ easy: UnsafeMutableRawPointer) { report(easy) }

        /// Runs `work` when all reports so far have been delivered.
        func afterReports(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

        private func report(_ easy: UnsafeMutableRawPointer) {
            deliver(easy, to: upload, moved: CURLINFO_SIZE_UPLOAD_T, total: CURLINFO_CONTENT_LENGTH_UPLOAD_T)
            deliver(easy, to: download, moved: CURLINFO_SIZE_DOWNLOAD_T, total: CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        }

        private func deliver(
            _ easy: UnsafeMutableRawPointer, to listener: (@Sendable (TransferProgress) -> Void)?, moved: CURLINFO,
            total: CURLINFO
        ) {
            guard let listener else { return }
            var completed = 0
            var size = -1
            merokit_curl_get_offset(easy, moved, &completed)
            merokit_curl_get_offset(easy, total, &size)
            let progress = TransferProgress(completed: Int64(completed), total: size < 0 ? nil : Int64(size))
            queue.async { listener(progress) }
        }
    }
#endif
