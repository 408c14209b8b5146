/// All subcommands, in the order in which help tells of them.
enum CommandList {
    static let all: [any Subcommand.Type] = [
        Ping.self, Cat.self, Put.self, Ls.self, Stat.self, Log.self, Show.self, Diff.self,
        Blame.self,
        Help.self, Completion.self,
    ]

    static var descriptions: [CommandDescription] { all.map { $0.description } }

    /// The subcommand whose name these words begin with, and of how many words it is.
    static func command(in words: [String]) -> (type: any Subcommand.Type, words: Int)? {
        for count in [2, 1] where words.count >= count {
            let name = words.prefix(count).joined(separator: " ")
            if let found = all.first(where: { $0.description.name == name }) { return (found, count) }
        }
        return nil
    }
}
