/// The completion script for bash, made from the table of commands. It needs no other package and runs on bash 3.2.
struct BashCompletion {
    let root: Command

    var script: String {
        """
        # bash completion for mero. Load it with: source <(mero completion bash)

        _mero_profiles() {
            local folder="${XDG_CONFIG_HOME:-$HOME/.config}/mero/profiles" profile
            for profile in "$folder"/*/; do
                [ -d "$profile" ] && basename "$profile"
            done
        }

        # Finds out which command the words before the cursor name, and whether an option still waits for its value.
        _mero() {
            local current="${COMP_WORDS[COMP_CWORD]}" path="mero" option="" index word
            COMPREPLY=()
            for ((index = 1; index < COMP_CWORD; index++)); do
                word="${COMP_WORDS[index]}"
                # bash cuts --name=value into three words.
                if [ "$word" = "=" ]; then continue; fi
                if [ -n "$option" ]; then option=""; continue; fi
                case "$word" in
                    \(valueFlags.joined(separator: "|"))) option="$word"; continue ;;
                    -*) continue ;;
                esac
                case "$path $word" in
                    \(knownPaths.map { "\"\($0)\"" }.joined(separator: "|"))) path="$path $word" ;;
                esac
            done
            if [ -n "$option" ]; then
                if [ "$current" = "=" ]; then current=""; fi
                case "$option" in
        \(valueCases)
                esac
                return
            fi
            case "$path" in
        \(pathCases)
            esac
        }

        complete -F _mero mero
        """
    }

    private var leavesAndGroups: [[Command]] { CommandTree.paths(from: root) }

    private var knownPaths: [String] { leavesAndGroups.dropFirst().map(HelpPage.line) }

    /// Options that take a value, once each: the same name means the same everywhere.
    private var optionsWithValue: [OptionSpec] { CommandTree.distinctOptions(of: root).filter { $0.value != .none } }

    private var valueFlags: [String] { optionsWithValue.flatMap(CommandTree.flags) }

    private var valueCases: String {
        optionsWithValue.compactMap { option in
            guard let words = Self.generator(for: option.value) else { return nil }
            return "            \(CommandTree.flags(of: option).joined(separator: "|"))) \(words) ;;"
        }.joined(separator: "\n")
    }

    private static func generator(for value: OptionSpec.Value) -> String? {
        switch value {
        case .none, .text, .seconds, .port, .count: return nil
        case .node: return #"COMPREPLY=($(compgen -W "http:// https://" -- "$current"))"#
        case .file: return #"COMPREPLY=($(compgen -f -- "$current"))"#
        case .directory: return #"COMPREPLY=($(compgen -d -- "$current"))"#
        case .profile: return #"COMPREPLY=($(compgen -W "$(_mero_profiles)" -- "$current"))"#
        case .choice(let words): return #"COMPREPLY=($(compgen -W "\#(words.joined(separator: " "))" -- "$current"))"#
        }
    }

    private var pathCases: String {
        leavesAndGroups.map { path in
            let words = CommandTree.words(after: path)
            return "        \"\(HelpPage.line(of: path))\") "
                + "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\")) ;;"
        }.joined(separator: "\n")
    }
}
