/// All subcommands, in the order of the help page.
package enum CommandList {
    static let all: [any Subcommand.Type] = [
        Ping.self, Cat.self, Put.self, New.self, Ls.self, Stat.self, Log.self, NameRevision.self,
        Show.self,
        Diff.self, Blame.self, Grep.self, Notes.self, WriteNote.self, Suggest.self, Restore.self, Copy.self,
        Mv.self, Rm.self, Undelete.self, Trim.self,
        Redact.self, Share.self,
        TokenAdd.self, TokenList.self, TokenRevoke.self, TokenSign.self, TokenCheck.self,
        TokenSignOut.self,
        Export.self, Import.self, Verify.self, Backup.self, Move.self, Who.self, Nodes.self, Top.self,
        Tail.self, EditDocument.self, OpenPage.self, Watch.self, Sync.self, EditorPipe.self,
        AssistantServer.self, Demo.self,
        TrashList.self, TrashRestore.self,
        Help.self, Completion.self,
    ]

    package static var descriptions: [CommandDescription] { all.map { $0.description } }

    /// The subcommand that the first words name, and how many words its name has.
    static func command(in words: [String]) -> (type: any Subcommand.Type, words: Int)? {
        for count in [2, 1] where words.count >= count {
            let name = words.prefix(count).joined(separator: " ")
            if let found = all.first(where: { $0.description.name == name }) { return (found, count) }
        }
        return nil
    }

    /// The subcommands with two-word names: each first word, such as `token`, with its possible second words.
    static var families: [(word: String, members: [String])] {
        let names = descriptions.map(\.words).filter { $0.count == 2 }
        return names.map { $0[0] }.unique.map { word in
            (word, names.filter { $0[0] == word }.map { $0[1] })
        }
    }
}

extension [String] {
    /// The distinct elements, in the order of their first occurrence.
    var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
