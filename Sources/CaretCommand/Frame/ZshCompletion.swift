/// The completion script for zsh.
enum ZshCompletion {
    static var text: String {
        """
        #compdef caret
        _caret() {
            local -a given
            local word skip name
            integer index
            for word in "${(@)words[2,CURRENT-1]}"; do
                if [[ -n $skip ]]; then skip=; continue; fi
                case $word in
                (\(CompletionScript.flagsWithValue.joined(separator: "|"))) skip=1 ;;
                (-*) ;;
                (*) given+=("$word") ;;
                esac
            done
            if [[ -n $skip ]]; then _files; return; fi
            name=$given[1]
            index=$(($#given - 1))
            case $name in
            (\(CommandList.families.map(\.word).joined(separator: "|")))
                if (($#given > 1)); then name="$given[1] $given[2]"; index=$((index - 1)); fi ;;
            esac
            if [[ $PREFIX == -* ]]; then
                compadd -- \(CommonOptions.all.map(\.flag).joined(separator: " "))
                case $name in
        \(CommandList.descriptions.map(options).joined())        esac
                return
            fi
            case $name:$index in
            (:*) compadd -- \(CompletionScript.firstWords.joined(separator: " ")) ;;
        \(families)\(CommandList.descriptions.map(arguments).joined())    (*) _files ;;
            esac
        }
        _caret_documents() { compadd -- ${(f)"$(caret ls "$PREFIX" 2>/dev/null | cut -f1)"}; }
        # If the first Tab autoloads this file, it completes at once. If the file is sourced, it only
        # registers the function.
        if [[ $funcstack[1] == _caret ]]; then _caret "$@"; else compdef _caret caret; fi

        """
    }

    private static var families: String {
        CommandList.families.map { family in
            "    (\(family.word):0) compadd -- \(family.members.joined(separator: " ")) ;;\n"
        }.joined()
    }

    private static func arguments(_ command: CommandDescription) -> String {
        command.arguments.enumerated().map { index, argument in
            let pattern = "    (\(CompletionScript.quoted(command.name)):\(index)) "
            switch argument.kind {
            case .document: return pattern + "_caret_documents ;;\n"
            case .words(let words): return pattern + "compadd -- \(words.joined(separator: " ")) ;;\n"
            case .file, .folder, .other: return ""
            }
        }.joined()
    }

    private static func options(_ command: CommandDescription) -> String {
        if command.options.isEmpty { return "" }
        return "        (\(CompletionScript.quoted(command.name))) compadd -- "
            + command.options.map(\.flag).joined(separator: " ") + " ;;\n"
    }
}
