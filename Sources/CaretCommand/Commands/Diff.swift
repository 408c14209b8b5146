import CaretClient
import CaretCore

/// Prints the difference between two texts.
struct Diff: Subcommand {
    static let description = CommandDescription(
        "diff", "prints the difference between two revisions or two documents",
        details: """
            Without B, A is compared with the newest revision of the same document. The output is a patch; on a terminal it \
            has colours. Equal texts print nothing.
            """,
        arguments: [
            Argument("A", .document, "the old text: DOC@REV"),
            Argument("B", .document, isOptional: true, "the new text: DOC@REV, or @REV of the same document"),
        ])

    private let old: DocumentPoint
    private let new: DocumentPoint

    init(_ arguments: Arguments) throws(UsageFault) {
        old = try arguments.point(0)
        guard let text = arguments.optional(1) else {
            new = DocumentPoint(document: old.document, revision: .head)
            return
        }
        new = try arguments.point(text.hasPrefix("@") ? old.document + text : text)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let (old, new) = try await context.withClient(about: subject) { client in
            (try await client.read(self.old), try await client.read(self.new))
        }
        let (oldText, newText) = (try TextBuffer(old.text), try TextBuffer(new.text))
        let change = diff(from: oldText, to: newText)
        if context.isJSON {
            context.show(.object(["from": old.json, "to": new.json, "edits": change.json]))
            return .done
        }
        let lines = try LineDiff(from: oldText, to: newText, by: change)
        let page = DiffPage(
            Patch(lines, from: old.title, to: new.title), style: context.style,
            isForUsers: context.screen != nil)
        context.output.write(page.text)
        return .done
    }

    private var subject: String {
        old.document.utf8.elementsEqual(new.document.utf8)
            ? old.document : "\(old.document), \(new.document)"
    }
}

extension DocumentVersion {
    fileprivate var title: String { "\(name.printable)@\(revision.value)" }

    fileprivate var json: JSON { .object(["doc": .text(name), "rev": .number(revision.value)]) }
}
