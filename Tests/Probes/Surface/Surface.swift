import Foundation

/// Looks at what the package makes public: `scripts/api` and `scripts/docs` run it.
///
/// Arguments: the folder with the symbol graphs, the folder of the lists, `--check` or `--update`, then the modules, each with its
/// documentation catalog after a colon if it has one. Ends with status 1, and says why, when something is not as it should be.
@main
enum Surface {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4, ["--check", "--update"].contains(arguments[3]) else { exit(64) }
        let lists = URL(fileURLWithPath: arguments[2])
        var complaints: [String] = []
        for argument in arguments.dropFirst(4) {
            let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
            let graph = try SymbolGraph(module: parts[0], in: URL(fileURLWithPath: arguments[1]))
            let list = lists.appendingPathComponent("\(parts[0]).txt")
            complaints += undocumented(graph)
            if parts.count > 1 { complaints += try uncurated(graph, catalog: URL(fileURLWithPath: parts[1])) }
            if arguments[3] == "--update" {
                try Data(declarations(graph).map { $0 + "\n" }.joined().utf8).write(to: list)
            } else {
                complaints += difference(graph, list)
            }
        }
        for complaint in complaints { FileHandle.standardError.write(Data("\(complaint)\n".utf8)) }
        exit(complaints.isEmpty ? 0 : 1)
    }

    /// Whatever is public says what it is.
    private static func undocumented(_ graph: SymbolGraph) -> [String] {
        graph.symbols.filter { !$0.isDocumented }.map { "\($0.place): \($0.path) has no doc comment" }.sorted()
    }

    /// Every top-level name stands in a list of topics: what is in none would be found by nobody.
    private static func uncurated(_ graph: SymbolGraph, catalog: URL) throws -> [String] {
        var listed: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: catalog.path) where name.hasSuffix(".md") {
            let text = try String(contentsOf: catalog.appendingPathComponent(name), encoding: .utf8)
            for line in text.split(separator: "\n") where line.hasPrefix("- ``") && line.hasSuffix("``") {
                // Overloads are told apart by a suffix, which changes with their signatures.
                let link = line.dropFirst(4).dropLast(2)
                listed.insert(String(link.range(of: ")-").map { link[..<link.index(after: $0.lowerBound)] } ?? link))
            }
        }
        return graph.symbols.filter { $0.pathComponents.count == 1 && !listed.contains($0.path) }
            .map { "\($0.place): \($0.path) is in no topic of \(catalog.lastPathComponent)" }.sorted()
    }

    /// One line for each public declaration and each conformance.
    private static func declarations(_ graph: SymbolGraph) -> [String] {
        var lines: Set<String> = []
        var paths: [String: String] = [:]
        for symbol in graph.symbols {
            paths[symbol.identifier.precise] = symbol.path
            let text = symbol.declarationFragments.map(\.spelling).joined()
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            lines.insert("\(symbol.path)  \(text)\(symbol.isDeprecated ? "  (deprecated)" : "")")
        }
        // What every type has by itself says nothing.
        let implied: Set = ["Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"]
        for relationship in graph.relationships where relationship.kind == "conformsTo" {
            let name = paths[relationship.target] ?? relationship.targetFallback ?? relationship.target
            guard let type = paths[relationship.source], !implied.contains(name) else { continue }
            lines.insert("\(type)  : \(name)")
        }
        return lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func difference(_ graph: SymbolGraph, _ list: URL) -> [String] {
        let now = declarations(graph)
        let before = ((try? String(contentsOf: list, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
        let gone = Set(before).subtracting(now).map { (line: $0, mark: "-") }
        let new = Set(now).subtracting(before).map { (line: $0, mark: "+") }
        guard !gone.isEmpty || !new.isEmpty else { return [] }
        let changes = (gone + new).sorted { ($0.line, $1.mark) < ($1.line, $0.mark) }.map { "\($0.mark) \($0.line)" }
        return ["\(list.lastPathComponent) does not say what is public now (scripts/api --update rewrites it):"]
            + changes
    }
}
