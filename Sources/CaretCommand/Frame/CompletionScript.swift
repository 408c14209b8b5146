/// What a shell needs to complete the command line, made from the descriptions.
package enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    package var text: String {
        switch self {
        case .bash: BashCompletion.text
        case .zsh: ZshCompletion.text
        case .fish: FishCompletion.text
        }
    }

    /// Options whose value is the next word, which is then no name of a subcommand.
    static var flagsWithValue: [String] {
        (CommonOptions.all + CommandList.descriptions.flatMap(\.options)).filter { $0.value != nil }.map(
            \.flag
        )
        .unique
    }

    /// The first words of all names.
    static var firstWords: [String] { CommandList.descriptions.map { $0.words[0] }.unique }

    /// In single quotes, as all three shells take them.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
