import Foundation
import MeroKit

extension Failure {
    /// Any error in the form in which it is reported.
    init(describing error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let usage as UsageError: self.init(code: .usage, message: usage.message, hint: usage.hint)
        case let mero as MeroError: self = Self.describing(mero)
        case let account as AccountError: self = Self.describing(account)
        case let sealed as SealedTransportError: self = Self.describing(sealed)
        case let attestation as AttestationError:
            self.init(
                code: .refused, message: attestation.localizedDescription,
                hint: "Nothing was sent but the request for the attestation")
        case is CancellationError: self.init(code: .interrupted, message: "Interrupted")
        case let long as InputTooLong:
            self.init(
                code: .usage, message: "Standard input holds more than \(long.limit) bytes", hint: "Nothing was sent")
        default:
            self.init(code: .localFile, message: error.localizedDescription)
        }
    }

    private static func describing(_ error: MeroError) -> Failure {
        switch error {
        case .http(let http): return describing(http, refusal: error.refusal)
        case .authRevoked(let reason, let http):
            return Failure(
                code: .notSignedIn, message: "The session is over (\(reason))", hint: signIn, type: reason,
                status: http.status)
        case .rpc(let rpc): return describing(rpc)
        case .network(let text):
            let isAboutTrust = text.localizedCaseInsensitiveContains("certificate")
            return Failure(
                code: .unreachable, message: "No answer from the node: \(text)",
                hint: isAboutTrust
                    ? "If the node has a private certificate authority, give its file with --cacert FILE"
                    : "Check the address and that the node runs (\"mero doctor\" looks closer)")
        case .authenticationFailed(let text): return describingLogin(text)
        case .noCredentials, .noRefreshToken:
            return Failure(code: .notSignedIn, message: "The session has ended and cannot be renewed", hint: signIn)
        case .emptyResponse(let text), .decoding(let text):
            return Failure(
                code: .unexpectedAnswer, message: "The node's answer is not what was expected: \(text)",
                hint: "Check that the address is that of a Calimero node (core \(Version.node))")
        }
    }

    private static func describing(_ error: SealedTransportError) -> Failure {
        let text = error.localizedDescription
        switch error {
        case .outsideBase, .transportKey, .invalidHeader, .headTooLarge, .requestTooLarge, .webSocket:
            return Failure(code: .usage, message: text, hint: "Nothing was sent")
        case .handshake, .notSealed, .frameTooLarge, .notFromNode, .malformed, .cutShort:
            return Failure(
                code: .unexpectedAnswer, message: text,
                hint: "Somebody on the way may have changed it. It is not known whether the call ran")
        }
    }

    private static func describing(_ error: AccountError) -> Failure {
        let text = error.localizedDescription
        switch error {
        case .invalidInput: return Failure(code: .usage, message: text, hint: "Nothing was sent")
        case .credentialRejected:
            return Failure(
                code: .refused, message: text, hint: "Have this device certified again (\"mero account device\")")
        case .notSignedIn: return Failure(code: .notSignedIn, message: text)
        case .protocolViolation:
            return Failure(code: .unexpectedAnswer, message: text, hint: "Check that the address is that of a relay")
        case .intentRefused(let reason, let retryable, let status):
            return Failure(
                code: .refused, message: text,
                hint: Self.grant(reason)
                    ?? (retryable ? "It was not done; a fresh try may be taken" : "It was not done"),
                status: status)
        case .enrolmentDeclined, .stateMismatch, .relayKeyUnavailable, .haRefused, .invitationNotClaimable:
            return Failure(code: .refused, message: text)
        }
    }

    /// The same, where a relay answered: a session has no part in it.
    init(describing error: MeroError, ofRelay isRelay: Bool) {
        self.init(describing: error)
        guard isRelay, case .http(let http) = error, type == nil || http.headers["x-auth-error"] != nil else { return }
        let said = error.refusal?.message.map { ": \($0)" } ?? ""
        switch http.status {
        // A relay gives reasons; the guard in front of a node does not.
        case 401,
            403 where error.refusal?.message == nil:
            self = Failure(
                code: .refused, message: "The relay did not take the request (\(http.message))\(said)",
                hint: "Is this node a relay? One that is none, or that only takes sessions, answers like this",
                type: type, status: http.status)
        case 403: hint = "\"mero relay describe\" shows what the relay may do there"
        case 404: hint = "Check the id, and that the relay takes part there"
        default: break
        }
    }

    /// How an admin grants what a relay lacks, where its refusal names it; else nil.
    private static func grant(_ reason: String) -> String? {
        let words = reason.split { $0 == " " || $0 == "," || $0 == ")" }
        guard let place = words.firstIndex(of: "CAN_AUTHOR_ON_BEHALF"), words.indices.contains(place + 2),
            words[place + 1] == "to", Hex.is32(String(words[place + 2]))
        else { return nil }
        return
            "An admin of the namespace grants it with \"mero member grant $NAMESPACE \(words[place + 2]) act-for-others\""
    }

    /// What the sealed transport said in place of a sealed answer. Anybody on the way may have written it.
    private static func describing(_ refusal: SealedRefusal, _ code: String, _ http: HTTPError) -> Failure {
        let hint: String
        switch code {
        case "stale_transport_key": hint = "The key is not the node's, or not any more: \"mero relay attest\" prints it"
        case "busy": hint = "Try again in a while"
        default: hint = "Somebody on the way may have written this. It is not known whether the call ran"
        }
        let said = refusal.message.map { ": \($0)" } ?? ""
        return Failure(
            code: .refused, message: "The node did not take the sealed request (\(http.message)): \(code)\(said)",
            hint: hint, type: code, status: http.status)
    }

    private static func describing(_ http: HTTPError, refusal: ErrorRefusal?) -> Failure {
        if http.cameInTheClear, let refusal = http.sealedRefusal, let code = refusal.code {
            return describing(refusal, code, http)
        }
        let said = refusal?.message.map { ": \($0)" } ?? ""
        let base = (type: refusal?.type ?? http.headers["x-auth-error"], data: refusal?.data.map(Report.init))
        func failure(_ code: ExitCode, _ message: String, _ hint: String?) -> Failure {
            Failure(code: code, message: message, hint: hint, type: base.type, status: http.status, data: base.data)
        }
        if let type = refusal?.type, [400, 403, 409].contains(http.status) {
            // What JSON-RPC would have said: a method's own error, or one about the call.
            let text = refusal?.data?.stringValue ?? refusal?.message
            let rpc = RpcError(
                code: -1, message: text.map { "\(type): \($0)" } ?? type, type: type, data: refusal?.data)
            return failure(.refused, "The call failed: \(rpc.message)", hint(for: rpc))
        }
        switch http.status {
        case 401: return failure(.notSignedIn, "The node did not accept the session (\(http.message))\(said)", signIn)
        case 403:
            return failure(
                .refused, "The node refused (\(http.message))\(said)",
                "\"mero whoami\" shows what the session may do")
        case 404:
            return failure(
                .refused, "The node has no such thing (\(http.message))\(said)",
                "Check the id, and that the node is recent enough")
        case 413: return failure(.refused, "The request is too large for the node (\(http.message))\(said)", nil)
        case 429:
            let wait = http.headers["retry-after"].map { "Wait \($0) seconds" } ?? "Wait a minute"
            return failure(.refused, "The node asks for a pause (\(http.message))\(said)", "\(wait), then try again")
        case 300..<400:
            return failure(
                .unexpectedAnswer, "The address leads elsewhere (\(http.message))",
                "Give the node's own address with --node")
        case 500...:
            return failure(
                .refused, "The node failed (\(http.message))\(said)", "Try again, or look into the node's log")
        default: return failure(.refused, "The node refused (\(http.message))\(said)", nil)
        }
    }

    private static func describing(_ rpc: RpcError) -> Failure {
        Failure(
            code: .refused, message: "The call failed: \(rpc.message)", hint: hint(for: rpc), type: rpc.type,
            data: rpc.data.map(Report.init))
    }

    private static func hint(for rpc: RpcError) -> String? {
        switch rpc.type {
        case "ContextNotFound": return "Check the context's id; this node does not know it"
        case "ReadOnlyWriteRefused": return "Send the write to a node with a writing role in the context"
        case "Uninitialized", "GroupKeyPending", "UpgradeInProgress": return "This passes: try again in a while"
        case "ApplicationNotInstalled": return "Install the application on the node first"
        case "ParseError": return "Check the method's name and the form of its arguments"
        case "SliceTooLarge": return "A presence has at most 16384 bytes"
        case "Unauthorized": return "This node's identity is not a member that may execute there"
        default: return nil
        }
    }

    /// A login or a refresh tells its cause only as text.
    private static func describingLogin(_ text: String) -> Failure {
        if text.contains("Network error:") {
            return Failure(
                code: .unreachable, message: "No answer from the node while signing in: \(text)",
                hint: "Check the address and that the node runs")
        }
        if text.hasPrefix("HTTP 401") {
            return Failure(
                code: .notSignedIn, message: "The node does not accept this user and password",
                hint: "Check both; after five wrong tries a node makes you wait a minute", status: 401)
        }
        if text.hasPrefix("HTTP 429") {
            return Failure(
                code: .refused, message: "Too many wrong passwords: the node asks for a pause",
                hint: "Wait a minute, then try again", status: 429)
        }
        if text.hasPrefix("Failed to decode") || text.contains("is null") {
            return Failure(
                code: .unexpectedAnswer, message: "The answer to the login is not what was expected: \(text)",
                hint: "Check that the address is that of a Calimero node")
        }
        return Failure(code: .notSignedIn, message: "Signing in failed: \(text)", hint: signIn)
    }

    private static let signIn = "Sign in again with \"mero login\""
}

extension Report {
    /// A node's own value. Its numbers are doubles already.
    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number):
            if let whole = Int64(exactly: number) {
                self = .integer(whole)
            } else {
                self = number.isFinite ? .text(.number("\(number)")) : .null
            }
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map(Report.init))
        case .object(let members):
            self = .object(members.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: Report($0.value)) })
        }
    }
}
