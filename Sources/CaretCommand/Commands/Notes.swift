import CaretClient
import CaretCore

/// Prints the notes of a document.
struct Notes: Subcommand {
    private static let everything = Option("all", letter: "a", "also prints notes that are no longer open")

    static let description = CommandDescription(
        "notes", "prints the notes of a document with their lines and their answers",
        details: """
            A note stays on its words while others change the text. If somebody deletes the words, the note stays where they \
            were. `caret note` writes, answers and resolves notes, and `caret suggest` suggests a change.
            """,
        arguments: [Argument("DOC", .document, "the document")], options: [everything])

    private let document: String
    private let wantsAll: Bool

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        wantsAll = arguments.has(Notes.everything)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let notes = try await context.withClient(about: document) { client in
            let all = try await client.notes(of: document).notes
            var texts: [Revision: NumberedText] = [:]
            for revision in Set(all.filter { $0.range != nil }.map(\.revision)) {
                texts[revision] = try NumberedText(
                    await client.read(document, at: .revision(revision)).text)
            }
            return try threads(of: all).map { try PlacedNote($0, in: texts[$0.revision]) }
        }
        if context.isJSON {
            for note in notes { context.show(note.json) }
            return .done
        }
        var table = Table(
            [
                .init("NOTE", isNumber: true), .init("VERSION", isNumber: true), .init("LINE"),
                .init("WORDS"), .init("STATE"), .init("USER"),
                .init("TIME"), .init("TEXT"),
            ], flexible: 7)
        for placed in notes {
            let note = placed.note
            table.add([
                "\(note.number)", "\(note.version)", placed.place, note.quote.shortened(to: 24),
                note.parent == nil ? note.state.rawValue : "",
                note.user, context.stamp(note.time), placed.words,
            ])
        }
        context.show(table, orIfEmpty: "there are no open notes; `caret note DOC TEXT --on WORDS` writes one")
        return .done
    }

    /// The wanted notes, each followed by its answers.
    private func threads(of notes: [DocumentNote]) -> [DocumentNote] {
        let answers = Dictionary(grouping: notes.filter { $0.parent != nil }) { $0.parent }
        return notes.filter { $0.parent == nil && (wantsAll || $0.state == .open) }
            .flatMap { [$0] + (answers[$0.number] ?? []) }
    }
}

/// A text with the offsets of its line breaks.
private struct NumberedText {
    let text: TextBuffer
    private let breaks: [Int]

    init(_ string: String) throws(TextError) {
        text = try TextBuffer(string)
        breaks = string.utf16.enumerated().filter { $0.element == 0x0A }.map(\.offset)
    }

    /// The line of an offset, counted from 1.
    func line(of offset: Offset) -> Int {
        1 + breaks.indices.partitionPoint { breaks[$0] >= offset.value }
    }
}

/// A note with its line, and with the old and the new text of each suggested edit.
private struct PlacedNote {
    let note: DocumentNote
    private let line: Int?
    private let replaced: [(old: String, new: String)]

    /// `numbered` is the text at the note's revision. It is nil if the note has no range.
    init(_ note: DocumentNote, in numbered: NumberedText?) throws(TextError) {
        self.note = note
        guard let numbered, let range = note.range else {
            (line, replaced) = (nil, [])
            return
        }
        line = numbered.line(of: range.lowerBound)
        var replaced: [(String, String)] = []
        for edit in note.suggestion?.edits ?? [] {
            replaced.append((try numbered.text.slice(edit.range), edit.text))
        }
        self.replaced = replaced
    }

    var place: String {
        if let parent = note.parent { return "to \(parent)" }
        return line.map { "\($0)" } ?? ""
    }

    /// What it says and suggests.
    var words: String {
        let suggestions = replaced.map { "“\($0.old)” → “\($0.new)”" }
        return ([note.text] + suggestions).filter { !$0.isEmpty }.joined(separator: "  ")
    }

    var json: JSON {
        .object([
            "note": .number(note.number), "version": .number(note.version),
            "parent": JSON(note.parent), "rev": .number(note.revision.value),
            "range": note.range.map {
                .list([.number($0.lowerBound.value), .number($0.upperBound.value)])
            } ?? .null, "line": JSON(line), "quote": .text(note.quote), "text": .text(note.text),
            "edits": note.suggestion?.json ?? .null, "user": .text(note.user),
            "time": .text(Stamp.universal(note.time)),
            "edited": note.edited.map { .text(Stamp.universal($0)) } ?? .null,
            "state": .text(note.state.rawValue), "accepted": JSON(note.acceptedAs?.value),
        ])
    }
}
