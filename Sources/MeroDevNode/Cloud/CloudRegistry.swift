import Foundation
import MeroKit

/// A registry of applications.
///
/// Spec: 70, section 12.
final class CloudRegistry: Sendable {
    private struct Entry {
        var package: String
        var version: String
        var signerId: String
        var isYanked: Bool
        var downloads = 0
        var manifest: JsonTree
        var data: Data
    }

    private let entries = Locked<[Entry]>([])
    let servesAllVersions = Locked(true)

    /// Throws `DevNodeError.invalidBundle`.
    func publish(_ data: Data) throws {
        let bundle: ApplicationBundle
        let manifest: JsonTree
        do {
            bundle = try ApplicationBundle(Array(data))
            manifest = try ApplicationBundle.manifest(of: Array(data))
        } catch {
            throw DevNodeError.invalidBundle("\(error)")
        }
        entries.withLock { entries in
            entries.removeAll { $0.package == bundle.package && $0.version == bundle.version }
            entries.append(
                Entry(
                    package: bundle.package, version: bundle.version, signerId: bundle.signerId, isYanked: false,
                    manifest: manifest, data: data))
        }
    }

    /// False when there is no such release.
    func setYanked(_ isYanked: Bool, package: String, version: String) -> Bool {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.package == package && $0.version == version }) else {
                return false
            }
            entries[index].isYanked = isYanked
            return true
        }
    }

    var routes: [NodeRoute] {
        [
            NodeRoute("GET", "/api/v2/bundles", .open) { self.list($0) },
            NodeRoute("GET", "/api/v2/bundles/{package}/{version}", .open) { self.manifest($0) },
            NodeRoute("GET", "/artifacts/{package}/{version}/{file}", .open) { self.artifact($0) },
        ]
    }

    private func list(_ call: RouteCall) -> DevHttpResponse {
        func value(_ name: String) -> String? {
            call.request.query.first { $0.0 == name }?.1.flatMap { $0.isEmpty ? nil : $0 }
        }
        let all = entries.withLock { $0 }
        let package = value("package")
        if value("all_versions") == "true", servesAllVersions.withLock({ $0 }) {
            guard let package, value("developer") == nil, value("author") == nil else {
                return Self.refusal(400, "invalid_params", "all_versions needs a package, and nothing else")
            }
            return Self.rows(Self.newestFirst(all.filter { $0.package == package }), tellsYanked: true)
        }
        if value("all_versions") != nil {
            return Self.refusal(400, "invalid_params", "all_versions cannot be used so")
        }
        if let version = value("version"), let package {
            guard let entry = all.first(where: { $0.package == package && $0.version == version }) else {
                return Self.refusal(404, "not_found", nil)
            }
            return .json(200, [entry.manifest])
        }
        let fitting = all.filter { entry in
            (package == nil || entry.package == package)
                && (value("developer") == nil
                    || entry.manifest["signature"]?["publicKey"]?.stringValue == value("developer"))
                && (value("author") == nil || entry.manifest["metadata"]?["author"]?.stringValue == value("author"))
        }
        let latest = Dictionary(grouping: fitting, by: \.package).compactMap { Self.newestFirst($0.value).first }
        return Self.rows(latest.sorted { $0.package < $1.package }, tellsYanked: false)
    }

    private func manifest(_ call: RouteCall) -> DevHttpResponse {
        let (package, version) = (call.parameters["package"] ?? "", call.parameters["version"] ?? "")
        guard let entry = entries.withLock({ $0.first { $0.package == package && $0.version == version } }) else {
            return Self.refusal(404, "manifest_not_found", nil)
        }
        return .json(200, entry.manifest)
    }

    private func artifact(_ call: RouteCall) -> DevHttpResponse {
        let (package, version) = (call.parameters["package"] ?? "", call.parameters["version"] ?? "")
        let data = entries.withLock { entries -> Data? in
            guard let index = entries.firstIndex(where: { $0.package == package && $0.version == version }),
                call.parameters["file"] == "\(package)-\(version).mpk"
            else { return nil }
            entries[index].downloads += 1
            return entries[index].data
        }
        guard let data else { return Self.refusal(404, "not_found", nil) }
        return DevHttpResponse(
            status: 200, headers: [("Content-Type", "application/octet-stream")], body: .bytes(data))
    }

    private static func newestFirst(_ entries: [Entry]) -> [Entry] {
        entries.sorted { SemanticVersion($0.version) > SemanticVersion($1.version) }
    }

    private static func rows(_ entries: [Entry], tellsYanked: Bool) -> DevHttpResponse {
        .json(
            200,
            .array(
                entries.map { entry in
                    var members = entry.manifest.members.filter { $0.name != "signerId" && $0.name != "signature" }
                    members.append(JsonMember(name: "signerId", value: .string(entry.signerId)))
                    members.append(JsonMember(name: "downloads", value: JsonTree(entry.downloads)))
                    if tellsYanked { members.append(JsonMember(name: "yanked", value: .bool(entry.isYanked))) }
                    return .object(members)
                }),
            headers: [("Cache-Control", "public, max-age=60")])
    }

    private static func refusal(_ status: Int, _ code: String, _ message: String?) -> DevHttpResponse {
        var members = [JsonMember(name: "error", value: .string(code))]
        if let message { members.append(JsonMember(name: "message", value: .string(message))) }
        return .json(status, .object(members))
    }
}
