import Foundation

/// `GET /auth/login`: a small page of the kind a node hosts. It takes the same query and hands tokens over in the same
/// fragment as the real page, so that an app's sign-in can be tried against a dev node.
///
/// The page is a plain form (`POST /auth/login`) that answers with a redirect; a real node's page is a script.
///
/// Spec: 10, section 6.
struct HostedLogin: Sendable {
    let auth: AuthService

    private struct Asked {
        var callback: String?
        var permissions: [String]
        var mode: String

        init(_ pairs: [(String, String?)]) {
            func value(_ name: String) -> String? { pairs.first { $0.0 == name }?.1.flatMap { $0.isEmpty ? nil : $0 } }
            callback = value("callback-url")
            permissions = (value("permissions") ?? "").split(separator: ",").map(String.init)
            mode = value("mode") ?? "login"
        }

        /// An administrator's session is the user's own; anything else is a client key with just these permissions.
        var isAdmin: Bool { mode == "admin" || permissions.isEmpty || permissions == ["admin"] }
    }

    func page(_ request: DevHttpRequest) -> DevHttpResponse {
        let asked = Asked(request.query)
        if let problem = callbackProblem(asked, request) { return html(400, asked, problem: problem) }
        return html(200, asked, problem: nil)
    }

    func submit(_ request: DevHttpRequest) -> DevHttpResponse {
        let essence = request.headers["content-type"]?.prefix { $0 != ";" }.lowercased()
        guard essence == "application/x-www-form-urlencoded", let body = request.wholeBody else {
            return .text(415, "Expected request with `Content-Type: application/x-www-form-urlencoded`")
        }
        let form = FormEncoding.decode(String(decoding: body, as: UTF8.self))
        let asked = Asked(form)
        if let problem = callbackProblem(asked, request) { return html(400, asked, problem: problem) }
        func value(_ name: String) -> String { form.first { $0.0 == name }?.1 ?? "" }
        switch auth.checkPassword(username: value("username"), password: value("password"), request: request) {
        case .refused(let response):
            let text = Self.errorText(response)
            var page = html(response.status, asked, problem: text)
            page.headers += response.headers.filter { $0.0 == "Retry-After" }
            return page
        case .key(let key, let generation):
            do {
                let pair =
                    asked.isAdmin
                    ? auth.mintPair(key: key, nodeURL: "hosted-login", generation: generation)
                    : try auth.mintClientKey(
                        root: key,
                        AuthService.ClientKeyRequest(permissions: asked.permissions, name: "Hosted login"))
                return finish(pair, asked, request)
            } catch let early as EarlyReply {
                return html(early.response.status, asked, problem: Self.errorText(early.response))
            } catch {
                return html(500, asked, problem: "Failed to generate tokens")
            }
        }
    }

    private func finish(_ pair: DevTokens, _ asked: Asked, _ request: DevHttpRequest) -> DevHttpResponse {
        guard let callback = asked.callback else {
            return html(200, asked, problem: "Signed in. There is no callback to return to.")
        }
        let fragment = FormEncoding.encode([
            ("access_token", pair.accessToken), ("refresh_token", pair.refreshToken), ("node_url", origin(request)),
        ])
        return DevHttpResponse(
            status: 303, headers: [("Location", "\(callback)#\(fragment)"), ("Cache-Control", "no-store")])
    }

    // MARK: - Trust

    /// Tokens go to a loopback address or back to this node, nowhere else.
    private func callbackProblem(_ asked: Asked, _ request: DevHttpRequest) -> String? {
        guard let callback = asked.callback else { return nil }
        guard !callback.contains("#"), callback.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let parts = URLComponents(string: callback), let scheme = parts.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = parts.host.flatMap(AuthService.hostName),
            parts.user == nil
        else { return "The callback is not a usable URL: \(callback)" }
        let isLoopback = host == "localhost" || host == "::1" || Self.isLoopbackIPv4(host)
        let port = parts.port.map { ":\($0)" } ?? ""
        let isOwn = "\(scheme)://\(host)\(port)" == origin(request).lowercased()
        return isLoopback || isOwn ? nil : "The callback is not trusted: \(callback)"
    }

    private static func isLoopbackIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private func origin(_ request: DevHttpRequest) -> String { "http://\(request.headers["host"] ?? "127.0.0.1")" }

    // MARK: - Page

    private static func errorText(_ response: DevHttpResponse) -> String {
        guard case .bytes(let data) = response.body, let text = try? JsonParser.parse(data)["error"]?.stringValue else {
            return "The login failed"
        }
        return text
    }

    private func html(_ status: Int, _ asked: Asked, problem: String?) -> DevHttpResponse {
        func field(_ name: String, _ value: String?) -> String {
            value.map { "<input type=\"hidden\" name=\"\(name)\" value=\"\(Self.escape($0))\">" } ?? ""
        }
        let rights = asked.isAdmin ? "everything" : asked.permissions.joined(separator: ", ")
        let target = asked.callback.map { " and return to <code>\(Self.escape($0))</code>" } ?? ""
        let notice = problem.map { "<p role=\"alert\"><strong>\(Self.escape($0))</strong></p>" } ?? ""
        let page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Sign in to this dev node</title>
            <meta name="viewport" content="width=device-width, initial-scale=1"></head>
            <body style="font-family: sans-serif; max-width: 28rem; margin: 4rem auto">
            <h1>Sign in</h1>
            <p>An app asks for <code>\(Self.escape(rights))</code> on this node\(target).</p>
            \(notice)
            <form method="post">
            \(field("callback-url", asked.callback))\(field("mode", asked.mode))
            \(field("permissions", asked.permissions.joined(separator: ",")))
            <p><label>Username<br><input name="username" autocomplete="username" required></label></p>
            <p><label>Password<br><input name="password" type="password" autocomplete="current-password" required></label></p>
            <p><button>Sign in</button></p>
            </form></body></html>

            """
        return DevHttpResponse(
            status: status,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
                ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
            ], body: .bytes(Data(page.utf8)))
    }

    private static func escape(_ text: String) -> String {
        var output = ""
        for character in text {
            switch character {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            default: output.append(character)
            }
        }
        return output
    }
}

/// `application/x-www-form-urlencoded`, as browsers write it.
enum FormEncoding {
    private static let bare = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._".utf8)
    private static let digits = Array("0123456789ABCDEF".unicodeScalars)

    static func encode(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        for byte in text.utf8 {
            if bare.contains(byte) {
                output.append(Unicode.Scalar(byte))
            } else if byte == UInt8(ascii: " ") {
                output.append("+")
            } else {
                output.append(contentsOf: ["%", digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            }
        }
        return String(output)
    }

    static func decode(_ text: String) -> [(String, String?)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decode(parts[0]), parts.count > 1 ? decode(parts[1]) : nil)
        }
    }

    private static func decode(_ text: Substring) -> String {
        let spaced = text.replacingOccurrences(of: "+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }
}
