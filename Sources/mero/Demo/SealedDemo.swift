import Foundation
import MeroDevNode
import MeroKit

/// The third act: the same calls again, sealed, so that only the node itself can read them.
struct SealedDemo: Sendable {
    typealias Outcome = DemoReporter.Outcome

    let reporter: DemoReporter
    let node: DevNode

    func run() async throws {
        try await reporter.step("sealed", "Seal a login, a write and a read, and restart the node between") {
            try await sealed()
        }
    }

    private func sealed() async throws -> Outcome<Void> {
        let context = try node.createContext(KeyValueContract())
        let attestations = Locked(0)
        let sealing = Sealing.node(at: node.url, verifier: Counting(count: attestations))
        let mero = Mero(config: MeroConfig(baseURL: node.url, httpOptions: HttpOptions(sealing: sealing)))
        node.clearRequests()
        _ = try await mero.authenticate(Credentials(username: DevCommand.user, password: DevCommand.password))
        let _: JSONValue = try await mero.rpc.execute(
            contextId: context, method: "set", argsJson: ["key": "letter", "value": "for your eyes only"])
        node.sealed.renewTransportKey()
        let read: String = try await mero.rpc.execute(contextId: context, method: "get", argsJson: ["key": "letter"])
        guard read == "for your eyes only" else {
            throw Failure.mismatch(expected: "\"for your eyes only\"", got: "\"\(read)\"")
        }
        let paths = node.requests.map(\.path)
        let sealed = paths.filter { $0.hasPrefix("/sealed/v2") }
        guard paths.allSatisfy({ $0.hasPrefix("/sealed/v2") || $0 == "/admin-api/tee/attest" }) else {
            throw Failure.mismatch(expected: "nothing in the clear", got: paths.joined(separator: ", "))
        }
        let count = attestations.withLock { $0 }
        guard count == 2 else { throw Failure.mismatch(expected: "2 attestations", got: "\(count)") }
        return Outcome(
            value: (),
            says: "\(sealed.count) requests, all to /sealed/v2; the new key after the restart was attested by itself "
                + "(mock quotes here: a real enclave signs them)",
            facts: [
                .init(name: "sealedRequests", value: .integer(Int64(sealed.count))),
                .init(name: "attestations", value: .integer(Int64(count))),
            ])
    }

    private struct Counting: TransportQuoteVerifier {
        let count: Locked<Int>

        var includeCollateral: Bool { false }

        func verify(
            quoteB64: String, nonce: String, reportDataSuffix: String, collateral: JSONValue?
        ) async throws -> Bool {
            count.withLock { $0 += 1 }
            return try await LoopbackQuoteVerifier().verify(
                quoteB64: quoteB64, nonce: nonce, reportDataSuffix: reportDataSuffix, collateral: collateral)
        }
    }
}
