#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    extension Parser {
        /// What the SDK has written itself, and what may have happened to it since.
        static func files() throws -> [Parser] {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("merokit-fuzz-\(getpid())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let id = String(repeating: "ab", count: 32)
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
                stored(
                    "cloud-session", CloudSession.self, folder,
                    [
                        ("account", id), ("device", id), ("credential", "02"), ("relay_url", "https://r"),
                        ("relayUrl", "https://r"),
                        ("executor_account", id), ("executorAccount", id), ("note", "n"),
                    ]),
                stored(
                    "cloud-login", CloudLoginSession.self, folder,
                    [("session_token", "t"), ("expires_at", "1"), ("user", "u")]),
                stored(
                    "delegated-session", DelegatedSession.self, folder,
                    [
                        ("account", id), ("credential", "02"), ("deviceKey", id), ("relayURL", "https://r"),
                        ("executorAccount", id),
                    ]),
                stored("pending-invitation", PendingInvitation.self, folder, [("json", "{}"), ("receivedAt", "1")]),
                stored("pending-enrolment", PendingEnrolment.self, folder, [("state", "s"), ("startedAt", "1")]),
                stored("relay-pins", [String: String].self, folder, [("https://r", id), ("http://s", id)]),
                stored("relay-map", RelayMap.Record.self, folder, [("namespaces", "{}"), ("contexts", "{}")]),
                stored(
                    "app-memory", AppMemory.self, folder,
                    [("selection", "{}"), ("node", "{}"), ("pendingNodeURL", "http://n")]),
            ]
        }

        /// A file that holds a value as JSON.
        private static func stored<Value: Codable & Sendable>(
            _ name: String, _ type: Value.Type, _ folder: URL, _ fields: [(String, String)]
        ) -> Parser {
            let url = folder.appendingPathComponent(name)
            let members = fields.map { field -> (key: String, value: JSONSpoiler) in
                if field.1 == "{}" { return (field.0, .object([("a", .string("b"))])) }
                return (field.0, Int(field.1).map { .raw(String($0)) } ?? .string(field.1))
            }
            return Parser(name) { mutator in
                let input = JSONSpoiler.object(members).spoilt(&mutator)
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
