import Foundation
import MeroDevNode
import MeroKit

/// Waits on loopback for what the wallet returns, once.
///
/// ```swift
/// let callback = try await WalletCallback.start(port: 0)
/// let page = try await signIn.beginEnrolment(callbackURL: callback.url)
/// callback.expect(state: state, wallet: page)
/// let answer = try await callback.answer(within: 300)
/// await callback.end(saying: "You are signed in.")
/// ```
/// Other programs and other users of this machine can reach the port, and so can any web page: the path is one that only
/// the wallet is told, the answer has to carry this sign-in's state, and requests of other origins are refused.
final class WalletCallback: Sendable {
    private let server: DevHttpServer
    private let desk: CallbackDesk

    private init(port: UInt16) {
        let desk = CallbackDesk()
        self.desk = desk
        var options = DevServerOptions()
        // Nothing that arrives is kept.
        options.recordLimit = 0
        options.bodyLimit = { _ in 64 << 10 }
        server = DevHttpServer(port: port, options: options) { await desk.answer($0) }
    }

    /// Throws `Failure` when the port cannot be used. 0 takes a free one.
    static func start(port: UInt16) async throws -> WalletCallback {
        let callback = WalletCallback(port: port)
        do {
            try await callback.server.start()
        } catch {
            throw Failure(
                code: .localFile, message: "The wallet's answer cannot be waited for on port \(port)",
                hint: "Another program may use the port: give another one, or none, with --port")
        }
        callback.desk.port.withLock { $0 = callback.server.port }
        return callback
    }

    /// Where the wallet returns to.
    var url: String { "http://127.0.0.1:\(server.port)\(desk.callbackPath)" }

    /// Leads to the wallet once, so that the wallet's address, which has the state in it, is not among the processes.
    var startURL: String { "http://127.0.0.1:\(server.port)\(desk.startPath)" }

    /// From now on an answer with this state is taken, and `startURL` leads there.
    func expect(state: String, wallet: URL) { desk.expect(state: state, wallet: wallet) }

