/// The script for fish.
enum FishCompletion {
    static var text: String {
        var text = """
            function __caret_documents
                caret ls (commandline -ct) 2>/dev/null | cut -f1
            end
            complete -c caret -e

            """
        for option in CommonOptions.all { text += line(option, condition: nil) }
        for command in CommandList.descriptions { text += section(command) }
        return text
    }

    private static func section(_ command: CommandDescription) -> String {
        let words = command.words
        let first = "not __fish_seen_subcommand_from \(CompletionScript.firstWords.joined(separator: " "))"
        var text: String
        if words.count == 1 {
            text = offer(words[0], command.summary, when: first)
        } else {
            let members = CommandList.families.first { $0.word == words[0] }?.members ?? []
            text = offer(words[0], "", when: first)
            text += offer(
                words[1], command.summary,
                when: "__fish_seen_subcommand_from \(words[0]); "
                    + "and not __fish_seen_subcommand_from \(members.joined(separator: " "))")
        }
        let seen = words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
        for option in command.options { text += line(option, condition: seen) }
        let kinds = command.arguments.map(\.kind)
        if kinds.contains(.document) {
            text += "complete -c caret -n \(CompletionScript.quoted(seen)) -a '(__caret_documents)'\n"
        }
        for case .words(let words) in kinds {
            let list = CompletionScript.quoted(words.joined(separator: " "))
            text += "complete -c caret -f -n \(CompletionScript.quoted(seen)) -a \(list)\n"
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
