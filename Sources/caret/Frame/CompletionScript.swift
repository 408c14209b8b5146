/// What a shell needs to complete the command line, made from the descriptions.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    var text: String {
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

    /// The first words of names of two words, with the second ones.
    static var families: [(word: String, members: [String])] {
        let names = CommandList.descriptions.map(\.words).filter { $0.count == 2 }
        return names.map { $0[0] }.unique.map { word in
            (word, names.filter { $0[0] == word }.map { $0[1] })
        }
    }

    /// In single quotes, as all three shells take them.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

extension [String] {
    /// Each once, where it stands first.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
