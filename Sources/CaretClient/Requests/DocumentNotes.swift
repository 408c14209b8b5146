public import CaretCore
import CaretReplica
import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A note on words of a document, an answer to a note, or a suggestion.
public struct DocumentNote: Equatable, Sendable {
    public enum State: String, Hashable, Sendable {
        case open, resolved
        /// A suggestion that was committed, or turned down. It can only be removed.
        case accepted, rejected
    }

    /// A state that `setNote` can set.
    public enum Outcome: String, Hashable, Sendable { case open, resolved, rejected }

    public let number: Int
    /// Grows with each change of the note. A change names the version that it is for.
    public let version: Int
    /// The note that it answers. Nil if it begins a thread.
    public let parent: Int?
    /// The revision that `range` and `suggestion` refer to.
    public let revision: Revision
    /// Its words. They are empty if somebody deleted them. Nil if it is about
    /// the whole document, answers another note, or was accepted or rejected.
    public let range: Range<Offset>?
    /// The words when the note was written.
    public let quote: String
    public let text: String
    /// The change that it suggests.
    public let suggestion: Change?
    public let user: String
    public let time: Date
    /// When its text or its suggestion was changed last.
    public let edited: Date?
    public let state: State
    /// The revision that an accepted suggestion became. Nil if it changed nothing.
    public let acceptedAs: Revision?

    init(_ note: NoteSummary, at revision: Revision) throws {
        self.revision = revision
        number = note.note
        version = note.version
        parent = note.parent
        range = note.range.map { Offset($0.start)..<Offset($0.end) }
        quote = note.quote.string
        text = note.text.string
        suggestion = try note.edits.map { try Change([Edit]($0)) }
        user = note.user.string
        time = Date(milliseconds: note.time)
        edited = note.edited.map { Date(milliseconds: $0) }
        state = State(note.state)
        acceptedAs = note.accepted
    }
}

extension DocumentNote.State {
    fileprivate init(_ state: NoteState) {
        self =
            switch state {
            case .open: .open
            case .resolved: .resolved
            case .accepted: .accepted
            case .rejected: .rejected
            }
    }
}

/// The notes of a document.
public struct DocumentNotes: Equatable, Sendable {
    public enum Right: Hashable, Sendable {
        case read
        /// To write notes, and to change one's own.
        case note
        /// Also to resolve, reject and remove the notes of others.
        case write
    }

    /// Names this state of the notes, for the next list.
    public let count: Int
    /// Whether these are all notes. Otherwise, they are those that were written or changed since the last list.
    public let areAll: Bool
    public let right: Right
    /// Sorted by number.
    public let notes: [DocumentNote]
}

// Notes of documents. Offsets are in UTF-16 units of the text at a revision, which may be up to 1,000 revisions old.
extension LiveClient {
    /// Lists the notes of a document: all of them, or those that were written or changed since a list with this count.
    public func notes(of document: String, since count: Int = 0) async throws -> DocumentNotes {
        var pages: [NoteList] = []
        repeat {
            let request = ListNotes(
                document: WireString(document), since: count, after: pages.last?.notes.last?.note ?? 0,
                limit: Limits.items.upperBound)
            guard case .notes(.list(let page)) = try await self.request(.notes(.list(request))) else {
                throw unexpectedAnswer
            }
            pages.append(page)
        } while pages.last?.hasMore == true && pages.last?.notes.isEmpty == false
        // Later pages may be newer, so the next list repeats what has changed since the first one.
        return DocumentNotes(
            count: pages[0].count, areAll: pages[0].whole, right: DocumentNotes.Right(pages[0].rights),
            notes: try pages.flatMap { page in
                try page.notes.map { try DocumentNote($0, at: page.revision) }
            })
    }

    /// Reads one note. Returns nil if the document has no note with this number.
    public func note(_ number: Int, of document: String) async throws -> DocumentNote? {
        let request = ListNotes(document: WireString(document), after: number - 1, limit: 1)
        guard case .notes(.list(let page)) = try await self.request(.notes(.list(request))) else {
            throw unexpectedAnswer
        }
        let note = try page.notes.first.map { try DocumentNote($0, at: page.revision) }
        return note?.number == number ? note : nil
    }

    /// Writes a note on words of a document, or on the whole document. Returns its number.
    @discardableResult
    public func addNote(
        _ text: String, to document: String, on range: Range<Offset>? = nil, at revision: Revision? = nil
    ) async throws -> Int {
        try await addNote(
            AddNote(
                document: WireString(document), revision: revision,
                range: range.map { WireRange($0.lowerBound.value, $0.upperBound.value) },
                text: WireString(text)))
    }

    /// Suggests a change of the text at a revision. Returns the number of the note.
    @discardableResult
    public func suggest(
        _ change: Change, in document: String, at revision: Revision, saying text: String = ""
    ) async throws -> Int {
        try await addNote(
            AddNote(
                document: WireString(document), revision: revision, edits: change.edits.map { WireEdit($0) },
                text: WireString(text)))
    }

    /// Answers a note that begins a thread. Returns the number of the answer.
    @discardableResult
    public func answer(_ note: Int, in document: String, _ text: String) async throws -> Int {
        try await addNote(
            AddNote(document: WireString(document), parent: note, text: WireString(text)))
    }

    private func addNote(_ note: AddNote) async throws -> Int {
        var note = note
        // If the answer is lost, the client sends the request again, which must not write a second note.
        note.request = WireString(LiveClient.randomID())
        return try await write(.add(note)).note
    }

    /// Changes the text of a note that you have written. Returns its version.
    @discardableResult
    public func changeNote(
        _ note: Int, version: Int, in document: String, to text: String
    ) async throws -> Int {
        try await write(
            .change(
                ChangeNote(
                    document: WireString(document), note: note, version: version, text: WireString(text))
            )
        ).version
    }

    /// Resolves a note, opens it again, or rejects a suggestion. Returns its version.
    @discardableResult
    public func setNote(
        _ note: Int, version: Int, in document: String, to state: DocumentNote.Outcome
    ) async throws -> Int {
        let state: NoteState =
            switch state {
            case .open: .open
            case .resolved: .resolved
            case .rejected: .rejected
            }
        return try await set(note, version, document, state).version
    }

    /// Accepts a suggestion: its change becomes a revision of yours. Returns the revision, or nil if the text already has the
    /// change.
    @discardableResult
    public func acceptSuggestion(
        _ note: Int, version: Int, in document: String
    ) async throws -> Revision? {
        try await set(note, version, document, .accepted).revision
    }

    private func set(
        _ note: Int, _ version: Int, _ document: String, _ state: NoteState
    ) async throws -> NoteWritten {
        let change = ChangeNote(document: WireString(document), note: note, version: version, state: state)
        return try await write(.change(change))
    }

    /// Removes a note, and its answers.
    public func removeNote(_ note: Int, version: Int, in document: String) async throws {
        let request = RemoveNote(document: WireString(document), note: note, version: version)
        guard case .done = try await self.request(.notes(.remove(request))) else { throw unexpectedAnswer }
    }

    private func write(_ request: NoteRequest) async throws -> NoteWritten {
        guard case .notes(.written(let written)) = try await self.request(.notes(request)) else {
            throw unexpectedAnswer
        }
        return written
    }
}

extension DocumentNotes.Right {
    fileprivate init(_ rights: NoteRights) {
        self =
            switch rights {
            case .read: .read
            case .note: .note
            case .write: .write
            }
    }
}
