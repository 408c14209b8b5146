import CaretClient
import CaretCore

/// Deletes a document, or all documents below a prefix.
struct Rm: Subcommand {
    private static let dryRun = Option("dry-run", "only prints which documents would be deleted")

    static let description = CommandDescription(
        "rm", "deletes a document, or all documents below a prefix, with their histories",
        details: """
            A deleted name is free at once. `caret undelete` can restore a document for a while, by default 30 days. With \
            --prefix, the command asks for confirmation only once. If it ends before all documents are deleted, run it \
            again.
            """,
        arguments: [Argument("DOC", .document, "the document, or with --prefix the beginning of names")],
        options: [PrefixOption.option, dryRun, Confirmation.option])

    private let document: String
    private let isPrefix: Bool
    /// Nil for a dry run.
    private let confirmation: Confirmation?

    init(_ arguments: Arguments) throws(UsageFault) {
        isPrefix = arguments.has(PrefixOption.option)
        document = isPrefix ? try arguments.prefix(0) : try arguments.document(0)
        confirmation = arguments.has(Rm.dryRun) ? nil : try Confirmation(arguments)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withClient(about: document) { client in
            let entries =
                isPrefix
                ? try await client.documents(below: document) : [try await client.entry(of: document)]
            guard let confirmation else {
                for entry in entries { show(wouldDelete: entry, in: context) }
                return .done
            }
            if !confirmation.isGiven(to: question(entries), in: context) {
                if context.isJSON {
                    for entry in entries { context.show(Rm.json(entry.name, isDeleted: false)) }
                } else {
                    context.output.write("nothing was changed\n")
                }
                return .failed
            }
            return try await delete(entries.map(\.name), client, in: context)
        }
    }

    private func question(_ entries: [DocumentList.Entry]) -> String {
        let revisions = entries.reduce(0) { $0 + $1.revision.value }.counting("revision")
        return isPrefix
            ? "Delete \(entries.count.counting("document")) below \(document.printable) with \(revisions)?"
            : "Delete \(document.printable) with its \(revisions)?"
    }

    private func delete(
        _ names: [String], _ client: LiveClient, in context: CommandContext
    ) async throws -> ExitCode {
        if !isPrefix {
            try await client.delete(document)
            Rm.show(deleted: document, in: context)
            return .done
        }
        return try await BulkChange(verb: "deleted", context: context).run(names, named: \.self) {
            try await client.delete($0)
        } report: {
            Rm.show(deleted: $0, in: context)
        }
    }

    private static func show(deleted name: String, in context: CommandContext) {
        context.report(json(name, isDeleted: true), "\(name.printable) is deleted")
    }

    private func show(wouldDelete entry: DocumentList.Entry, in context: CommandContext) {
        if context.isJSON { return context.show(Rm.json(entry.name, isDeleted: false)) }
        let revisions = entry.revision.value.counting("revision")
        context.output.write("\(entry.name.printable) would be deleted with its \(revisions)\n")
    }

    private static func json(_ name: String, isDeleted: Bool) -> JSON {
        .object(["doc": .text(name), "deleted": .bool(isDeleted)])
    }
}
