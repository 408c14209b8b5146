import CaretClient
import CaretCore

/// Makes the text of an old revision the newest one.
struct Restore: Subcommand {
    static let description = CommandDescription(
        "restore", "makes a new revision whose text is that of an old one",
        details: "Nothing is lost: what was newest before stays in the history.",
        arguments: [Argument("DOC@REV", .document, "the revision whose text is wanted")])

    private let point: DocumentPoint

    init(_ arguments: Arguments) throws(UsageFault) {
        point = try arguments.point(0)
        if point.revision == .head {
            throw arguments.fault(
                .badValue(
                    "DOC@REV", found: arguments.required(0), expected: "a document with a revision behind @")
            )
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let (old, saved) = try await context.reach(about: point.document) { client in
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
            let name = point.document.harmless
            context.output.write(
                saved.isUnchanged
                    ? "\(name): unchanged, its text is that of revision \(old.value)\n"
                    : "\(name): revision \(saved.revision.value) has the text of revision \(old.value)\n")
        }
        return .done
    }
}
