import Foundation

/// One HTTP call of the SDK, declared as data.
///
/// Every call stands in a table (`AuthEndpoints.all`, ...), so that tests can hold the tables against the spec and
/// against the routes of the dev node.
struct Endpoint<Reply: Decodable>: EndpointDescription {
    let method: HTTPMethod
    /// The path with its variable segments in braces: `/admin/keys/{keyId}`.
    let template: String
    /// See `HttpRequest.sendOnce`.
    let sendOnce: Bool
    /// Seconds, nil for the client's own.
    let timeout: TimeInterval?
    /// See `HttpRequest.isBrief`.
    let isBrief: Bool

    init(
        _ method: HTTPMethod, _ template: String, reply: Reply.Type = Reply.self, sendOnce: Bool = false,
        timeout: TimeInterval? = nil, isBrief: Bool = false
    ) {
        self.method = method
        self.template = template
        self.sendOnce = sendOnce
        self.timeout = timeout
        self.isBrief = isBrief
    }

    /// The request for these ids, in the order of the template's braces.
    ///
    /// Throws `MeroError.network("Invalid URL: ...")` for an id that would name another route.
    func request(
        _ ids: [String] = [], query: [(name: String, value: String)] = [], body: HttpBody? = nil
    ) throws -> HttpRequest {
        var request = HttpRequest(
            path: try PathTemplate.fill(template, ids) + PathTemplate.query(query), method: method, body: body,
            headers: ["Accept": "application/json"], timeout: timeout)
        request.sendOnce = sendOnce
        request.isBrief = isBrief
        return request
    }
}

/// What can be told of an endpoint without its reply type.
protocol EndpointDescription: Sendable {
    var method: HTTPMethod { get }
    var template: String { get }
    var sendOnce: Bool { get }
    var timeout: TimeInterval? { get }
}

/// Paths from templates, each id as exactly one segment.
enum PathTemplate {
    static func fill(_ template: String, _ ids: [String]) throws -> String {
        guard template.contains("{") else { return template }
        var remaining = ids[...]
        var segments: [String] = []
        for bytes in template.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let segment = Substring(bytes)
            guard segment.first == "{" else {
                segments.append(String(segment))
                continue
            }
            let id = remaining.popFirst() ?? ""
            guard !["", ".", ".."].contains(id), !isRoute(id, below: segments) else {
                let path = template.replacingOccurrences(of: String(segment), with: id)
                throw MeroError.network("Invalid URL: \(path)")
            }
            segments.append(percentEncoded(id))
        }
        return segments.joined(separator: "/")
    }

    /// Words that stand where ids do: with `sync` for a context, joining it would be syncing a context called `join`.
    static let words: [String: Set<String>] = [
        "contexts": ["sync", "for-application", "with-executors"], "namespaces": ["for-application"],
        "groups": ["join"],
    ]

    /// Whether an id right behind these segments would name another route. Spec: 00, ruling 16.
    private static func isRoute(_ id: String, below segments: [String]) -> Bool {
        guard segments.count == 3, segments[1] == "admin-api" else { return false }
        return words[segments[2]]?.contains(id) ?? false
    }

    static func query(_ items: [(name: String, value: String)]) -> String {
        if items.isEmpty { return "" }
        return "?" + items.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
    }

    /// Everything but `A-Z a-z 0-9 - . _ ~`, byte by byte.
    static func percentEncoded(_ text: String) -> String {
        // Ids are hexadecimal, nearly always.
        if text.utf8.allSatisfy(isUnreserved) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var output: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            return true
        default: return false
        }
    }
}

extension HttpClient {
    /// Sends an endpoint's request and decodes its whole answer.
    func call<Reply>(
        _ endpoint: Endpoint<Reply>, _ ids: String..., query: [(name: String, value: String)] = []
    ) async throws -> Reply {
        try await send(try endpoint.request(ids, query: query))
    }

    /// The same with a JSON body.
    func call<Reply>(_ endpoint: Endpoint<Reply>, _ ids: String..., json: some Encodable) async throws -> Reply {
        try await send(try endpoint.request(ids, body: .encoding(json)))
    }
}

extension ApiResponse {
    /// The payload, or `MeroError.emptyResponse` with this text when the node sent none.
    func payload(orThrow text: String) throws -> T {
        guard let data else { throw MeroError.emptyResponse(text) }
        return data
    }
}
