import CaretClient
import CaretCore
import CaretSync
import CaretWire

/// Writes a note, changes its state, or removes it.
struct WriteNote: Subcommand {
    private static let words = Option(
        "on", value: "WORDS", "the words that the note is about; they must occur exactly once")
    private static let answered = Option("answer", value: "NOTE", "answers the note with this number")
    private static let resolved = Option("resolve", value: "NOTE", "marks the note as resolved")
    private static let reopened = Option("reopen", value: "NOTE", "opens a resolved note again")
    private static let accepted = Option("accept", value: "NOTE", "makes the change that the note suggests")
    private static let rejected = Option("reject", value: "NOTE", "rejects the suggestion; this is final")
    private static let seen = Option(
        "seen", value: "VERSION", "the version of the note that you have read; needed to accept a suggestion")
    private static let removed = Option("remove", value: "NOTE", "removes the note and its answers")

    static let description = CommandDescription(
        "note", "writes a note on words of a document, or answers, resolves, accepts or removes one",
        details: """
            Without --on, the note is about the whole document. `caret notes DOC` prints the notes with their numbers and \
            versions. --accept needs the version, so that nobody can change the suggestion after you have read it.
            """,
        arguments: [
            Argument("DOC", .document, "the document"),
            Argument("TEXT", .other, isOptional: true, "what the note says"),
        ], options: [words, answered, resolved, reopened, accepted, rejected, removed, seen])

    private enum Action {
        case add(String, on: String?)
        case answer(Int, String)
        case set(Int, DocumentNote.Outcome)
        case accept(Int, version: Int)
        case remove(Int)
    }

    private let document: String
    private let action: Action

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        let all = [
            WriteNote.words, WriteNote.answered, WriteNote.resolved, WriteNote.reopened, WriteNote.accepted,
            WriteNote.rejected, WriteNote.removed,
        ]
        let given = all.filter { arguments.has($0) }
        if given.count > 1 { throw arguments.fault(.conflict(given[0].flag, given[1].flag)) }
        let text = arguments.optional(1).map { FileText($0).text }
        if let action = try WriteNote.change(arguments) {
            if let text { throw arguments.fault(.extraArgument(text)) }
            self.action = action
            return
        }
        guard let text, !text.isEmpty else { throw arguments.fault(.missingArgument("TEXT")) }
        if let note = try arguments.number(WriteNote.answered, in: 1...Limits.integer) {
            action = .answer(note, text)
        } else {
            action = .add(text, on: arguments.text(WriteNote.words))
        }
    }

    /// The change of an existing note. Nil if no option names one.
    private static func change(_ arguments: Arguments) throws(UsageFault) -> Action? {
        for (option, state) in [(resolved, .resolved), (reopened, .open), (rejected, .rejected)]
            as [(Option, DocumentNote.Outcome)]
        {
            if let note = try arguments.number(option, in: 1...Limits.integer) { return .set(note, state) }
        }
        if let note = try arguments.number(accepted, in: 1...Limits.integer) {
            guard let version = try arguments.number(seen, in: 1...Limits.integer) else {
                throw arguments.fault(.missingArgument(seen.flag))
            }
            return .accept(note, version: version)
        }
        return try arguments.number(removed, in: 1...Limits.integer).map { .remove($0) }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withClient(about: document) { client in
            switch action {
            case .add(let text, let words):
                let note = try await add(text, on: words, client)
                report(note, "added", "note \(note) on \(document.printable) is added", context)
            case .answer(let note, let text):
                let answer = try await client.answer(note, in: document, text)
                report(answer, "added", "note \(answer) answers note \(note)", context)
            case .set(let note, let state):
                try await client.setNote(note, version: version(of: note, client), in: document, to: state)
                report(note, state.rawValue, "note \(note) is \(state.rawValue)", context)
            case .accept(let note, let version):
                let revision = try await client.acceptSuggestion(note, version: version, in: document)
                let result = revision.map { "revision \($0.value)" } ?? "the text already has this change"
                report(note, "accepted", "note \(note) is accepted: \(result)", context)
            case .remove(let note):
                try await client.removeNote(note, version: version(of: note, client), in: document)
                report(note, "removed", "note \(note) is removed", context)
            }
        }
        return .done
    }

    private func report(_ note: Int, _ state: String, _ sentence: String, _ context: CommandContext) {
        context.report(
            .object(["doc": .text(document), "note": .number(note), "state": .text(state)]), sentence)
    }

    private func add(_ text: String, on words: String?, _ client: LiveClient) async throws -> Int {
        guard let words else { return try await client.addNote(text, to: document) }
        let version = try await client.read(document)
        let range = try range(of: words, in: version.text)
        return try await client.addNote(text, to: document, on: range, at: version.revision)
    }

    private func range(of words: String, in text: String) throws(Failure) -> Range<Offset> {
        do throws(UniquePassage.Fault) { return try UniquePassage(words, in: text).range } catch {
            switch error {
            case .empty: throw Failure("--on: the words are empty")
            case .missing:
                throw Failure(
                    "\(document.printable) does not contain these words",
                    advice: "copy them exactly from `caret cat`")
            case .ambiguous(let lines):
                let list = lines.map(String.init).joined(separator: ", ")
                throw Failure(
                    "\(document.printable) contains these words more than once, in lines \(list)",
                    advice: "give more of the text around them")
            }
        }
    }

    private func version(of number: Int, _ client: LiveClient) async throws -> Int {
        guard let note = try await client.note(number, of: document) else {
            throw Failure("\(document.printable): there is no note \(number)", advice: "see `caret notes`")
        }
        return note.version
    }
}
