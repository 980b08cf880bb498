import Foundation

extension AdminApi {
    /// Reads as the session's account, with arguments that are a JSON text: all digits of its integers survive, and those of
    /// the answer do where `T` keeps them.
    ///
    /// A method that writes is refused with an untyped 409. `null` decodes as nil, `.null` or an empty type; for any other
    /// `T` it is `MeroError.emptyResponse`. Spec: 20, section 6.6.
    public func queryContext<T: Decodable>(
        _ type: T.Type, _ contextId: String, method: String, argsJson: RawJSON
    ) async throws -> T {
        let body = IntentBody.query(method: method, arguments: Data(argsJson.text.utf8))
        let (answer, _) = try await http.sendRaw(
            try AdminEndpoints.queryContext.request([contextId], body: .json(body)))
        return try RelayAnswer.returns(try RelayAnswer.member("returns", of: answer))
    }
}
