import Foundation
import MeroKit

/// An application written in Swift that the dev node runs instead of a compiled one.
///
/// State is a map of JSON values that the node owns; methods declare whether they may change it.
///
/// ```swift
/// struct Counter: DevContract {
///     let name = "counter"
///     let methods: [String: DevMethod] = [
///         "value": .read { $0.state["value"] ?? 0 },
///         "add": .mutate { call in
///             let sum = (call.state["value"]?.intValue ?? 0) + (try call.arg("by", as: Int.self))
///             call.state["value"] = .number(Double(sum))
///             call.emit("Added", ["sum": .number(Double(sum))])
///             return .number(Double(sum))
///         },
///     ]
/// }
/// ```
public protocol DevContract: Sendable {
    /// What a context remembers of its contract; unique among the contracts of a node.
    var name: String { get }
    /// The methods by the names callers use.
    var methods: [String: DevMethod] { get }
    /// The version of the state that the contract reads and writes. 1 unless said otherwise.
    var stateVersion: UInt32 { get }
    /// How the state of the release before is made the state of this one; nil when both read the same.
    var migration: DevMigration? { get }
}

extension DevContract {
    /// 1.
    public var stateVersion: UInt32 { 1 }
    /// None.
    public var migration: DevMigration? { nil }
}

/// What a new release does to the state of the one before, once for each context, while nobody writes.
public struct DevMigration: Sendable {
    let run: @Sendable (inout DevState) throws -> Void

    /// A body that throws leaves the context as it was: its upgrade has failed, and may be tried again.
    public init(_ run: @escaping @Sendable (inout DevState) throws -> Void) { self.run = run }
}

/// One method of a ``DevContract``.
///
/// A body runs alone on its context. It must not wait and must not call the node it runs on; ``readWhenReady(_:)`` is
/// for methods that wait.
public struct DevMethod: Sendable {
    enum Body: Sendable {
        case read(@Sendable (DevCall) throws -> DevOutput)
        case mutate(@Sendable (inout DevCall) throws -> DevOutput)
        case waiting(@Sendable (DevCall) async throws -> DevOutput)
    }

    let body: Body

    /// Whether a node whose role discards writes refuses the method.
    public var isMutating: Bool {
        if case .mutate = body { return true }
        return false
    }

    /// A method that only looks. `nil` is the output `null`.
    public static func read(_ body: @escaping @Sendable (DevCall) throws -> JSONValue?) -> DevMethod {
        DevMethod(body: .read { .value(try body($0)) })
    }

    /// A method that may change `call.state` and emit events; both are undone when it throws.
    public static func mutate(_ body: @escaping @Sendable (inout DevCall) throws -> JSONValue?) -> DevMethod {
        DevMethod(body: .mutate { .value(try body(&$0)) })
    }

    /// As ``read(_:)``, with an output whose digits are kept.
    public static func readExact(_ body: @escaping @Sendable (DevCall) throws -> DevOutput) -> DevMethod {
        DevMethod(body: .read(body))
    }

    /// As ``mutate(_:)``, with an output whose digits are kept.
    public static func mutateExact(_ body: @escaping @Sendable (inout DevCall) throws -> DevOutput) -> DevMethod {
        DevMethod(body: .mutate(body))
    }

    /// A method that may wait. It sees the state as it was when the call began and holds up nobody.
    public static func readWhenReady(_ body: @escaping @Sendable (DevCall) async throws -> DevOutput) -> DevMethod {
        DevMethod(body: .waiting(body))
    }
}

/// What a method returns, as exact JSON.
public struct DevOutput: Sendable {
    private enum Content: Sendable {
        case tree(JsonTree)
        case text(String)
    }

    private let content: Content

    /// `nil` is `null`.
    public static func value(_ value: JSONValue?) -> DevOutput {
        DevOutput(content: .tree(value.map { JsonTree($0) } ?? .null))
    }

    /// JSON text as it is. Text that is no JSON makes the call fail with `SerdeError`.
    public static func text(_ json: String) -> DevOutput { DevOutput(content: .text(json)) }

    /// Anything that encodes to JSON; 64-bit integers keep all their digits. Throws what the encoder throws.
    public static func encoding(_ value: some Encodable) throws -> DevOutput {
        .text(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }

    /// Throws `JsonSyntaxProblem`.
    func tree() throws -> JsonTree {
        switch content {
        case .tree(let tree): return tree
        case .text(let text): return try JsonParser.parse(text.utf8)
        }
    }
}

/// How a method ends other than by returning.
public enum DevContractError: Error, Sendable, Equatable {
    /// The method returned an error: `FunctionCallError` with this text.
    case failure(String)
    /// The method crashed: `FunctionCallError` with `panicked: ` and this text.
    case panic(String)
}
