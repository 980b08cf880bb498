import Foundation

/// Where members stand inside a JSON object, so that each can be decoded from its own bytes.
///
/// The whole text is checked, nothing is built, and what is handed out are slices of the original data: a `UInt64` in
/// them is as exact as it was on the wire, and no second tree is made on the way to it.
///
/// ```swift
/// let reply = try JSONMembers(data, paths: [["error"], ["result", "output"]])
/// if let output = reply["result", "output"] { return try MeroJSON.decode(T.self, from: output) }
/// ```
package struct JSONMembers: Sendable {
    private let data: Data
    /// So few that looking through them is faster than hashing their paths.
    private let found: [(path: [String], range: Range<Int>)]

    /// Throws `JSONSyntaxError`: of kind `.notAnObject` when the text is valid JSON, but no object.
    ///
    /// - Parameter paths: the members to find, each by the keys that lead to it. Of a repeated key the first counts.
    package init(_ data: Data, paths: [[String]]) throws {
        try self.init(data, at: Paths(paths))
    }

    /// The same for paths that were prepared once and are looked for often.
    package init(_ data: Data, at paths: Paths) throws {
        var finder = paths.finder
        try data.withUnsafeBytes { buffer in
            try JSONParser.parse(buffer, into: &finder)
        }
        guard finder.isObject else { throw JSONSyntaxError(.notAnObject, at: 0) }
        self.data = data
        found = finder.found
    }

    /// The bytes of a member's value, without the white space around it; nil when there is no such member.
    ///
    /// Only for paths that were asked for, or that lead to one.
    package subscript(path: String...) -> Data? { slice(path) }

    /// True when the member is there and is `null`.
    package func isNull(_ path: String...) -> Bool {
        slice(path)?.elementsEqual("null".utf8) ?? false
    }

    private func slice(_ path: [String]) -> Data? {
        guard let range = found.first(where: { $0.path == path })?.range else { return nil }
        return data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound]
    }
}

/// Notes the places of the wanted members while the parser walks by.
extension JSONMembers {
    /// Paths to members, prepared for looking.
    package struct Paths: Sendable {
        fileprivate let finder: MemberFinder

        package init(_ paths: [[String]]) { finder = MemberFinder(paths: paths) }
    }
}

private struct MemberFinder: JSONHandler, Sendable {
    /// The wanted members as a tree, the whole text being its root.
    private struct Node {
        let path: [String]
        let name: [UInt8]
        let parent: Int
        var isSeen = false
        var start = 0
        var end: Int?
    }

    private var nodes = [Node(path: [], name: [], parent: 0)]
    /// The wanted containers that are open, outermost first.
    private var open: [Int] = []
    /// How many containers are open, wanted or not. Keys matter only where this equals `open.count`.
    private var depth = 0
    /// The wanted member whose value comes next.
    private var due: Int? = 0
    private(set) var isObject = false

    init(paths: [[String]]) {
        for path in paths {
            var parent = 0
            for length in path.indices {
                let prefix = Array(path[...length])
                if let known = nodes.firstIndex(where: { $0.path == prefix }) {
                    parent = known
                } else {
                    nodes.append(Node(path: prefix, name: Array(path[length].utf8), parent: parent))
                    parent = nodes.count - 1
                }
            }
        }
    }

    var found: [(path: [String], range: Range<Int>)] {
        nodes.compactMap { node in node.end.map { (node.path, node.start..<$0) } }
    }

    mutating func key(_ token: JSONStringToken) {
        guard depth == open.count, let parent = open.last else { return }
        due = nodes.indices.dropFirst().first { index in
            nodes[index].parent == parent && !nodes[index].isSeen && token.equals(nodes[index].name)
        }
        if let due { nodes[due].isSeen = true }
    }

    mutating func null(from start: Int, to end: Int) { scalar(from: start, to: end) }
    mutating func bool(_ value: Bool, from start: Int, to end: Int) { scalar(from: start, to: end) }
    mutating func number(_ token: JSONNumberToken, from start: Int, to end: Int) { scalar(from: start, to: end) }
    /// What stands in an array is no member.
    mutating func naturals(_ text: UnsafeRawBufferPointer, from start: Int) {}
    mutating func string(_ token: JSONStringToken, from start: Int, to end: Int) { scalar(from: start, to: end) }

    mutating func beginObject(at start: Int) {
        if depth == 0 { isObject = true }
        begin(at: start)
    }
    mutating func endObject(at end: Int) { finish(at: end) }
    mutating func beginArray(at start: Int) { begin(at: start) }
    mutating func endArray(at end: Int) { finish(at: end) }

    private mutating func scalar(from start: Int, to end: Int) {
        guard let node = due else { return }
        nodes[node].start = start
        nodes[node].end = end
        due = nil
    }

    private mutating func begin(at start: Int) {
        if let node = due {
            nodes[node].start = start
            open.append(node)
            due = nil
        }
        depth += 1
    }

    private mutating func finish(at end: Int) {
        depth -= 1
        if open.count > depth { nodes[open.removeLast()].end = end }
    }
}
