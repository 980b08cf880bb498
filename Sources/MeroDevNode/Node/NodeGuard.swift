/// The gate in front of the node's own routes and in front of the auth service's `/admin`. It answers with a status, a
/// header at most, and, but for keys that leave their binding, no body.
///
/// Spec: 10, sections 1.4, 3 and 8; 30, section 12.3.
struct NodeGuard: Sendable {
    let auth: AuthService
    let proofs: ProofGate

    enum Verdict: Sendable {
        case open
        case caller(Caller)
        case refused(DevHttpResponse)
    }

    func judge(_ request: DevHttpRequest, access: RouteAccess, parameters: [String: String]) -> Verdict {
        switch access {
        case .open: return .open
        case .node(let permission): return judgeNode(request, permission, parameters)
        case .authAdmin(let permission): return judgeAdmin(request, permission, parameters)
        }
    }

    private func judgeNode(
        _ request: DevHttpRequest, _ permission: RoutePermission, _ parameters: [String: String]
    ) -> Verdict {
        // A header, even a bad one, is the credential: the query counts only without it.
        let token = request.headers["authorization"] == nil ? Self.queryToken(request) : request.bearerToken
        guard let token else {
            // A proof counts only where no token was shown, not even a bad one.
            guard request.headers["authorization"] == nil, let proof = request.headers[ProofGate.header] else {
                return .refused(.refused(401))
            }
            return judge(proof: proof, request, permission, parameters)
        }
        switch check(token, request) {
        case .success(let caller):
            guard permission.isMet(by: caller, parameters: parameters) else {
                return .refused(.refused(403, authError: "permission_denied"))
            }
            guard caller.isInsideBindings(parameters) else {
                return .refused(.outOfBinding(parameters["context"] == nil ? "application" : "context"))
            }
            return .caller(caller)
        case .failure(.expired): return .refused(.refused(401, authError: "token_expired"))
        case .failure(.keyRevoked): return .refused(.refused(403, authError: "token_revoked"))
        case .failure(.storage): return .refused(.refused(500))
        case .failure(.invalid), .failure(.wrongHost), .failure(.keyUnknown), .failure(.keyExpired):
            return .refused(.refused(401))
        }
    }

    private func judge(
        proof: String, _ request: DevHttpRequest, _ permission: RoutePermission, _ parameters: [String: String]
    ) -> Verdict {
        if request.faultHint == .tokenExpired { return .refused(.refused(401, authError: ProofGate.refusal)) }
        switch proofs.judge(proof, request) {
        case .refused(let response): return .refused(response)
        case .caller(let caller):
            return permission.isMet(by: caller, parameters: parameters) ? .caller(caller) : .refused(.refused(403))
        }
    }

    private func judgeAdmin(
        _ request: DevHttpRequest, _ permission: RoutePermission, _ parameters: [String: String]
    ) -> Verdict {
        guard let token = request.bearerToken else { return .refused(.refused(400, authError: "invalid_request")) }
        switch check(token, request) {
        case .success(let caller):
            guard permission.isMet(by: caller, parameters: parameters) else {
                return .refused(.refused(403, authError: "permission_denied"))
            }
            return .caller(caller)
        case .failure(.expired): return .refused(.refused(401, authError: "token_expired"))
        case .failure(.keyRevoked): return .refused(.refused(403, authError: "token_revoked"))
        case .failure(.storage): return .refused(.refused(500))
        case .failure(.invalid), .failure(.wrongHost), .failure(.keyUnknown), .failure(.keyExpired):
            return .refused(.refused(401, authError: "invalid_token"))
        }
    }

    private func check(_ token: String, _ request: DevHttpRequest) -> Result<Caller, TokenRefusal> {
        do {
            return .success(try auth.check(token, for: request))
        } catch let refusal as TokenRefusal {
            return .failure(refusal)
        } catch {
            return .failure(.storage)
        }
    }

    private static func queryToken(_ request: DevHttpRequest) -> String? {
        guard let token = request.query.first(where: { $0.0 == "token" })?.1, !token.isEmpty else { return nil }
        return token
    }
}
