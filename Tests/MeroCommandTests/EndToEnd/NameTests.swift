import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("Names in the place of ids", .serialized)
struct NameTests {
    /// Every command that talks to a node and takes the id of a context, an application or a device.
    static let takers = CommandTree.paths(from: CommandTable.root).filter { path in
        guard let command = path.last, command.body != nil, command.options.contains(.node) else { return false }
        return command.operands.contains { $0.aliasKind != nil }
    }

    @Test("every command that takes such an id takes a name")
    func everywhere() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            for (kind, id) in [("context", bench.store), ("app", bench.probe), ("device", bench.node.deviceId)] {
                #expect(try await bench.mero("alias", "add", kind, "notes", id).status == 0)
            }
            #expect(Self.takers.count > 12)
            for path in Self.takers {
                guard let command = path.last else { continue }
                var kinds: Set<String> = []
                var words = path.dropFirst().map(\.name)
                for operand in command.operands where !operand.optional || operand.aliasKind != nil {
                    if let kind = operand.aliasKind { kinds.insert(kind == .app ? "application" : kind.rawValue) }
                    let id = String(repeating: "ab", count: 32)
                    words.append(operand.aliasKind == nil ? operand.choices.first ?? id : "notes")
                }
                if command.options.contains(.yes) { words.append("--yes") }
                if command.options.contains(.lineCount) { words += ["--timeout", "0.2"] }
                if command.options.contains(.presenceCount) { words += ["--timeout", "0.2"] }
                bench.node.clearRequests()
                var tool = InProcess()
                tool.variables["XDG_CONFIG_HOME"] = bench.folder.file("config").path
                _ = await Tool(root: CommandTable.root, surroundings: tool.surroundings).run(words)
                let asked = bench.node.requests.map(\.path)
                for kind in kinds {
                    #expect(asked.contains("/admin-api/alias/lookup/\(kind)/notes"), "\(words): \(asked)")
                }
                #expect(!tool.errors.text.contains("is no id"), "\(words): \(tool.errors.text)")
                // The name itself goes nowhere else.
                let others = asked.filter { !$0.hasPrefix("/admin-api/alias/") && $0.contains("notes") }
                #expect(others.isEmpty, "\(words): \(others)")
            }
        }
    }

    @Test("a name leads to the context, an unknown one nowhere, and an id is never looked up")
    func calls() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let unknown = try await bench.mero("call", "notes", "len")
            #expect(unknown.status == ExitCode.usage.rawValue && unknown.isOneErrorLine)
            #expect(unknown.errors.contains("mero alias list"))
            #expect(bench.node.requestCount("POST", "/jsonrpc") == 0)
            #expect(try await bench.mero("alias", "add", "context", "notes", bench.store).status == 0)
            #expect(try await bench.mero("call", "notes", "len").output == "0\n")
            #expect(
                try await bench.mero("context", "show", "notes", "--json").document?["contextId"]
                    == .string(bench.store))
            bench.node.clearRequests()
            #expect(try await bench.mero("call", bench.store, "len").status == 0)
            #expect(!bench.node.requests.contains { $0.path.contains("/alias/") })
            // Applications by an option, and a relay, which knows no names.
            #expect(try await bench.mero("alias", "add", "app", "kv", bench.probe).status == 0)
            let listed = try await bench.mero("context", "list", "--application", "kv", "--json")
            #expect(listed.status == 0, "\(listed.errors)")
            #expect(try await bench.mero("account", "new").status == 0)
            let relayed = try await bench.mero("call", "notes", "len", "--relay", bench.url)
            #expect(relayed.status == ExitCode.usage.rawValue && relayed.errors.contains("a relay knows none"))
        }
    }

    @Test("what has the form of an id, of a name, or of neither")
    func forms() {
        for id in [
            String(repeating: "a", count: 64), String(repeating: "F", count: 32), String(repeating: "z", count: 44),
        ] {
            #expect(AliasNames.hasFormOfId(id))
        }
        for name in ["notes", "a", "1", "my-notes_2.x", String(repeating: "-", count: 49) + "a"] {
            #expect(!AliasNames.hasFormOfId(name) && AliasNames.hasFormOfName(name))
        }
        for neither in ["", ".", "..", "-", "a/b", "a b", "é", "../x", "a%2e", String(repeating: "-", count: 50) + "a"]
        {
            #expect(!AliasNames.hasFormOfId(neither) && !AliasNames.hasFormOfName(neither), "\(neither)")
        }
    }

    @Test("a capability goes by its word and by the names that nodes and the library have for it")
    func capabilities() async throws {
        let names = [
            "CAN_CREATE_CONTEXT", "CAN_INVITE_MEMBERS", "CAN_JOIN_OPEN_SUBGROUPS", "MANAGE_MEMBERS",
            "MANAGE_APPLICATION", "CAN_CREATE_SUBGROUP", "CAN_DELETE_SUBGROUP", "CAN_MANAGE_VISIBILITY",
            "CAN_MANAGE_METADATA", "CAN_AUTHOR_ON_BEHALF",
        ]
        let parser = ArgumentParser(root: CommandTable.root)
        for (name, capability) in zip(names, MemberWords.capabilities) {
            let camel = name.split(separator: "_").enumerated()
                .map { $0 == 0 ? $1.lowercased() : $1.capitalized }.joined()
            for word in [name, camel, name.lowercased(), capability.word] {
                let parsed = try parser.parse(["member", "grant", "g", "a", word])
                #expect(MemberWords.mask(parsed.arguments.operandWords("capability")) == capability.bit, "\(word)")
            }
        }
        for bad in ["", "CAN", "CAN_AUTHOR", "act for others", "CAN_AUTHOR_ON_BEHALF2"] {
            #expect(throws: UsageError.self) { try parser.parse(["member", "grant", "g", "a", bad]) }
        }
        // What can be written there is said where something else was.
        let error = #expect(throws: UsageError.self) { try parser.parse(["alias", "show", "notes"]) }
        #expect(error?.hint.contains("<kind> <name>") == true && error?.hint.contains("context, app, device") == true)
    }
}
