import CaretClient

/// Lets two invented people write in a document, so that a newcomer sees how it looks when several people do.
struct Demo: Subcommand {
    static let description = CommandDescription(
        "demo", "lets two invented people write in a document, to show how it looks",
        details: """
            The two type, select, and undo what they have typed, for about ten minutes. They type only \
            at the ends of lines, away from the carets of others.
            """,
        arguments: [Argument("DOC", .document, "the document")])

    private let document: String

    init(_ arguments: Arguments) throws(UsageFault) { document = try arguments.document(0) }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.requireServer()
        try await context.addingSubject(about: document) {
            try await withThrowingTaskGroup { group in
                for (person, phrases) in Demo.people {
                    group.addTask {
                        var options = ClientOptions(token: context.token, person: person)
                        options.warnsOfFaults = false
                        let client = LiveClient(servers: context.target.addresses, options)
                        defer { client.close() }
                        let open = try await client.open(document).opened()
                        try await DemoPerson(in: open, phrases).write()
                    }
                }
                // Both write until one of them has finished, or cannot continue because the document is deleted.
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        return .done
    }

    private static let people: [(PersonInfo, [String])] = [
        (
            PersonInfo(name: "Mia", color: "#d62578"),
            [
                "\nMia: I can bring plates.", "\nMia: who has the keys?", " (Mia will check)",
                "\nMia: your caret stays where it is while I write this.",
            ]
        ),
        (
            PersonInfo(name: "Noah", color: "#218431"),
            [
                "\nNoah: I will be ten minutes late.", " and two lemons", "\nNoah: let us meet at noon.",
                "\nNoah: type something, I will see it at once.",
            ]
        ),
    ]
}
