import Foundation

/// What a child process is asked to do, given to it as one argument of JSON.
enum Job: Codable {
    case calls(CallJob)
    case counted(CountedJob)
    case transfer(TransferJob)
    case decode(DecodeJob)
    case cancel(CancelJob)
    case events(EventJob)
    case idleStreams(IdleStreamsJob)
    case warrants(WarrantJob)
    case canonical(CanonicalJob)
    case sealed(SealedJob)
    case sealedClient(SealedClientJob)
    case blobs(BlobJob)
    case blobTransfer(BlobTransferJob)

    static let flag = "--worker"

    func arguments() throws -> [String] {
        [Self.flag, String(decoding: try JSONEncoder().encode(self), as: UTF8.self)]
    }

    func run() async throws -> Data {
        let encoder = JSONEncoder()
        switch self {
        case .calls(let job): return try encoder.encode(await job.run())
        case .counted(let job): return try encoder.encode(await job.run())
        case .transfer(let job): return try encoder.encode(await job.run())
        case .decode(let job): return try encoder.encode(job.run())
        case .cancel(let job): return try encoder.encode(await job.run())
        case .events(let job): return try encoder.encode(await job.run())
        case .idleStreams(let job): return try encoder.encode(await job.run())
        case .warrants(let job): return try encoder.encode(job.run())
        case .canonical(let job): return try encoder.encode(job.run())
        case .sealed(let job): return try encoder.encode(await job.run())
        case .sealedClient(let job): return try encoder.encode(await job.run())
        case .blobs(let job): return try encoder.encode(await job.run())
        case .blobTransfer(let job): return try encoder.encode(await job.run())
        }
    }
}

/// Which of MeroKit's two ways to the wire.
enum Engine: String, Codable, CaseIterable {
    /// What an app gets that names no session: libcurl on Linux.
    case standard
    case urlSession

    var name: String {
        switch self {
        case .standard: "MeroKit, default engine"
        case .urlSession: "MeroKit, URLSession engine"
        }
    }
}

/// Seconds on a clock that never jumps.
func monotonicSeconds() -> Double {
    Double(DispatchTime.now().uptimeNanoseconds) / 1e9
}

/// Seconds of the processor that this process has used.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
