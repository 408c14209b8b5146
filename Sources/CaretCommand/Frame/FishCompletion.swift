/// The completion script for fish.
enum FishCompletion {
    static var text: String {
        var text = """
            function __caret_documents
                caret ls (commandline -ct) 2>/dev/null | cut -f1
            end
            # Whether the words are this subcommand and then this number of other words.
            function __caret_at
                set -l given
                set -l skip
                for word in (commandline -opc)[2..]
                    if test -n "$skip"
                        set skip
                        continue
                    end
                    switch $word
                        case \(CompletionScript.flagsWithValue.joined(separator: " "))
                            set skip 1
                        case '-*'
                        case '*'
                            set -a given $word
                    end
                end
                for word in (string split -n ' ' -- $argv[1])
                    test "$given[1]" = $word
                    or return
                    set -e given[1]
                end
                test -z "$argv[2]" -o (count $given) = "$argv[2]"
            end
            complete -c caret -e

            """
        for option in CommonOptions.all { text += line(option, condition: nil) }
        for command in CommandList.descriptions { text += section(command) }
        return text
    }

    private static func section(_ command: CommandDescription) -> String {
        let words = command.words
        var text = ""
        if words.count == 1 {
            text = offer(words[0], command.summary, when: "__caret_at '' 0")
        } else {
            text = offer(words[0], "", when: "__caret_at '' 0")
            text += offer(words[1], command.summary, when: "__caret_at \(words[0]) 0")
        }
        let seen = "__caret_at \(CompletionScript.quoted(command.name))"
        for option in command.options { text += line(option, condition: seen) }
        for (index, argument) in command.arguments.enumerated() {
            let condition = "\(seen) \(index)"
            switch argument.kind {
            case .document: text += offer("'(__caret_documents)'", "", when: condition)
            case .words(let words):
                text += offer(CompletionScript.quoted(words.joined(separator: " ")), "", when: condition)
            // Fish completes file names by itself.
            case .file, .folder, .other: break
            }
        }
        return text
    }

    private static func offer(_ word: String, _ summary: String, when condition: String) -> String {
        let about = summary.isEmpty ? "" : " -d \(CompletionScript.quoted(summary))"
        return "complete -c caret -f -n \(CompletionScript.quoted(condition)) -a \(word)\(about)\n"
    }

    private static func line(_ option: Option, condition: String?) -> String {
        let when = condition.map { " -n \(CompletionScript.quoted($0))" } ?? ""
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let value = option.value == nil ? "" : " -r"
        return "complete -c caret\(when)\(letter) -l \(option.name)\(value) -d "
            + "\(CompletionScript.quoted(option.summary))\n"
    }
}
