import Foundation
import MeroKit

/// One writer: does one thing after the other, and now and then accounts for all its writes.
struct Lane: Sendable {
    /// Writes between two accounts.
    private static let batch = 40
    /// Seconds. A WebSocket that could not be opened five times running waits for a minute in all.
    private static let patience = 150.0

    let way: any WritingWay
    let book: Book
    let failures: Failures
    let findings: Findings
    let counts: Counts

    /// What is counted over all lanes.
    final class Counts: Sendable {
        struct Values: Sendable {
            var reads = 0
            var signOuts = 0
            var accounts = 0
        }

        private let values = Guarded(Values())

        func add(_ what: WritableKeyPath<Values, Int> & Sendable) { values.with { $0[keyPath: what] += 1 } }
        var all: Values { values.with { $0 } }
    }

    /// Until `isOver`, and one account more.
    func run(seed: UInt64, until isOver: @escaping @Sendable () -> Bool) async {
        var random = SeededGenerator(seed)
        while !isOver() {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<10: await read()
            case 10..<18: await writeInVain()
            case 18..<21: await renew()
            default: await write()
            }
            if book.open >= Self.batch { await account() }
            await pause(milliseconds: UInt64.random(in: 10...90, using: &random))
        }
    }

    private func arguments(_ number: Int) -> [String: JSONValue] {
        ["writer": .string(book.writer), "number": .number(Double(number))]
    }

    private func write() async {
        let number = book.next()
        do {
            let runs: Int = try await way.call("put", arguments(number))
            book.acknowledge(number)
            if runs != 1 { findings.add("\(book.writer): number \(number) ran \(runs) times when it was acknowledged") }
        } catch {
            book.note(failures.take(error, during: "\(way.name), a write,"), of: number)
            await way.recover(from: error)
        }
    }

    /// A write that the contract undoes.
    private func writeInVain() async {
        let number = book.next()
        do {
            let _: Int = try await way.call("put_and_refuse", arguments(number))
            findings.add("\(book.writer): what the contract refuses was acknowledged")
            book.note(.unknown, of: number)
        } catch let error as MeroError where error.failureReason?.contains(BookContract.refusal) == true {
            if error.errorType != "FunctionCallError" { findings.add("\(way.name): a refusal of type \(error)") }
            book.note(.refused, of: number)
        } catch {
            book.note(failures.take(error, during: "\(way.name), a write in vain,"), of: number)
            await way.recover(from: error)
        }
    }

    private func read() async {
        do {
            let _: [String: Int] = try await way.read("entries", ["writer": .string(book.writer)])
            counts.add(\.reads)
        } catch {
            failures.take(error, during: "\(way.name), a read,")
            await way.recover(from: error)
        }
    }

    /// Ends the session and begins another. Without one nothing is written.
    private func renew() async {
        if await way.signOut() {
            let number = book.next()
            do {
                let _: Int = try await way.call("put", arguments(number))
                findings.add("\(book.writer): wrote without a session")
                book.acknowledge(number)
            } catch {
                book.note(failures.take(error, during: "\(way.name), a write without a session,"), of: number)
            }
        }
        counts.add(\.signOuts)
        await way.signIn()
    }

    /// Compares what is in the context with the book, and drops it there.
    func account() async {
        let last = book.last
        let writer = JSONValue.string(book.writer)
        guard let entries = await persistently({ try await way.read("entries", ["writer": writer]) as [String: Int] })
        else { return }
        book.check(Book.numbered(entries, findings))
        let arguments = ["writer": writer, "through": .number(Double(last))]
        guard await persistently({ try await way.call("drop", arguments) as Empty? }) != nil else { return }
        book.settle(through: last)
        counts.add(\.accounts)
    }

    /// Again and again until it works; running it twice does no harm.
    private func persistently<T: Sendable>(_ call: @Sendable () async throws -> T) async -> T? {
        let end = monotonicSeconds() + Self.patience
        var last: (any Error)?
        while monotonicSeconds() < end {
            do {
                return try await call()
            } catch {
                last = error
                failures.take(error, during: "\(way.name), an account,")
                await way.recover(from: error)
                await pause(milliseconds: 20)
            }
        }
        findings.add("\(book.writer): no account within \(Int(Self.patience)) s: \(last.map { "\($0)" } ?? "no try")")
        return nil
    }
}

extension Book {
    static func numbered(_ entries: [String: Int], _ findings: Findings) -> [Int: Int] {
        var runs: [Int: Int] = [:]
        for (key, count) in entries {
            guard let number = Int(key) else {
                findings.add("a number that nobody wrote: \(key)")
                continue
            }
            runs[number] = count
        }
        return runs
    }
}