    /// The first answer that belongs to this sign-in. Throws `AccountError.enrolmentDeclined` when the wallet said no,
    /// `Failure` when nothing came in time, `CancellationError`.
    ///
    /// - Parameter pasted: What the person pastes, for a browser that cannot reach this machine: its address bar has it all.
    ///   Nil at the end of the input. Lines that are something else are complained about.
    func answer(
        within seconds: TimeInterval, pasted: (@Sendable () async throws -> String?)? = nil,
        complain: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> EnrolmentCallback {
        let answers = desk.answers
        return try await withThrowingTaskGroup(of: EnrolmentCallback.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                for await answer in answers { return try answer.get() }
                throw CancellationError()
            }
            if let pasted {
                group.addTask { [desk] in
                    while let line = try await pasted() {
                        guard !line.isEmpty else { continue }
                        let fragment = line.firstIndex(of: "#").map { String(line[$0...]) } ?? line
                        switch try desk.read(fragment) {
                        case .right(let callback): return callback
                        case .wrong(let complaint): complain(complaint)
                        }
                    }
                    // Nothing more can be pasted; the page can still answer.
                    while true { try await Task.sleep(nanoseconds: 3_600_000_000_000) }
                }
            }
            group.addTask {
                try await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
                throw Failure(
                    code: .unreachable, message: "The wallet did not answer within \(Int(seconds)) seconds",
                    hint: "Run the command again; --wait gives more time")
            }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    /// Tells the page how it ended, and stops once the page has heard it.
    func end(saying text: String) async {
        desk.conclude(text)
        // Every answer closes its connection. A browser may hold open others that carry nothing.
        for _ in 0..<100 where server.openConnections > 0 && !Task.isCancelled {
            try? await Task.sleep(nanoseconds: 10_000_000)
        }
        await server.stop()
    }
}

/// What is answered to whom.
private final class CallbackDesk: Sendable {
    private struct State {
        var expected: String?
        var wallet: URL?
        var wasOpened = false
        var isAnswered = false
    }

    let port = Locked<UInt16>(0)
    let callbackPath = "/enrolled/\(Hex.encode(randomBytes(16)))"
    let startPath = "/wallet/\(Hex.encode(randomBytes(16)))"
    let answers: AsyncStream<Result<EnrolmentCallback, any Error>>
    private let answered: AsyncStream<Result<EnrolmentCallback, any Error>>.Continuation
    private let conclusions: AsyncStream<String>
    private let concluded: AsyncStream<String>.Continuation
    private let state = Locked(State())

    init() {
        (answers, answered) = AsyncStream.makeStream(of: Result<EnrolmentCallback, any Error>.self)
        (conclusions, concluded) = AsyncStream.makeStream(of: String.self)
    }

    func expect(state expected: String, wallet: URL) {
        state.withLock {
            $0.expected = expected
            $0.wallet = wallet
        }
    }

    func conclude(_ text: String) {
        concluded.yield(text)
        concluded.finish()
    }

    func answer(_ request: DevHttpRequest) async -> DevHttpResponse {
        let origin = "http://127.0.0.1:\(port.withLock { $0 })"
        // A name that was pointed here would let another site in.
        guard "http://\(request.headers["host"] ?? "")" == origin else { return CallbackPage.text(421, "Not here.") }
        switch (request.method, request.path) {
        case ("GET", startPath): return start(request)
        case ("GET", callbackPath): return CallbackPage.page(nonce: Hex.encode(randomBytes(16)))
        case ("POST", callbackPath):
            guard request.headers["origin"].map({ $0 == origin }) ?? true else {
                return CallbackPage.text(403, "Only this page may answer.")
            }
            return await take(request.body)
        default: return CallbackPage.text(404, "There is nothing here.")
        }
    }

    private func start(_ request: DevHttpRequest) -> DevHttpResponse {
        // Fetched in case somebody opens it; the person has not.
        if (request.headers["sec-purpose"] ?? request.headers["purpose"])?.contains("prefetch") == true {
            return CallbackPage.text(503, "Open this page to go on.")
        }
        let (wallet, ends) = state.withLock { state -> (URL?, Bool) in
            guard !state.wasOpened else {
                defer { state.isAnswered = true }
                return (nil, !state.isAnswered)
            }
            state.wasOpened = state.wallet != nil
            return (state.wallet, false)
        }
        guard let wallet else {
            // One of the two who opened it may be somebody else, and it is not known which one goes to the wallet.
            if ends {
                answered.yield(.failure(Self.openedTwice))
                answered.finish()
            }
            return CallbackPage.text(
                410, "This page leads to the wallet once, and it was opened before. mero has ended: run it again.")
        }
        return CallbackPage.redirect(to: wallet)
    }

    private static let openedTwice = Failure(
        code: .refused,
        message: "The page that leads to the wallet was opened twice, the first time maybe by somebody else",
        hint: "Nothing was changed: run the command again, and open the page once")

    enum Reading {
        case right(EnrolmentCallback)
        /// Why it is not what is waited for.
        case wrong(String)
    }

    /// Reads what the wallet put behind the `#`. Throws `AccountError.enrolmentDeclined` when the wallet said no.
    func read(_ fragment: String) throws -> Reading {
        guard let callback = try DeviceEnrolment.readCallback(fragment: fragment) else {
            return .wrong("The wallet brought no certificate. Run mero cloud login again.")
        }
        guard let expected = state.withLock({ $0.expected }), callback.state == expected else {
            return .wrong("This belongs to another sign-in.")
        }
        return .right(callback)
    }

    private func take(_ body: Data) async -> DevHttpResponse {
        let answer: Result<EnrolmentCallback, any Error>
        do {
            // Anything else leaves the wait as it is: the right answer can still come.
            switch try read(String(decoding: body, as: UTF8.self)) {
            case .right(let callback): answer = .success(callback)
            case .wrong(let complaint): return CallbackPage.text(400, complaint)
            }
        } catch {
            answer = .failure(error)
        }
        let isFirst = state.withLock { state in
            defer { state.isAnswered = true }
            return !state.isAnswered
        }
        guard isFirst else { return CallbackPage.text(409, "mero has an answer already. Look into its terminal.") }
        answered.yield(answer)
        answered.finish()
        for await text in conclusions { return CallbackPage.text(200, text) }
        return CallbackPage.text(503, "mero was stopped.")
    }
}
