import Foundation
import MeroKit

/// One set of settings with a session of its own: a folder that only its owner can enter.
///
/// `config.json` says which node and user; `tokens-....json` is the session with one node, kept by `FileTokenStore`.
struct Profile: Sendable, Equatable {
    struct Settings: Codable, Sendable, Equatable {
        /// The node to talk to when no other is named.
        var node: String?
        var user: String?
        /// Absolute path of a PEM file.
        var certificateAuthorityFile: String?
    }

    let name: String
    let folder: URL

    var settingsFile: URL { folder.appendingPathComponent("config.json") }

    /// Named after the node: a profile can have a session with several.
    func tokensFile(for node: NodeAddress) -> URL {
        let digest = Hex.encode(Digest.sha256(Array(node.canonical.utf8)).prefix(8))
        return folder.appendingPathComponent("tokens-\(digest).json")
    }

    init(name: String, variables: [String: String]) {
        self.name = name
        folder = Self.folder(of: variables).appendingPathComponent(name, isDirectory: true)
    }

    /// Where all profiles lie. A relative `XDG_CONFIG_HOME` counts as unset, as its specification asks.
    static func folder(of variables: [String: String]) -> URL {
        let base: URL
        if let named = variables["XDG_CONFIG_HOME"], named.hasPrefix("/") {
            base = URL(fileURLWithPath: named, isDirectory: true)
        } else {
            let home = variables["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
            base = URL(fileURLWithPath: home, isDirectory: true).appendingPathComponent(".config", isDirectory: true)
        }
        return base.appendingPathComponent("mero/profiles", isDirectory: true)
    }
}

extension Profile {
    /// The settings, empty when the profile does not exist yet.
    func loadSettings() throws -> Settings {
        guard FileManager.default.fileExists(atPath: settingsFile.path) else { return Settings() }
        guard let content = PrivateFile(path: settingsFile.path).read() else {
            // Who can write there can choose where the next password goes.
            throw Failure(
                code: .localFile,
                message: "The profile file \(settingsFile.path) cannot be read, or others can write to it",
                hint: "Look into it, then \"chmod 600\" or remove it")
        }
        do {
            return try JSONDecoder().decode(Settings.self, from: content)
        } catch {
            throw Failure(
                code: .localFile, message: "The profile file \(settingsFile.path) is damaged",
                hint: "Correct or remove it, then run \"mero login\" again")
        }
    }

    func save(_ settings: Settings) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try PrivateFile(path: settingsFile.path).replace(with: encoder.encode(settings) + Data("\n".utf8))
        } catch {
            throw Failure(
                code: .localFile, message: "The profile file \(settingsFile.path) cannot be written",
                hint: "Check the folder's owner and free space, or set XDG_CONFIG_HOME to another folder")
        }
    }

    /// Creates the folder for its owner alone. A folder that exists keeps its permissions; `mero doctor` judges them.
    func prepareFolder() throws {
        do {
            try PrivateFile(path: settingsFile.path).makeFolder()
        } catch {
            throw Failure(
                code: .localFile, message: "The folder \(folder.path) cannot be created",
                hint: "Check its parent's owner, or set XDG_CONFIG_HOME to another folder")
        }
    }
}
