import Foundation

/// The auth service's envelopes.
///
/// Spec: 10, sections 1.4 and 8.
enum AuthReply {
    static func success(_ data: JsonTree, headers: [(String, String)] = []) -> DevHttpResponse {
        .json(200, ["data": data, "error": .null], headers: headers)
    }

    static func failure(
        _ status: Int, _ text: String, authError: String? = nil, headers: [(String, String)] = []
    ) -> DevHttpResponse {
        .json(
            status, ["data": .null, "error": .string(text)],
            headers: (authError.map { [("x-auth-error", $0)] } ?? []) + headers)
    }

    static func tokens(_ pair: DevTokens, headers: [(String, String)] = []) -> DevHttpResponse {
        success(
            [
                "access_token": .string(pair.accessToken), "refresh_token": .string(pair.refreshToken),
                "error": .null,
            ], headers: headers)
    }
}

/// An answer thrown to end a handler early.
struct EarlyReply: Error {
    var response: DevHttpResponse
    init(_ response: DevHttpResponse) { self.response = response }
}

/// The auth service's JSON extractor.
enum AuthBody {
    /// Throws `EarlyReply`.
    static func read(_ request: DevHttpRequest, allowed: [String], limit: Int) throws -> JsonFields {
        guard request.bodyLength <= UInt64(limit) else {
            throw EarlyReply(.bodyTooLarge)
        }
        guard request.hasJsonContentType else {
            throw invalid("Expected request with `Content-Type: application/json`")
        }
        guard let body = request.wholeBody else { throw invalid("the body could not be read") }
        do {
            return try JsonFields(JsonParser.parse(body), allowed: allowed)
        } catch {
            throw invalid("\(error)")
        }
    }

    /// Turns a wrong field into the extractor's answer.
    static func field<Value>(_ read: () throws -> Value) throws -> Value {
        do { return try read() } catch { throw invalid("\(error)") }
    }

    static func nonEmpty(_ fields: JsonFields, _ name: String) throws -> String {
        let text = try field { try fields.string(name) }
        guard !text.isEmpty else { throw EarlyReply(shape(422, "Validation error: \(name): must not be empty")) }
        return text
    }

    private static func invalid(_ text: String) -> EarlyReply { EarlyReply(shape(400, "Invalid JSON: \(text)")) }

    private static func shape(_ status: Int, _ text: String) -> DevHttpResponse {
        .json(status, ["error": .string(text), "status": JsonTree(status)])
    }
}

enum Sanitize {
    /// Letters, digits, `-` and `_` of an identifier.
    static func identifier(_ text: String) -> String {
        String(
            text.unicodeScalars.filter {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) || $0 == "-" || $0 == "_"
            })
    }

    /// The printable ASCII of a free string.
    static func text(_ text: String) -> String {
        String(text.unicodeScalars.filter { (0x20...0x7e).contains($0.value) })
    }
}
