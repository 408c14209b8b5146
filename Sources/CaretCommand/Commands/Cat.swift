import CaretClient
import CaretCore
import CaretSync

/// Prints the text of a document.
struct Cat: Subcommand {
    static let description = CommandDescription(
        "cat", "prints the text of a document at any revision",
        details: """
            The output has the line breaks of the document. On a terminal control characters become visible signs; elsewhere \
            the text is unchanged.
            """,
        arguments: [Argument("DOC[@REV]", .document, "the document, with an optional revision")])

    private let point: DocumentPoint

    init(_ arguments: Arguments) throws(UsageFault) { point = try arguments.point(0) }

    func run(in context: CommandContext) async throws -> ExitCode {
        let version = try await context.withClient(about: point.document) { try await $0.read(point) }
        if context.isJSON {
            context.show(
                .object([
                    "doc": .text(version.name), "epoch": .text(version.epoch),
                    "rev": .number(version.revision.value),
                    "newline": .text(version.usesCRLF ? "crlf" : "lf"), "text": .text(version.text),
                ]))
        } else {
            context.show(text: version.text, usesCRLF: version.usesCRLF)
        }
        return .done
    }
}

extension DocumentVersion {
    /// The bytes of a file with this text and its line breaks.
    var fileBytes: [UInt8] { text.fileBytes(usesCRLF: usesCRLF) }
}
