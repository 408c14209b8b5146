/// A script that completes command lines in a shell, generated from the descriptions.
package enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    package var text: String {
        switch self {
        case .bash: BashCompletion.text
        case .zsh: ZshCompletion.text
        case .fish: FishCompletion.text
        }
    }

    /// The options whose value is the next word. That word is not a subcommand or an argument.
    static var flagsWithValue: [String] {
        (CommonOptions.all + CommandList.descriptions.flatMap(\.options)).filter { $0.value != nil }.map(
            \.flag
        )
        .unique
    }

    /// The first words of all names.
    static var firstWords: [String] { CommandList.descriptions.map { $0.words[0] }.unique }

    /// The text in single quotes, in a form that all three shells accept.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
