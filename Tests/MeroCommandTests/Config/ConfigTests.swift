import Foundation
import Testing

@testable import mero

@Suite("Profiles")
struct ProfileTests {
    @Test(
        "where they lie",
        arguments: [
            (["XDG_CONFIG_HOME": "/x/y", "HOME": "/h"], "/x/y/mero/profiles/p"),
            (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/mero/profiles/p"),
            (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/mero/profiles/p"),
            (["HOME": "/h"], "/h/.config/mero/profiles/p"),
        ])
    func place(variables: [String: String], path: String) {
        #expect(Profile(name: "p", variables: variables).folder.path == path)
    }

    @Test("settings survive, in files and folders that only their owner can read")
    func privacy() throws {
        let folder = try TemporaryFolder()
        let mask = umask(0)
        defer { umask(mask) }
        let profile = Profile(name: "p", variables: ["XDG_CONFIG_HOME": folder.file("config").path])
        #expect(try profile.loadSettings() == Profile.Settings())
        let settings = Profile.Settings(node: "http://n", user: "u", certificateAuthorityFile: "/c.pem")
        try profile.save(settings)
        try profile.save(settings)
        #expect(try profile.loadSettings() == settings)
        #expect(FilePermissions.of(profile.settingsFile) == 0o600)
        #expect(FilePermissions.of(profile.folder) == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: profile.folder.path) == ["config.json"])
    }

    @Test(
        "an address that cannot be used is shown without its password",
        arguments: [
            ("http://u:p@n", "http://***@n"), ("HTTPS://u:p@n/x", "HTTPS://***@n/x"), ("u:p@http://u:p@n", "***@n"),
            ("u:p@n", "***@n"), ("http://n", "http://n"), ("http:/u:p@n", "***@n"), ("@", "***@"),
            ("http://@", "http://***@"),
        ])
    func shown(text: String, expected: String) {
        #expect(NodeAddress.shown(text) == expected)
    }

    @Test("a damaged file is reported, not overwritten")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let profile = Profile(name: "p", variables: ["XDG_CONFIG_HOME": folder.url.path])
        try profile.prepareFolder()
        try Data("{".utf8).write(to: profile.settingsFile)
        let failure = #expect(throws: Failure.self) { try profile.loadSettings() }
        #expect(failure?.code == .localFile)
    }

    @Test("settings that others can write to are not followed")
    func foreignSettings() throws {
        let folder = try TemporaryFolder()
        let profile = Profile(name: "p", variables: ["XDG_CONFIG_HOME": folder.url.path])
        try profile.save(Profile.Settings(node: "http://n"))
        chmod(profile.settingsFile.path, 0o666)
        let failure = #expect(throws: Failure.self) { try profile.loadSettings() }
        #expect(failure?.code == .localFile)
    }

    @Test("a folder that cannot be written is a local failure, and leaves nothing behind")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        // A file where a folder should be stops everybody, root included.
        try Data().write(to: folder.file("mero"))
        let profile = Profile(name: "p", variables: ["XDG_CONFIG_HOME": folder.url.path])
        let failure = #expect(throws: Failure.self) { try profile.save(Profile.Settings()) }
        #expect(failure?.code == .localFile)
    }
}

@Suite("Node addresses")
struct NodeAddressTests {
    @Test(
        "what may be an address",
        arguments: [
            ("http://localhost:2428", true), ("https://node.example/prefix", true), ("HTTP://A", true),
            ("http://[::1]:80", true),
            ("localhost:2428", false), ("node.example", false), ("ftp://x", false), ("http://", false),
            ("http://user@h", false),
            ("http://user:password@h", false), ("http://h?x=1", false), ("http://h#f", false),
            ("http://h:70000", false),
            ("http://a b", false), ("", false), ("http://h\n", false),
        ])
    func form(text: String, isFine: Bool) {
        #expect((NodeAddress.complaint(about: text) == nil) == isFine)
        #expect((NodeAddress(text) != nil) == isFine)
    }

    @Test(
        "the same node, or not",
        arguments: [
            ("http://h", "http://h/", true), ("http://h", "HTTP://H:80", true),
            ("https://h:443/x/", "https://h/x", true),
            ("http://h", "https://h", false), ("http://h:1", "http://h:2", false), ("http://h/a", "http://h/b", false),
            ("http://h/A", "http://h/a", false), ("http://127.0.0.1", "http://localhost", false),
        ])
    func sameness(left: String, right: String, isSame: Bool) throws {
        let left = try #require(NodeAddress(left))
        let right = try #require(NodeAddress(right))
        #expect(left.isSameNode(as: right) == isSame)
        #expect(right.isSameNode(as: left) == isSame)
    }

    @Test(
        "loopback",
        arguments: [
            ("http://localhost", true), ("http://a.localhost", true), ("http://127.0.0.1:1", true),
            ("http://127.9.9.9", true),
            ("http://[::1]", true), ("http://127.0.0.1.example", false), ("http://128.0.0.1", false),
            ("http://example", false),
            ("http://127.evil", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try #require(NodeAddress(text)).isLoopback == isLoopback)
    }
}
