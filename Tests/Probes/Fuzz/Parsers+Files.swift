#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    extension Parser {
        /// What the SDK has written itself, and what may have happened to it since.
        static func files() throws -> [Parser] {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("merokit-fuzz-\(getpid())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let id = String(repeating: "ab", count: 32)
            var record = RelayMap.Record()
            record.namespaces[id] = "https://r"
            record.contexts[id] = "https://r"
            var memory = AppMemory()
            memory.selection = AppSelection(contextId: id, contextIdentity: id, applicationId: id)
            memory.node = AppMemory.Node(url: "http://n", username: "u")
            memory.pendingNodeURL = "http://n"
            return [
                Parser("token-file") { mutator in
                    let url = folder.appendingPathComponent("tokens")
                    let tree = JSONSpoiler.object([
                        ("access_token", .string("a.b.c")), ("refresh_token", .string("r")),
                        ("expires_at", .raw("1790000000000")),
                    ])
                    try write(tree.spoilt(&mutator), to: url)
                    let store = FileTokenStore(url: url)
                    guard let tokens = store.getTokens() else { return .refused }
                    let again = try MeroJSON.decode(TokenData.self, from: MeroJSON.encode(tokens))
                    let isNear = abs(again.expiresAt.timeIntervalSince(tokens.expiresAt)) < 1
                    try Finding.require(
                        again.accessToken == tokens.accessToken && again.refreshToken == tokens.refreshToken && isNear,
                        "other tokens when stored and read")
                    return .accepted
                },
                Parser("nonce-file") { mutator in
                    let store = FileWarrantNonceStore(directory: folder.appendingPathComponent("nonces"))
                    _ = store.next(relay: "http://r")
                    let name = Hex.encode(sha256(Data("http://r".utf8)))
                    let last = mutator.number()
                    let content = mutator.maybeSpoil(String(last))
                    try write(Array(content.utf8), to: store.directory.appendingPathComponent(name))
                    let isSpent = store.isSpent(relay: "http://r")
                    let next = store.next(relay: "http://r")
                    if content == String(last) {
                        try Finding.require(next == (last == .max ? 0 : last + 1), "\(next) after \(last)")
                    }
                    try Finding.require(isSpent == (next == 0), "spent: \(isSpent), next: \(next)")
                    return next == 1 ? .refused : .accepted
                },
                try stored("device-keys", DeviceKeys.generate(), folder),
                try stored(
                    "cloud-session",
                    CloudSession(
                        account: id, device: id, credential: "02", relayUrl: "https://r", executorAccount: id, note: "n"
                    ),
                    folder),
                try stored(
                    "cloud-login",
                    CloudLoginSession(
                        sessionToken: "t", expiresAt: 1, user: CloudUser(email: "e", name: "n", picture: "p")), folder),
                try stored(
                    "delegated-session",
                    DelegatedSession(
                        credential: DelegatedCredential(account: id, credential: "02", deviceKey: id),
                        relayURL: "https://r", executorAccount: id), folder),
                try stored("pending-enrolment", PendingEnrolment(state: "s", startedAt: Date()), folder),
                try stored("relay-pins", ["https://r": id, "http://s": id], folder),
                try stored("relay-map", record, folder), try stored("app-memory", memory, folder),
            ]
        }

        /// A file that holds a value as JSON.
        private static func stored<Value: Codable & Sendable>(
            _ name: String, _ value: Value, _ folder: URL
        ) throws -> Parser {
            let url = folder.appendingPathComponent(name)
            let tree = try JSONSpoiler(text: MeroJSON.encode(value))
            return Parser(name) { mutator in
                let input = tree.spoilt(&mutator)
                // Most of the work would be the system's: the file itself is only now and then part of it.
                let value: Value?
                if mutator.once(in: 10) {
                    try write(input, to: url)
                    let store = FileValueStore<Value>(url: url)
                    value = store.load()
                    let strict = try? store.read()
                    try Finding.require(
                        (value == nil) == (strict == nil), "loaded: \(value != nil), read: \(strict != nil)")
                } else {
                    value = try? MeroJSON.decode(Value.self, from: Data(input))
                }
                guard let value else { return .refused }
                let text = try MeroJSON.encode(value)
                let again = try MeroJSON.encode(try MeroJSON.decode(Value.self, from: text))
                try Finding.require(
                    try JSONValue(jsonBytes: text) == JSONValue(jsonBytes: again), "another value when stored and read")
                return .accepted
            }
        }

        private static func write(_ bytes: [UInt8], to url: URL) throws {
            let path = url.path
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Finding("\(path) cannot be written") }
            defer { close(descriptor) }
            let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard written == bytes.count else { throw Finding("\(path) was not written") }
        }
    }
#endif
