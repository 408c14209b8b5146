import CaretClient
import CaretCore

/// Makes the text of an old revision the newest one.
struct Restore: Subcommand {
    static let description = CommandDescription(
        "restore", "adds a new revision with the text of an old one",
        details: "Nothing is lost: the former text stays in the history.",
        arguments: [Argument("DOC@REV", .document, "the document and the old revision")])

    private let point: DocumentPoint

    init(_ arguments: Arguments) throws(UsageFault) {
        point = try arguments.point(0)
        if point.revision == .head {
            throw arguments.fault(
                .badValue(
                    "DOC@REV", found: arguments.required(0), expected: "a document with a revision: DOC@REV")
            )
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let (old, saved) = try await context.withClient(about: point.document) { client in
            let old = try await client.read(point).revision
            return (old, try await client.restore(point.document, to: old))
        }
        if context.isJSON {
            context.show(
                .object([
                    "doc": .text(point.document), "rev": .number(saved.revision.value),
                    "restored": .number(old.value), "unchanged": .bool(saved.isUnchanged),
                ]))
        } else {
            let name = point.document.printable
            context.output.write(
                saved.isUnchanged
                    ? "\(name): unchanged: it already has the text of revision \(old.value)\n"
                    : "\(name): revision \(saved.revision.value) has the text of revision \(old.value)\n")
        }
        return .done
    }
}
