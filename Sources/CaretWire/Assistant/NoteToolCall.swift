package import CaretCore

/// A tool for the notes of a document, with its arguments.
package enum NoteToolCall: Equatable, Sendable {
    /// `isForAll` says whether the notes that are no longer open are wanted too.
    case list(isForAll: Bool)
    case add(NoteSubject, text: String)
    case suggest(old: String, new: String, reason: String)
    case set(note: Int, NoteState)

    /// What a note is about.
    package enum NoteSubject: Equatable, Sendable {
        case document
        case passage(String)
        case note(Int)
    }

    /// Nil if there is no tool with this name.
    init?(_ tool: JSONString, _ fields: Fields) throws(FieldFault) {
        if tool.equals("list_notes") {
            self = .list(isForAll: try fields.flag("all"))
        } else if tool.equals("add_note") {
            let passage = try fields.string(optional: "passage")
            self = .add(
                passage.map { .passage($0.string) } ?? .document, text: try fields.string("text").string)
        } else if tool.equals("answer_note") {
            self = .add(.note(try fields.integer("note")), text: try fields.string("text").string)
        } else if tool.equals("suggest_edit") {
            self = .suggest(
                old: try fields.string("old_text").string, new: try fields.string("new_text").string,
                reason: try fields.string(optional: "reason")?.string ?? "")
        } else if tool.equals("resolve_note") {
            let isReopened = try fields.flag("reopen")
            self = .set(note: try fields.integer("note"), isReopened ? .open : .resolved)
        } else {
            return nil
        }
    }

    /// The passage that must be found in the text before the note is written.
    package var passage: String? {
        switch self {
        case .add(.passage(let passage), _), .suggest(let passage, _, _): passage
        case .list, .add, .set: nil
        }
    }

    /// The request that writes the note, if no passage must be found. Nil if the tool writes no new note.
    package func request(to document: String) -> AddNote? {
        guard case .add(let subject, let text) = self else { return nil }
        var note = AddNote(document: WireString(document), text: WireString(text.withLineFeeds))
        if case .note(let number) = subject { note.parent = number }
        return note
    }

    /// The request that writes the note on its passage, which `text` contains exactly once.
    package func request(
        to document: String, in text: String, at revision: Revision
    ) throws(UniquePassage.Fault) -> AddNote {
        let words = try UniquePassage(passage ?? "", in: text).range
        let range = WireRange(words.lowerBound.value, words.upperBound.value)
        var note = AddNote(document: WireString(document), revision: revision, range: range, text: "")
        switch self {
        case .add(_, let text): note.text = WireString(text.withLineFeeds)
        case .suggest(_, let new, let reason):
            note.text = WireString(reason.withLineFeeds)
            note.edits = [WireEdit(range, WireString(new.withLineFeeds))]
        case .list, .set: break
        }
        return note
    }

    /// The request for the notes of a document that the tool needs.
    package func list(of document: String) -> ListNotes? {
        switch self {
        case .list: ListNotes(document: WireString(document), limit: Limits.items.upperBound)
        case .set(let note, _): ListNotes(document: WireString(document), after: max(0, note - 1), limit: 1)
        case .add, .suggest: nil
        }
    }

    /// The request for the notes after those of this list. Nil if the tool needs no more.
    package func next(after list: NoteList) -> ListNotes? {
        guard case .list = self, list.hasMore, list.notes.count < NoteToolCall.mostNotes,
            let last = list.notes.last
        else { return nil }
        return ListNotes(document: list.document, after: last.note, limit: Limits.items.upperBound)
    }

    /// The most notes that `list_notes` reads, including those that are no longer open.
    private static let mostNotes = 2_000

    /// The request that changes a note of this list. Nil if the list does not have the note.
    package func change(in list: NoteList) -> ChangeNote? {
        guard case .set(let number, let state) = self,
            let note = list.notes.first(where: { $0.note == number })
        else { return nil }
        return ChangeNote(document: list.document, note: number, version: note.version, state: state)
    }
}

extension ToolResult {
    /// The notes of a document, each followed by its answers.
    package static func notes(_ list: NoteList, of name: String, isForAll: Bool) -> ToolResult {
        let answers = Dictionary(grouping: list.notes.filter { $0.parent != nil }) { $0.parent }
        let threads = list.notes.filter { $0.parent == nil && (isForAll || $0.state == .open) }
        if threads.isEmpty, !list.hasMore {
            return ToolResult(isForAll ? "\(name) has no notes" : "\(name) has no open notes")
        }
        let lines = threads.flatMap { thread in
            [thread.words] + (answers[thread.note] ?? []).map { "  answer \($0.words)" }
        }
        let more = list.hasMore ? ["there are more notes, which cannot be listed here"] : []
        return ToolResult(
            "Notes on \(name), revision \(list.revision.value):", (lines + more).joined(separator: "\n"))
    }

    package static func noted(_ written: NoteWritten, by call: NoteToolCall, in name: String) -> ToolResult {
        switch call {
        case .set(_, .resolved): ToolResult("\(name): note \(written.note) is resolved")
        case .set: ToolResult("\(name): note \(written.note) is open again")
        case .suggest: ToolResult("\(name): note \(written.note) suggests the change; people decide about it")
        case .list, .add: ToolResult("\(name): note \(written.note) is written")
        }
    }

    package static func missing(_ note: Int, in name: String) -> ToolResult {
        ToolResult("\(name) has no note \(note); list_notes lists the notes", isError: true)
    }
}

extension NoteSummary {
    fileprivate var words: String {
        let state = parent == nil && self.state != .open ? ", \(self.state.rawValue)" : ""
        let about = quote.utf8.isEmpty ? "" : " on “\(quote.string)”"
        let suggested = (edits ?? []).map { edit in
            edit.text.utf8.isEmpty ? "to delete words" : "“\(edit.text.string)”"
        }.joined(separator: ", ")
        let suggestion = suggested.isEmpty ? "" : " suggests: \(suggested)"
        return "\(note)\(state), by \(user.string)\(about):\(suggestion) \(text.string)"
    }
}
