import Foundation
import MeroKit

// The files of the tutorial, word for word. `scripts/examples` builds and runs them as a package of their own.

enum TutorialSamples {
    /// The tasks of a context. It does not know whether a node or a relay is at the other end.
    struct TaskList {
        let client: MeroTransportClient
        let contextId: String

        func add(_ title: String) async throws {
            let key = "task/\(UUID().uuidString)"
            let _: Empty = try await client.rpc.execute(
                contextId: contextId, method: "set", argsJson: ["key": .string(key), "value": .string(title)])
        }

        func all() async throws -> [String] {
            let entries: [String: String] = try await client.rpc.execute(
                contextId: contextId, method: "entries", argsJson: [:])
            return entries.filter { $0.key.hasPrefix("task/") }.values.sorted()
        }

        /// Calls `show` with all tasks, now and whenever somebody changed them.
        func watch(_ show: ([String]) -> Void) async throws {
            let (statuses, report) = AsyncStream.makeStream(
                of: EventStreamStatus.self, bufferingPolicy: .bufferingNewest(1))
            let events = try client.events.events(contextIds: [contextId]) { report.yield($0) }
            // What is added before events flow would be missed: read after that, or when they cannot flow.
            for await status in statuses {
                let isDecided = [.active, .refused].contains(status.contexts[contextId])
                if isDecided || [.waiting, .ended].contains(status.connection) { break }
            }
            show(try await all())
            for try await event in events where event.isGap || event.kind == "StateMutation" {
                show(try await all())
            }
        }
    }

    struct People {
        /// Ana has a node, and signs in to it.
        func ana(at node: URL) async throws -> MeroTransportClient {
            let mero = Mero(config: MeroConfig(baseURL: node))
            try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
            return MeroTransportClient(mero: mero)
        }

        /// Ben has none. His device is certified and joins at the first start; `folder` keeps it for the next ones.
        func ben(at relayURL: URL, invitation: String, folder: URL) async throws -> MeroTransportClient {
            func file<Value: Codable & Sendable>(_ name: String) -> AnyValueStore<Value> {
                AnyValueStore(FileValueStore(url: folder.appendingPathComponent(name)))
            }
            let keys = try DeviceKeys.stored(in: file("device.json"))
            let accounts = DelegatedAccountStore(credentials: file("account.json"), sessions: file("session.json"))
            let nonces = FileWarrantNonceStore(directory: folder.appendingPathComponent("nonces"))
            let account: DelegatedCredential
            if let known = try accounts.read() {
                account = known.credential
            } else {
                let root = AccountRoot.generate()
                let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
                let certificate = try root.certify(
                    device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
                account = DelegatedCredential(
                    account: root.accountId, credential: certificate, deviceKey: keys.signPublicKey)
                let outcome = try await AccountJoin.join(
                    invitation: SignedGroupOpenInvitation(pasted: invitation), at: relayURL.absoluteString,
                    credential: account, keys: keys, nonces: nonces)
                accounts.save(DelegatedSession(credential: account).moved(to: outcome.relayUrl))
                print("Ben's recovery phrase, shown this once:", root.phrase)
            }
            let relay = RelayClient(
                relayURL: relayURL.absoluteString, authorAccount: account.account, authorProof: account.credential,
                keys: keys, nonces: nonces)
            let proof = ProofCredential(credential: account.credential, keys: keys)
            return try MeroTransportClient(.relay(RelayTransportConfig(relay: relay, proof: proof)))
        }
    }

    static func main() async throws {
        let tutorial = TutorialSamples.People()
        func ana(at node: URL) async throws -> MeroTransportClient { try await tutorial.ana(at: node) }
        func ben(at node: URL, invitation: String, folder: URL) async throws -> MeroTransportClient {
            try await tutorial.ben(at: node, invitation: invitation, folder: folder)
        }
        let set = ProcessInfo.processInfo.environment
        let words = CommandLine.arguments.dropFirst()
        guard let node = set["TASKS_NODE"].flatMap(URL.init(string:)), let contextId = set["TASKS_CONTEXT"],
            let person = words.first
        else {
            print("usage: TASKS_NODE=... TASKS_CONTEXT=... tasks ana|ben [add TITLE | watch]")
            exit(2)
        }
        do {
            let client =
                person == "ben"
                ? try await ben(
                    at: node, invitation: set["TASKS_INVITATION"] ?? "", folder: URL(fileURLWithPath: "ben-device"))
                : try await ana(at: node)
            let tasks = TaskList(client: client, contextId: contextId)
            switch words.dropFirst().first {
            case "add":
                try await tasks.add(words.dropFirst(2).joined(separator: " "))
                print(try await tasks.all())
            case "watch":
                try await tasks.watch { titles in
                    print(titles)
                    fflush(nil)  // into a pipe as well
                }
            default:
                print(try await tasks.all())
            }
        } catch {
            // The contract's or the node's own words, where there are some.
            print("tasks:", (error as? MeroError)?.failureReason ?? error.localizedDescription)
            exit(1)
        }
    }
}
