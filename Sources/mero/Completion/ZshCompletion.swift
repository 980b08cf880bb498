/// The completion script for zsh, made from the table of commands.
struct ZshCompletion {
    let root: Command

    var script: String {
        """
        #compdef mero
        # zsh completion for mero. Put it into a folder of $fpath as _mero, or load it with:
        #   source <(mero completion zsh)

        _mero_profiles() {
            local -a profiles
            profiles=(${XDG_CONFIG_HOME:-$HOME/.config}/mero/profiles/*(N/:t))
            _describe -t profiles 'profile' profiles
        }

        \(CommandTree.paths(from: root).map(function).joined(separator: "\n\n"))

        if [ "$funcstack[1]" = "_mero" ]; then
            _mero "$@"
        elif (( $+functions[compdef] )); then
            compdef _mero mero
        fi
        """
    }

    private static func name(of path: [Command]) -> String {
        "_" + path.map { $0.name.replacingHyphens }.joined(separator: "_")
    }

    private func function(for path: [Command]) -> String {
        let command = path[path.count - 1]
        let specifications = CommandTree.options(of: path).flatMap(Self.specifications)
        return command.subcommands.isEmpty
            ? leaf(path, specifications: specifications) : group(path, specifications: specifications)
    }

    private func leaf(_ path: [Command], specifications: [String]) -> String {
        let operands = path[path.count - 1].operands.map { operand -> String in
            let choices = operand.choices.isEmpty ? CommandTree.operandWords(after: path) : operand.choices
            let action = choices.isEmpty ? " " : "(\(choices.joined(separator: " ")))"
            let position = operand.repeats ? "*" : operand.optional ? ":" : ""
            return Self.quoted("\(position):\(Self.escaped(operand.name)):\(action)")
        }
        return """
            \(Self.name(of: path))() {
                _arguments -s -S \\
                    \((specifications + operands).joined(separator: " \\\n        "))
            }
            """
    }

    private func group(_ path: [Command], specifications: [String]) -> String {
        let command = path[path.count - 1]
        let names = command.subcommands.map { Self.quoted("\($0.name):\($0.summary.replacingColons)") }
        let cases = command.subcommands.map { "\($0.name)) \(Self.name(of: path + [$0])) ;;" }
        return """
            \(Self.name(of: path))() {
                local context state state_descr line
                local -A opt_args
                local -a commands
                commands=(
                    \(names.joined(separator: "\n        "))
                )
                _arguments -C -s -S \\
                    \(specifications.joined(separator: " \\\n        ")) \\
                    '1: :->command' '*:: :->arguments'
                case "$state" in
                    command) _describe -t commands 'command' commands ;;
                    arguments)
                        case "$line[1]" in
                            \(cases.joined(separator: "\n                "))
                        esac
                        ;;
                esac
            }
            """
    }

    /// `'(-p --profile)'{-p,--profile}'[help]:NAME:action'`
    private static func specifications(of option: OptionSpec) -> [String] {
        let flags = CommandTree.flags(of: option)
        let exclusive = option.repeats ? "*" : "(\(flags.joined(separator: " ")))"
        let help = "[\(escaped(option.help))]"
        let value = option.placeholder.map { ":\(escaped($0)):\(action(for: option.value))" } ?? ""
        return flags.map { quoted("\(exclusive)\($0)\(help)\(value)") }
    }

    private static func action(for value: OptionSpec.Value) -> String {
        switch value {
        case .none, .text, .seconds, .port, .count: return " "
        case .node: return "_urls"
        case .file: return "_files"
        case .directory: return "_files -/"
        case .profile: return "_mero_profiles"
        case .choice(let words): return "(\(words.joined(separator: " ")))"
        }
    }

    /// For `_arguments`: colons and brackets have a meaning there.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, letter in
            if ":[]\\".contains(letter) { result.append("\\") }
            result.append(letter)
        }
    }

    /// For the shell: one word in single quotes.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

extension String {
    fileprivate var replacingHyphens: String { String(map { $0 == "-" ? "_" : $0 }) }
    fileprivate var replacingColons: String { String(map { $0 == ":" ? ";" : $0 }) }
}
