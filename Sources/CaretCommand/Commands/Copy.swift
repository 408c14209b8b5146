import CaretClient

/// Copies a document with its named revisions.
struct Copy: Subcommand {
    static let description = CommandDescription(
        "copy", "copies a document under a new name, with its named revisions",
        details: """
            The copy has a history of its own: the text of each named revision, and then the newest text. You are the \
            author of all of it. A copy never replaces an existing document.
            """,
        arguments: [
            Argument("DOC", .document, "the document"),
            Argument("NAME", .document, "the name of the copy"),
        ])

    private let document: String
    private let name: String

    init(_ arguments: Arguments) throws(UsageFault) {
        (document, name) = (try arguments.document(0), try arguments.document(1))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withClient(about: "\(document) to \(name)") {
            try await $0.copy(document, to: name)
        }
        context.report(
            .object(["doc": .text(name), "source": .text(document)]),
            "\(name.printable) is a copy of \(document.printable)")
        return .done
    }
}
