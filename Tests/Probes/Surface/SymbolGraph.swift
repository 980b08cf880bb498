import Foundation

/// What the compiler tells about the public declarations of a module, as far as it is read here.
struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { var precise: String }
        struct Fragment: Decodable { var spelling: String }
        struct Comment: Decodable {
            struct Line: Decodable { var text: String }
            var lines: [Line]
        }
        struct Location: Decodable {
            struct Position: Decodable { var line: Int }
            var uri: String
            var position: Position
        }
        struct Availability: Decodable { var isUnconditionallyDeprecated: Bool? }

        var identifier: Identifier
        var pathComponents: [String]
        var docComment: Comment?
        var declarationFragments: [Fragment]
        var location: Location?
        var availability: [Availability]?

        var path: String { pathComponents.joined(separator: ".") }
        var isDocumented: Bool {
            docComment?.lines.contains { !$0.text.trimmingCharacters(in: .whitespaces).isEmpty } == true
        }
        var isDeprecated: Bool { availability?.contains { $0.isUnconditionallyDeprecated == true } == true }
        /// `Sources/MeroKit/Mero/Mero.swift:12`.
        var place: String {
            guard let location else { return "?" }
            let file = location.uri.range(of: "Sources/").map { location.uri[$0.lowerBound...] } ?? location.uri[...]
            return "\(file):\(location.position.line + 1)"
        }
    }
    struct Relationship: Decodable {
        var kind: String
        var source: String
        var target: String
        var targetFallback: String?
    }

    var symbols: [Symbol]
    var relationships: [Relationship]

    init(module: String, in folder: URL) throws {
        let file = folder.appendingPathComponent("\(module).symbols.json")
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
        // What a module adds to the types of another one stands in a file of its own.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("\(module)@") && name.hasSuffix(".symbols.json") {
            let more = try JSONDecoder().decode(Self.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
            symbols += more.symbols
            relationships += more.relationships
        }
    }
}
