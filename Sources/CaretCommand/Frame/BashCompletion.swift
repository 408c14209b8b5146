/// The completion script for bash.
enum BashCompletion {
    static var text: String {
        """
        _caret() {
            local line=${COMP_LINE:0:COMP_POINT} all=() words=() cur word skip= name index IFS=$' \\t\\n'
            COMPREPLY=()
            # Bash splits words at : and @, which addresses and revisions contain. So this function splits the
            # line itself.
            read -ra all <<<"$line"
            [[ $line == *[[:blank:]] ]] && all+=('')
            cur=${all[-1]}
            for word in "${all[@]:1:${#all[@]}-2}"; do
                if [[ $skip ]]; then skip=; continue; fi
                case $word in
                \(CompletionScript.flagsWithValue.joined(separator: "|"))) skip=1 ;;
                -*) ;;
                *) words+=("$word") ;;
                esac
            done
            # The value of an option is not completed.
            [[ $skip ]] && return
            name=${words[0]}
            index=$((${#words[@]} - 1))
            case $name in
            \(CommandList.families.map(\.word).joined(separator: "|")))
                if ((${#words[@]} > 1)); then name="${words[*]:0:2}" index=$((index - 1)); fi ;;
            esac
            if [[ $cur == -* ]]; then
                _caret_offer \(CommonOptions.all.map(\.flag).joined(separator: " ")) $(_caret_options "$name")
                return
            fi
            case $name:$index in
            :*) _caret_offer \(CompletionScript.firstWords.joined(separator: " ")) ;;
        \(families)\(CommandList.descriptions.map(arguments).joined())    esac
        }
        _caret_options() {
            case $1 in
        \(CommandList.descriptions.map(options).joined())    esac
        }
        _caret_offer() { COMPREPLY=($(compgen -W "$*" -- "$cur")); }
        _caret_documents() {
            local name
            while IFS= read -r name; do
                printf -v name %q "$name"
                # Bash replaces only the text after the last : or @.
                COMPREPLY+=("${name#"${cur%"${COMP_WORDS[COMP_CWORD]}"}"}")
            done < <(caret ls "$cur" 2>/dev/null | cut -f1)
        }
        complete -o default -F _caret caret

        """
    }

    private static var families: String {
        CommandList.families.map { family in
            "    \(family.word):0) _caret_offer \(family.members.joined(separator: " ")) ;;\n"
        }.joined()
    }

    private static func arguments(_ command: CommandDescription) -> String {
        command.arguments.enumerated().map { index, argument in
            let pattern = "    \(CompletionScript.quoted(command.name)):\(index)) "
            switch argument.kind {
            case .document: return pattern + "_caret_documents ;;\n"
            case .words(let words): return pattern + "_caret_offer \(words.joined(separator: " ")) ;;\n"
            // Bash completes file names by itself.
            case .file, .folder, .other: return ""
            }
        }.joined()
    }

    private static func options(_ command: CommandDescription) -> String {
        if command.options.isEmpty { return "" }
        return "    \(CompletionScript.quoted(command.name))) echo "
            + command.options.map(\.flag).joined(separator: " ") + " ;;\n"
    }
}
