import CaretClient
import CaretCore
import CaretSync

/// Suggests a change of a document as a note.
struct Suggest: Subcommand {
    private static let base = Option(
        "base", value: "REV", "the revision that the text was made from; default: the newest one")
    private static let message = Option("saying", value: "TEXT", "the reason for the suggestion")

    static let description = CommandDescription(
        "suggest", "suggests a file or standard input as the new text of a document",
        details: """
            The text stays as it is. The suggestion is a note with the changes since the base revision, and follows the \
            changes of others. `caret notes DOC` prints it.
            """,
        arguments: [
            Argument("DOC", .document, "the document"),
            Argument(
                "FILE", .file, isOptional: true, "the file with the text; standard input if missing or -"),
        ], options: [base, message])

    private let document: String
    private let file: String
    private let base: RevisionName
    private let saying: String

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        file = arguments.optional(1) ?? "-"
        saying = FileText(arguments.text(Suggest.message) ?? "").text
        let text = arguments.text(Suggest.base) ?? ""
        guard let name = RevisionName(text) else {
            throw arguments.fault(.badValue(Suggest.base.flag, found: text, expected: RevisionName.expected))
        }
        base = name
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let text = FileText(try TextFile.text(at: file)).text
        let note = try await context.withClient(about: document) { client -> Int? in
            let version = try await client.read(DocumentPoint(document: document, revision: base))
            let change = diff(from: try TextBuffer(version.text), to: try TextBuffer(text))
            if change.isEmpty { return nil }
            return try await client.suggest(change, in: document, at: version.revision, saying: saying)
        }
        context.report(
            .object(["doc": .text(document), "note": JSON(note)]),
            note.map { "note \($0) on \(document.printable) suggests the change" }
                ?? "\(document.printable) has this text already; nothing was suggested")
        return .done
    }
}
