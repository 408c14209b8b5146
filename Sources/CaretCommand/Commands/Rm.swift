import CaretClient
import CaretCore

/// Deletes a document.
struct Rm: Subcommand {
    static let description = CommandDescription(
        "rm", "deletes a document with its history",
        details:
            "Its name is free at once. `caret undelete` can restore it for a while, by default 30 days.",
        arguments: [Argument("DOC", .document, "the document")], options: [Confirmation.option])

    private let document: String
    private let confirmation: Confirmation

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        confirmation = try Confirmation(arguments)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let isDone = try await context.withClient(about: document) { client in
            let entry = try await client.entry(of: document)
            let count = entry.revision.value
            let what = "\(document.printable) with its \(count.counting("revision"))"
            if !confirmation.isGiven(to: "Delete \(what)?", in: context) { return false }
            try await client.delete(document)
            return true
        }
        if context.isJSON {
            context.show(.object(["doc": .text(document), "deleted": .bool(isDone)]))
        } else {
            context.output.write(isDone ? "\(document.printable) is deleted\n" : "nothing was changed\n")
        }
        return isDone ? .done : .failed
    }
}
