import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct AliasTests {
    @Test(arguments: AliasBook.Kind.allCases.map(\.rawValue))
    func aliasesOfAKind(kind: String) async throws {
        try await withNode { fixture async throws in
            func create(_ name: String, _ id: String) async throws -> Answer {
                try await fixture.admin(
                    "POST", "/alias/create/\(kind)", #"{"alias":"\#(name)","\#(kind)Id":"\#(id)"}"#)
            }
            let empty = try await fixture.admin("GET", "/alias/list/\(kind)")
            #expect(empty.status == 200)
            #expect(empty.json == ["data": [:]])
            #expect(try await create("main", SomeId.first).json == ["data": .null])
            #expect(try await create("a.B_9-z", SomeId.second).json == ["data": .null])
            #expect(try await create(String(repeating: "x", count: 50), SomeId.second.uppercased()).status == 200)
            try await create("main", SomeId.second).expectError(409, "alias already exists")
            let found = try await fixture.admin("POST", "/alias/lookup/\(kind)/main", "{}")
            #expect(found.json == ["data": ["value": .string(SomeId.first)]])
            let missing = try await fixture.admin("POST", "/alias/lookup/\(kind)/nobody", "{}")
            #expect(missing.status == 200)
            #expect(missing.json == ["data": ["value": .null]])
            let listed = try await fixture.admin("GET", "/alias/list/\(kind)")
            #expect(
                listed.json == [
                    "data": [
                        "a.B_9-z": .string(SomeId.second), "main": .string(SomeId.first),
                        String(repeating: "x", count: 50): .string(SomeId.second),
                    ]
                ])
            for name in ["main", "main", "nobody"] {
                #expect(
                    try await fixture.admin("POST", "/alias/delete/\(kind)/\(name)", "{}").json == ["data": .null])
            }
            #expect(
                try await fixture.admin("POST", "/alias/lookup/\(kind)/main", "{}").json == ["data": ["value": .null]])
            #expect(try await create("main", SomeId.second).status == 200)
            // The other kinds have names of their own.
            for other in AliasBook.Kind.allCases.map(\.rawValue) where other != kind {
                #expect(try await fixture.admin("GET", "/alias/list/\(other)").json == ["data": [:]])
            }
        }
    }

    @Test(arguments: ["a%2Fb", "a%20b", "%C3%A4", "a%25", "a:b", String(repeating: "x", count: 51)])
    func namesThatAreNone(name: String) async throws {
        try await withNode { fixture async throws in
            for action in ["lookup", "delete"] {
                try await fixture.admin("POST", "/alias/\(action)/context/\(name)", "{}").expectText(400)
            }
        }
    }

    @Test func encodedNamesAreTheSameNames() async throws {
        try await withNode { fixture async throws in
            _ = try await fixture.admin(
                "POST", "/alias/create/context", #"{"alias":"a.b","contextId":"\#(SomeId.first)"}"#)
            let answer = try await fixture.admin("POST", "/alias/lookup/context/%61%2Eb", "{}")
            #expect(answer.json == ["data": ["value": .string(SomeId.first)]])
        }
    }
}
