#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    extension Parser {
        /// URLs, headers and encodings.
        static func texts() -> [Parser] {
            [
                Parser("url") { mutator in
                    let input = mutator.maybeSpoil(mutator.pick(urls), with: mutator.pick(urls))
                    _ = try? CallbackURL.check(input)
                    _ = (RelayOrigin.trimmed(input), RelayOrigin.counted(input), RelayOrigin.isLoopback(input))
                    _ = try? RelayOrigin.checked(input)
                    if let url = URL(string: input) {
                        _ = NodeDiscovery.endpoint(url, path: "admin-api/health")
                        _ = try? DeviceEnrolment.readCallback(url)
                        _ = try? WebSocketTarget(base: BaseURL(url))
                        let base = BaseURL(url)
                        if let target = try? base.target(for: mutator.maybeSpoil("/admin-api/x?y=z#f")) {
                            try check(target)
                        }
                    }
                    guard let target = RequestTarget(input) else { return .refused }
                    try check(target)
                    return .accepted
                },
                Parser("redirect") { mutator in
                    guard let target = RequestTarget("http://n.example:8080/p/q?x=y") else {
                        throw Finding("no target")
                    }
                    let location = mutator.maybeSpoil(mutator.pick(urls), with: mutator.pick(urls))
                    let answer = EngineResponse(
                        status: mutator.pick([301, 302, 303, 307, 308]), headers: ["location": location], body: Data())
                    guard let next = RedirectRule.next(after: answer, method: .get, from: target) else {
                        return .refused
                    }
                    try check(next)
                    try Finding.require(next.origin.host == "n.example", "led to \(next.url) by \(location)")
                    return .accepted
                },
                Parser("retry-after") { mutator in
                    let text = mutator.maybeSpoil(
                        mutator.pick(["3", "1e9", "Wed, 21 Oct 2015 07:28:00 GMT", "inf", "nan"]))
                    let error = HTTPError(status: 429, statusText: "", url: "", headers: ["retry-after": text])
                    guard let wait = retryAfter(of: MeroError.http(error), now: Date()) else { return .refused }
                    try Finding.require(wait >= 0, "\(wait) s to wait for \(text.debugDescription)")
                    _ = UInt64.nanoseconds(wait)
                    return .accepted
                },
                Parser("http-error") { mutator in
                    let body = mutator.maybeSpoil(
                        mutator.pick([
                            #"{"error":"no","type":"NotFound","data":{"id":1}}"#,
                            #"{"error":{"code":"busy","message":"m"}}"#,
                        ]))
                    let error = HTTPError(
                        status: mutator.pick([-1, 0, 400, 999]), url: "u", headers: [:], body: Data(body.utf8))
                    let all: [MeroError] = [.http(error), .authRevoked(reason: "x", http: error)]
                    for error in all {
                        _ = (
                            error.errorDescription, error.failureReason, error.errorType, error.errorData, error.refusal
                        )
                        _ = (AppFailure(error), RelayRefusal.of(error))
                    }
                    _ = (error.sealedRefusal?.code, RelayRefusal.reason(in: body))
                    return outcome(error.refusal)
                },
                Parser("hex") { mutator in
                    let bytes = mutator.bytes(mutator.below(80))
                    try Finding.require(Hex.decode(Hex.encode(bytes)) == bytes, "other bytes")
                    let input = mutator.maybeSpoil(Hex.encode(bytes))
                    guard let decoded = Hex.decode(input) else { return .refused }
                    try Finding.require(Hex.encode(decoded) == input.lowercased(), "written in another way")
                    return .accepted
                },
                Parser("base58") { mutator in
                    let bytes = [UInt8](repeating: 0, count: mutator.below(4)) + mutator.bytes(mutator.below(120))
                    try Finding.require(Base58.decode(Base58.encode(bytes)) == bytes, "other bytes")
                    let input = mutator.maybeSpoil(Base58.encode(bytes))
                    guard let decoded = Base58.decode(input) else { return .refused }
                    try Finding.require(Base58.encode(decoded) == input, "written in another way")
                    return .accepted
                },
                Parser("base64") { mutator in
                    let bytes = mutator.bytes(mutator.below(80))
                    try Finding.require(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "other bytes")
                    let standard = Data(bytes).base64EncodedString()
                    try Finding.require(StrictBase64.decode(standard) == bytes, "other bytes")
                    let input = mutator.maybeSpoil(standard)
                    _ = Base64URL.decode(input)
                    guard let decoded = StrictBase64.decode(input) else { return .refused }
                    // White space is passed over, and nothing else.
                    let dense = input.unicodeScalars.filter { !" \t\r\n".unicodeScalars.contains($0) }
                    let again = Data(decoded).base64EncodedString().unicodeScalars
                    try Finding.require(again.elementsEqual(dense), "written in another way")
                    return .accepted
                },
                Parser("form") { mutator in
                    let value = mutator.maybeSpoil("a b&c=d")
                    // Foundation drops a byte order mark at the beginning.
                    if value.utf8.starts(with: [0xEF, 0xBB, 0xBF]) { return .refused }
                    let pairs = FormEncoding.pairs(in: Array("k=\(FormEncoding.encode(value))&z".utf8))
                    try Finding.require(pairs.first?.value.utf8.elementsEqual(value.utf8) == true, "another value")
                    _ = FormEncoding.pairs(in: Array(mutator.maybeSpoil("a=b&c=%C3%A9&d=+&=&&%=%").utf8))
                    return .accepted
                },
                Parser("permission") { mutator in
                    let held = mutator.maybeSpoil(
                        mutator.pick(["admin", "context:execute[a,b]", "context[x]:list", "*"]))
                    let asked = mutator.maybeSpoil(mutator.pick(["context:execute[a]", "keys:list", "admin"]))
                    return PermissionScope.grants([held], asked) ? .accepted : .refused
                },
                Parser("pem-certificates") { mutator in
                    let one =
                        "-----BEGIN CERTIFICATE-----\n\(Data(IntelRoot.certificate).base64EncodedString())\n-----END CERTIFICATE-----\n"
                    return outcome(PemCertificates.parse(mutator.maybeSpoil(one + one, with: one)))
                },
            ]
        }

        /// Nothing that would change a request's head, and nothing that names another host than it says.
        private static func check(_ target: RequestTarget) throws {
            try Finding.require(
                target.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(target.url.debugDescription) in a head")
            try Finding.require((1...65_535).contains(target.origin.port), "port \(target.origin.port)")
            try Finding.require(
                target.tail.isEmpty || "/?".contains(target.tail.first ?? " "), "\(target.tail) as a tail")
            try Finding.require(target.url.hasSuffix(target.tail), "the tail is none")
            guard let again = RequestTarget(target.url) else { throw Finding("\(target.url) is no target itself") }
            try Finding.require(again == target, "\(target.url) is \(again.origin), and was \(target.origin)")
        }

        private static let urls = [
            "http://n.example:8080/p", "https://user:pw@n.example/", "HTTPS://N.Example", "http://[::1]:80/x",
            "/relative?q#f",
            "//other.example/x", "calimero://cb#access_token=a", "http://n.example:8080@evil.example/",
            "http://n.example",
            "http://n.example:8080/%2e%2e/x?a=b#c", "http://127.0.0.1:2428", "http://localhost/", "?q", "#f", "../../x",
            "http:\\\\n.example\\x", "http:///x", "javascript:alert(1)", "app.scheme+x-1:/cb",
            "http://n.example.:8080/",
            "http://xn--e1afmkfd.example", "http://n.example:08080/", "https://n.example:8080/",
        ]
    }
#endif
