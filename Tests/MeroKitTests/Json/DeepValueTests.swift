import Foundation
import Testing

@testable import MeroKit

/// Values that are nested deeper than a thread's stack would bear.
@Suite("Deep JSON values") struct DeepValueTests {
    /// A value with so many containers inside one another.
    private static func deep(_ levels: Int, object: Bool = false, _ core: JSONValue = 1) -> JSONValue {
        (0..<levels).reduce(core) { value, _ in object ? .object(["k": value]) : .array([value]) }
    }

    /// Everything that sends a value refuses it, and sends nothing.
    @Test(arguments: [false, true])
    func callsRefuseThem(object: Bool) async throws {
        let deep = Self.deep(5_000, object: object)
        let engine = ScriptedEngine { _, _ in .status(200) }
        let http = URLSessionHttpClient(
            baseURL: try #require(URL(string: "https://node.example")), engine: engine)
        let rpc = RpcClient(http: http)
        let admin = AdminApi(http: http)
        let rig = try RelayRig { _, _, _ in RelayRig.description }
        let presence = RelayPresenceClient(relay: rig.relay, events: { throw CancellationError() })
        let context = RelayRig.context
        struct Typed: Encodable {
            let value: JSONValue
        }
        let calls: [(String, @Sendable () async throws -> Void)] = [
            (
                "rpc",
                { let _: JSONValue = try await rpc.execute(contextId: context, method: "m", argsJson: ["x": deep]) }
            ),
            (
                "rpc, typed",
                {
                    let _: JSONValue = try await rpc.execute(
                        contextId: context, method: "m", argsJson: Typed(value: deep))
                }
            ),
            ("execute", { _ = try await rig.relay.execute(contextId: context, method: "m", argsJson: deep) }),
            ("query", { _ = try await rig.relay.query(contextId: context, method: "m", argsJson: deep) }),
            (
                "create",
                {
                    _ = try await rig.relay.createContext(
                        groupId: RelayRig.group, applicationId: RelayRig.release, initArgs: deep)
                }
            ),
            ("presence", { try await presence.set(context, state: deep) }),
            (
                "admin",
                {
                    _ = try await admin.queryContext(
                        context, request: QueryContextRequest(method: "m", argsJson: deep))
                }
            ),
            ("post", { let _: Empty = try await http.post("/x", json: Typed(value: deep)) }),
        ]
        for (name, call) in calls {
            let error = await failure(of: call)
            guard case MeroError.network(let text)? = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(text.contains("nested more than 512 levels deep"), "\(name): \(text)")
        }
        #expect(engine.requests.isEmpty && rig.routes.isEmpty)
    }

    @Test func theLimitIsTheParsers() throws {
        for object in [false, true] {
            let most = Self.deep(512, object: object)
            let bytes = try JSONWriter.bytes(of: most)
            let again = try JSONValue(jsonBytes: Data(bytes))
            #expect((again == most) == true)
            #expect(try MeroJSON.encode(most) == Data(bytes))
            #expect(throws: JSONWritingError.tooDeep) { try JSONWriter.bytes(of: Self.deep(513, object: object)) }
            #expect(throws: EncodingError.self) { try MeroJSON.encode(Self.deep(513, object: object)) }
        }
        // An empty container is one, too.
        #expect(throws: JSONWritingError.tooDeep) { try JSONWriter.bytes(of: Self.deep(512, [])) }
        #expect(throws: JSONWritingError.tooDeep) { try JSONWriter.bytes(of: Self.deep(512, [:])) }
        #expect(try JSONWriter.bytes(of: Self.deep(511, [])).count == 1024)
    }

    /// What cannot throw goes as deep as it takes.
    @Test(arguments: [false, true]) func textAndComparisonHaveNoLimit(object: Bool) {
        let levels = 5_000
        let value = Self.deep(levels, object: object)
        let text =
            String(repeating: object ? #"{"k":"# : "[", count: levels) + "1"
            + String(repeating: object ? "}" : "]", count: levels)
        // As `Bool`s: a test that fails would print the value by reflection.
        let isSameText = CanonicalJSON.string(value) == text && CanonicalJSON.data(value) == Data(text.utf8)
        let name = "MeroKit.JSONValue."
        let opening = object ? #"object(["k": "# : "array(["
        let inside =
            String(repeating: opening + name, count: levels) + "number(1.0)" + String(repeating: "])", count: levels)
        let isDescribed = "\(value)" == inside && String(reflecting: value) == name + inside
        let isEqual = value == Self.deep(levels, object: object)
        let isDifferent =
            value != Self.deep(levels, object: object, 2) && value != Self.deep(levels - 1, object: object)
            && value != Self.deep(levels, object: !object)
        #expect(isSameText && isDescribed && isEqual && isDifferent)
    }

    @Test func comparisonIsThatOfItsParts() {
        let value: JSONValue = ["a": [1, "x", nil, true, [:], []], "b": ["c": ["d": 2.5]]]
        #expect(value == ["b": ["c": ["d": 2.5]], "a": [1, "x", nil, true, [:], []]])
        for other in [
            ["a": [1, "x", nil, true, [:], []], "b": ["c": ["d": 2]]],
            ["a": [1, "x", nil, true, [], []], "b": ["c": ["d": 2.5]]],
            ["a": [1, "x", nil, true, [:]], "b": ["c": ["d": 2.5]]],
            ["a": [1, "x", false, true, [:], []], "b": ["c": ["d": 2.5]]],
            ["a": [1, "x", nil, true, [:], []], "b": ["e": ["d": 2.5]]],
            ["a": [1, "x", nil, true, [:], []]], [], nil, "a", 1, true,
        ] as [JSONValue] {
            #expect(value != other && other != value)
        }
        #expect(JSONValue.number(.nan) != .number(.nan) && JSONValue.number(0) == .number(-0.0))
    }

    /// As Swift prints an enum by itself.
    @Test func printingIsThatOfAnEnum() {
        enum Plain {
            case null
            case bool(Bool)
            case number(Double)
            case string(String)
            case array([Plain])
            case object([String: Plain])

            init(_ value: JSONValue) {
                switch value {
                case .null: self = .null
                case .bool(let value): self = .bool(value)
                case .number(let value): self = .number(value)
                case .string(let value): self = .string(value)
                case .array(let value): self = .array(value.map(Plain.init))
                case .object(let value): self = .object(value.mapValues(Plain.init))
                }
            }
        }
        for value in [
            nil, true, 42, -0.5, .number(.nan), .number(1e300), "x\"\n\u{1}é", [], [1, "x", [nil, [:]]], [:],
            ["k": [2]],
            ["a\"b": ["c": false]],
        ] as [JSONValue] {
            let name = String(String(reflecting: Plain.null).dropLast(4))
            #expect(name.hasSuffix("."))
            func plain(_ text: String) -> String { text.replacingOccurrences(of: name, with: "MeroKit.JSONValue.") }
            #expect("\(value)" == plain("\(Plain(value))"))
            #expect(String(reflecting: value) == plain(String(reflecting: Plain(value))))
        }
    }

    /// Why a text cannot be sent is said in words.
    @Test func aNumberThatNobodyCanReadIsNamed() async throws {
        let rig = try RelayRig { _, _, _ in RelayRig.description }
        let huge = try RawJSON("[1e400]")
        let error = await failure(of: {
            try await rig.relay.execute(JSONValue.self, contextId: RelayRig.context, method: "m", argsJson: huge)
        })
        #expect(
            (error as? MeroError)?.localizedDescription
                == "Network error: Cannot be written as JSON: JSON has neither NaN nor infinity, and no number beyond the "
                + "range of a double")
        #expect(rig.routes.isEmpty)
    }
}
