import MeroKit

/// Names (`mero alias`) in the place of ids: looked up at the node before a command begins.
enum AliasNames {
    /// The invocation with the ids that names stand for. A word that has the form of an id is never looked up.
    static func resolved(_ invocation: Invocation, of command: Command) async throws -> Invocation {
        var resolved = invocation
        let names = Names(invocation: invocation, atNode: command.options.contains(.node) && invocation.relay == nil)
        for operand in command.operands {
            guard let kind = operand.aliasKind else { continue }
            let words = invocation.arguments.operandWords(operand.name)
            let ids = try await names.ids(of: words, kind, as: "<\(operand.name)>", mayBeOther: operand.repeats)
            if ids != words { resolved.arguments.replace(operand.name, by: ids) }
        }
        for option in command.options {
            guard let kind = option.aliasKind else { continue }
            let words = invocation.arguments.texts(option)
            let ids = try await names.ids(of: words, kind, as: option.flag)
            if ids != words { resolved.arguments.replace(option, by: ids) }
        }
        return resolved
    }

    /// Ids have 64 hex digits on current nodes and were Base58 before.
    static func hasFormOfId(_ word: String) -> Bool {
        (32...64).contains(word.utf8.count) && word.unicodeScalars.allSatisfy(isLetterOrDigit)
    }

    /// What a node takes as a name: 1 to 50 letters, digits, dots, dashes and underscores. Without one letter or digit it
    /// would be no segment of a path.
    static func hasFormOfName(_ word: String) -> Bool {
        (1...50).contains(word.utf8.count) && word.unicodeScalars.contains(where: isLetterOrDigit)
            && word.unicodeScalars.allSatisfy { isLetterOrDigit($0) || "._-".unicodeScalars.contains($0) }
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    private struct Names {
        let invocation: Invocation
        let atNode: Bool

        /// - Parameter mayBeOther: Whether a word that is no name stays as it is: one of several is the command's to judge.
        func ids(
            of words: [String], _ kind: AliasActs.Kind, as place: String, mayBeOther: Bool = false
        ) async throws -> [String] {
            var ids: [String] = []
            for word in words {
                // A word of the commands, whatever a node calls by it.
                let id = word == "all" ? word : try await id(of: word, kind, as: place)
                guard id != nil || mayBeOther else {
                    throw Failure(
                        code: .usage, message: "\(place) is no id, and no name on this node: \"\(word)\"",
                        hint: "An id has 64 hex digits; \"mero alias list\" shows the names")
                }
                ids.append(id ?? word)
            }
            return ids
        }

        /// Nil for a name that stands for nothing; the word itself where it is none, or names cannot be looked up.
        private func id(of word: String, _ kind: AliasActs.Kind, as place: String) async throws -> String? {
            guard !hasFormOfId(word), hasFormOfName(word), atNode || invocation.relay != nil else { return word }
            guard atNode else {
                throw Failure(
                    code: .usage, message: "\(place) is no id: \"\(word)\"",
                    hint: "Names (\"mero alias\") are a node's own, and a relay knows none; nothing was sent")
            }
            // Without a session the command itself says so.
            guard let mero = try? Connection(invocation).signedIn() else { return word }
            do {
                return try await AliasActs.lookup(kind, word, await mero.admin)
            } catch MeroError.http(let answer) where [400, 403, 404].contains(answer.status) {
                // A session that may not look names up, or a node without them.
                return word
            }
        }
    }
}

extension Command.Operand {
    /// What a name in its place stands for; nil where only an id will do.
    var aliasKind: AliasActs.Kind? { AliasActs.Kind(placeOfId: name) }
}

extension OptionSpec {
    /// What a name as its value stands for; nil where only an id will do.
    var aliasKind: AliasActs.Kind? { AliasActs.Kind(placeOfId: name) }
}

extension AliasActs.Kind {
    fileprivate init?(placeOfId name: String) {
        switch name {
        case "context": self = .context
        case "application": self = .app
        case "device": self = .device
        default: return nil
        }
    }
}
