import Foundation

/// Who a login is for: the program that asks for the session.
///
/// A node may admit some only, and compares the text byte by byte. Spec: 50, section 8, and 60, section 9.1.
public enum LoginAudience: Sendable, Equatable {
    /// The origin of a page, e.g. `https://app.example`.
    case webOrigin(String)
    /// The identifier that an app is signed with, e.g. `com.example.app`.
    case codeSigningId(String)
    /// A program without either.
    case cli

    /// The bundle identifier of this program, `cli` when it has none.
    public static var current: LoginAudience {
        Bundle.main.bundleIdentifier.map { .codeSigningId($0) } ?? .cli
    }

    private var tag: UInt8 {
        switch self {
        case .webOrigin: return 0
        case .codeSigningId: return 1
        case .cli: return 2
        }
    }

    /// Nil for `cli`.
    private var value: String? {
        switch self {
        case .webOrigin(let value), .codeSigningId(let value): return value
        case .cli: return nil
        }
    }

    /// As it is signed: without a length.
    package var signedBytes: Data { Data([tag]) + Data((value ?? "").utf8) }

    /// As nodes name it: the origin verbatim, `codesign:<id>`, `cli`.
    package var label: String {
        switch self {
        case .webOrigin(let origin): return origin
        case .codeSigningId(let id): return "codesign:\(id)"
        case .cli: return "cli"
        }
    }

    package func write(to writer: inout BorshWriter) {
        writer.u8(tag)
        if let value { writer.string(value) }
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        switch try reader.u8("audience") {
        case 0: self = .webOrigin(try reader.string("audience"))
        case 1: self = .codeSigningId(try reader.string("audience"))
        case 2: self = .cli
        default: throw .invalid("audience")
        }
    }
}
