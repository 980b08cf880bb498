import Foundation
import MeroDevNode
import MeroKit

/// Looks at everything between this command and its node. A check that cannot be made says why.
struct Examination: Sendable {
    let invocation: Invocation

    func checks() async throws -> [Check] {
        var checks = [installed, libraries]
        let profile = try Connection.profile(invocation)
        checks.append(contentsOf: files(of: profile))
        let connection: Connection?
        do {
            connection = try Connection.ifNamed(invocation)
        } catch {
            return checks + [.fail("profile", error)]
        }
        checks.append(ProxySettings(variables: invocation.surroundings.variables).check(for: connection?.node))
        guard let connection else {
            let hint = "Sign in with \"mero login --node URL\", or name a node with --node"
            return checks + [.warn("node", "no node is known", hint)]
        }
        let node = await self.node(connection)
        checks += node
        try Task.checkCancellation()
        if node.contains(where: { $0.verdict == .fail && $0.code == .unreachable }) {
            return checks + [.warn("session", "not checked: the node does not answer", nil)]
        }
        checks += await session(connection)
        try Task.checkCancellation()
        return checks
    }

    // MARK: This machine

    private var installed: Check {
        .ok(
            "mero",
            "\(Version.text) for Calimero core \(Version.node), on \(ProcessInfo.processInfo.operatingSystemVersionString)"
        )
    }

    private var libraries: Check {
        .ok("libraries", (LibraryVersions.all + DevNodeLibraries.all).joined(separator: ", "))
    }

    private func files(of profile: Profile) -> [Check] {
        guard FilePermissions.of(profile.folder) != nil else {
            return [.ok("profile", "\"\(profile.name)\" does not exist yet (\(profile.folder.path))")]
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: profile.folder.path)) ?? []
        let open = names.sorted().map { profile.folder.appendingPathComponent($0) }
            .filter(FilePermissions.areOpen)
        if !open.isEmpty {
            let hint = open.map { "chmod 600 \($0.path)" }.joined(separator: "; ")
            return [
                .fail("profile", "others on this machine can use files of \"\(profile.name)\"", hint, code: .localFile)
            ]
        }
        if FilePermissions.areOpen(profile.folder) {
            let hint = "chmod 700 \(profile.folder.path)"
            return [.warn("profile", "others on this machine can look into \"\(profile.name)\"", hint)]
        }
        return [.ok("profile", "\"\(profile.name)\" in \(profile.folder.path), only you have access")]
    }

    // MARK: The node

    private func node(_ connection: Connection) async -> [Check] {
        let http = await connection.anonymous(retry: .never).http
        let before = Date()
        let head: HeadResult
        var checks: [Check] = []
        do {
            let answer = try await http.sendRaw(HttpRequest(path: "/admin-api/health"))
            head = answer.1
            let status = Self.status(in: answer.0)
            let isAlive = status.map { $0.lowercased() == "alive" } ?? true
            checks.append(
                isAlive
                    ? .ok("node", "\(connection.node.text) answers\(status.map { ": \($0)" } ?? "")")
                    : .fail("node", "\(connection.node.text) is unwell: \(status ?? "")", "Look into the node's log"))
        } catch MeroError.http(let error) where error.status == 503 {
            head = HeadResult(status: error.status, headers: error.headers)
            let status = Self.status(in: Data((error.bodyText ?? "").utf8)) ?? "no reason given"
            checks.append(.fail("node", "\(connection.node.text) is unwell: \(status)", "Look into the node's log"))
        } catch {
            return [.fail("node", error)]
        }
        let after = Date()
        checks.append(await readiness(http))
        checks.append(await providers(connection))
        if let skew = head.headers["date"].flatMap({ ClockSkew(dateHeader: $0, before: before, after: after) }) {
            checks.append(skew.check)
        } else {
            checks.append(.warn("clock", "the node does not tell its time", nil))
        }
        if !connection.node.isEncrypted && !connection.node.isLoopback {
            checks.append(
                .warn(
                    "encryption", "\(connection.node.text) is not encrypted",
                    "Use https:// so that nobody on the way can read along"))
        }
        return checks
    }

    private func readiness(_ http: any HttpClient) async -> Check {
        do {
            let status = Self.status(in: try await http.sendRaw(HttpRequest(path: "/admin-api/ready")).0)
            return .ok("readiness", status ?? "ready")
        } catch MeroError.http(let error) where error.status == 503 {
            let status = Self.status(in: Data((error.bodyText ?? "").utf8)) ?? "no reason given"
            return .warn(
                "readiness", "not ready: \(status)", "Wait a while; a node that starts up gets there by itself")
        } catch {
            return .fail("readiness", error)
        }
    }

    private func providers(_ connection: Connection) async -> Check {
        do {
            let offered = try await connection.anonymous(retry: .never).auth.getProviders().providers
            let names = offered.map { $0.configured ? $0.name : "\($0.name) (no user yet)" }
            return names.isEmpty
                ? .warn("login", "the node offers no way to sign in", "Enable a provider in the node's configuration")
                : .ok("login", "by \(names.joined(separator: ", "))")
        } catch {
            return .fail("login", error)
        }
    }

    private static func status(in body: Data) -> String? {
        guard let value = try? MeroJSON.decode(JSONValue.self, from: body) else { return nil }
        return (value["data"]?["status"] ?? value["status"])?.stringValue
    }

    // MARK: The session

    private func session(_ connection: Connection) async -> [Check] {
        let mero: Mero
        do {
            mero = try connection.signedIn()
        } catch let failure as Failure {
            return [.warn("session", failure.message, failure.hint)]
        } catch {
            return [.fail("session", error)]
        }
        do {
            _ = try await mero.http.head("/auth/validate", headers: [:])
        } catch {
            return [.fail("session", error)]
        }
        guard let token = await mero.currentTokenData()?.accessToken, let claims = SessionClaims(token: token) else {
            return [.warn("session", "accepted by the node, but its token cannot be read", nil)]
        }
        let user = connection.user ?? claims.subject ?? "unknown"
        return [.ok("session", "accepted by the node, as \(user)"), rights(claims), await identity(mero)]
    }

    /// Advice read from the token; the node has the last word.
    private func rights(_ claims: SessionClaims) -> Check {
        let wanted = [
            ("administer", "admin"), ("execute", "context:execute"), ("subscribe", "context:subscribe"),
            ("list contexts", "context:list"), ("create contexts", "context:create"), ("manage keys", "keys"),
        ]
        let can = wanted.filter { claims.grants($0.1) }.map(\.0)
        let cannot = wanted.filter { !claims.grants($0.1) }.map(\.0)
        let finding =
            "may: \(can.isEmpty ? "nothing" : can.joined(separator: ", "))"
            + (cannot.isEmpty ? "" : "; may not: \(cannot.joined(separator: ", "))")
        if claims.grants("context:execute") { return .ok("permissions", finding) }
        return .warn("permissions", finding, "\"mero call\" needs context:execute: sign in as a user who has it")
    }

    private func identity(_ mero: Mero) async -> Check {
        do {
            let identity = try await mero.auth.getIdentity()
            return .ok(
                "service", "\(identity.service) \(identity.version), \(identity.authenticationMode) authentication")
        } catch {
            return .warn(
                "service", "the auth service does not say what it is: \(Failure(describing: error).message)", nil)
        }
    }
}
