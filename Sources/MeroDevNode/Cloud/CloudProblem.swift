import Foundation

/// A refusal as the cloud's framework writes it.
///
/// Spec: 70, section 2.3.
struct CloudProblem: Error, Sendable, Equatable {
    var status: Int
    var detail: JsonTree

    /// `{"detail":"text"}`
    init(_ status: Int, _ text: String) {
        self.status = status
        detail = .string(text)
    }

    /// `{"detail":{"error":"code","message":"text"}}`
    init(_ status: Int, code: String, _ message: String) {
        self.status = status
        detail = ["error": .string(code), "message": .string(message)]
    }

    private init(_ status: Int, detail: JsonTree) {
        self.status = status
        self.detail = detail
    }

    /// What validation says: a list, which carries no code.
    static func invalid(_ place: [JsonTree], type: String, _ message: String, input: JsonTree) -> CloudProblem {
        CloudProblem(
            422,
            detail: [
                ["type": .string(type), "loc": .array(place), "msg": .string(message), "input": input]
            ])
    }

    static func proof(_ reason: String) -> CloudProblem { CloudProblem(403, "Ownership proof failed: \(reason)") }

    static let notAuthenticated = CloudProblem(401, "Not authenticated")
    static let invalidSession = CloudProblem(401, "Invalid or expired session")
    static let unknownNamespace = CloudProblem(404, "Namespace not found")

    var response: DevHttpResponse {
        var response = DevHttpResponse.json(status, ["detail": detail])
        if status == 401 { response.headers.append(("WWW-Authenticate", "Bearer")) }
        return response
    }
}
