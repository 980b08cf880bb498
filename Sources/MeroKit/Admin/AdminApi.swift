import Foundation

/// A node's admin API.
///
/// Reach it as `mero.admin`. Every method throws `MeroError`, or `CancellationError` when the calling task is cancelled.
/// Ids are opaque strings, 64 lower-case hex digits on current nodes. Accounts, devices and keys look the same: where an
/// account is asked for, a device's key is accepted and grants nobody anything.
///
/// A refusal is `MeroError.http`; `refusal` has the node's words. Listings show an account's session only what the account's
/// groups reach, so an empty one is a normal answer. Spec: 20 and 30.
public struct AdminApi: Sendable {
    let http: any HttpClient

    /// Calls the admin API of the node that this client is for; `Mero.admin` is one.
    public init(http: any HttpClient) { self.http = http }
}

// MARK: - How answers are read

extension AdminApi {
    /// `{"data": T}`. Throws `MeroError.emptyResponse` with the caller's name when there is no data.
    func enveloped<Payload>(
        _ endpoint: Endpoint<ApiResponse<Payload>>, _ ids: String..., query: [(name: String, value: String)] = [],
        body: HttpBody? = nil, caller: String = #function
    ) async throws -> Payload {
        let reply: ApiResponse<Payload> = try await http.send(endpoint.request(ids, query: query, body: body))
        return try reply.payload(orThrow: Self.name(caller))
    }

    /// `{"data": T or null}`.
    func nullable<Payload>(
        _ endpoint: Endpoint<NullableReply<Payload>>, _ ids: String..., caller: String = #function
    ) async throws -> Payload? {
        let reply: NullableReply<Payload> = try await http.send(endpoint.request(ids))
        return try reply.payload(orThrow: Self.name(caller))
    }

    /// The same where an empty body and a bare `null` are answers as well.
    func metadata(
        _ endpoint: Endpoint<NullableReply<MetadataRecord>?>, _ ids: String..., caller: String = #function
    ) async throws -> MetadataRecord? {
        let reply: NullableReply<MetadataRecord>? = try await http.send(endpoint.request(ids))
        return try reply?.payload(orThrow: Self.name(caller))
    }

    /// The object itself.
    func flat<Payload>(
        _ endpoint: Endpoint<Payload>, _ ids: String..., query: [(name: String, value: String)] = [],
        body: HttpBody? = nil
    ) async throws -> Payload {
        try await http.send(try endpoint.request(ids, query: query, body: body))
    }

    /// The object itself, or under `data`.
    func flat<Payload>(
        _ endpoint: Endpoint<FlatReply<Payload>>, _ ids: String..., body: HttpBody? = nil
    ) async throws -> Payload {
        let reply: FlatReply<Payload> = try await http.send(try endpoint.request(ids, body: body))
        return reply.payload
    }

    /// An answer that says nothing but that it went well.
    func done(_ endpoint: Endpoint<Empty>, _ ids: String..., body: HttpBody? = nil) async throws {
        try await http.sendVoid(try endpoint.request(ids, body: body))
    }

    /// `{"data": null}`. A 2xx answer that carries an `error` is a failure all the same: `MeroError.emptyResponse`.
    func acknowledged(
        _ endpoint: Endpoint<Empty>, _ ids: String..., body: HttpBody, caller: String = #function
    ) async throws {
        let (answer, _) = try await http.sendRaw(try endpoint.request(ids, body: body))
        guard let error = (try? JSONValue(jsonBytes: answer))?["error"]?.stringValue, !error.isEmpty else { return }
        throw MeroError.emptyResponse("\(Self.name(caller)): \(error)")
    }

    /// Whatever JSON came; `.null` for an empty body and for what is no JSON.
    func json(_ endpoint: Endpoint<JSONValue>, _ ids: String..., body: HttpBody) async throws -> JSONValue {
        let (answer, _) = try await http.sendRaw(try endpoint.request(ids, body: body))
        return (try? JSONValue(jsonBytes: answer)) ?? .null
    }

    /// `listNamespaces(offset:limit:)` without its labels.
    static func name(_ function: String) -> String { String(function.prefix { $0 != "(" }) }

    /// An object of the caller's own, `{}` for nil.
    static func object(_ members: [String: JSONValue]?) throws -> HttpBody {
        .json(try RequestEncoding.encode(object: members ?? [:]))
    }
}

extension HttpBody {
    /// `{}`: what a call says that has nothing to say.
    static var emptyObject: HttpBody { .json(Data("{}".utf8)) }
}
