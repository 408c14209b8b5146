package import CaretCore

/// A call to a store about the notes of a document. Notes belong to a document, whatever name it has. A deleted document
/// keeps its notes.
///
/// Each document has a note counter. Every write raises it by one, so a server can ask for the notes that others have
/// written since a count.
package enum NoteCall: Equatable, Sendable {
    /// Adds a note. If there is one with the same request, it was added before, and only its version is returned.
    case add(NoteContent, to: DocumentID, NoteLimits)
    /// Changes a note if it still has this version, and if this user wrote it. Without a user, anybody may have
    /// written it.
    case change(NoteNumber, of: DocumentID, version: Int64, NoteChange, NoteLimits, ifBy: ByteString? = nil)
    /// Appends the change that a suggestion makes of the newest text, and accepts the note if it still has this version:
    /// both or neither. The append has one change, or none if the suggestion changes nothing any more.
    case accept(NoteNumber, version: Int64, Append)
    case list(DocumentID, NoteQuery)

    /// The answer if the call is refused.
    func refused(_ refusal: HistoryRefusal) -> NoteAnswer {
        switch self {
        case .add, .change, .accept: .written(.refused(refusal))
        case .list: .listed(.failure(refusal.storeRefusal))
        }
    }

    package var document: DocumentID {
        switch self {
        case .add(_, let document, _), .change(_, let document, _, _, _, _), .list(let document, _): document
        case .accept(_, _, let append): append.document
        }
    }

    package var writes: Bool { if case .list = self { false } else { true } }
}

/// Which notes of a document are wanted, each at its place in the newest text.
package struct NoteQuery: Equatable, Sendable {
    /// Only notes that were written after this count. All notes are wanted if it is 0, or if notes were removed since.
    package let since: Int64
    /// Only notes with a higher number.
    package let after: NoteNumber
    /// How many at most.
    package let limit: Int

    package init(since: Int64 = 0, after: NoteNumber = NoteNumber(0), limit: Int = .max) {
        (self.since, self.after, self.limit) = (since, after, limit)
    }

    /// Selects the wanted notes. `notes` must be sorted by number.
    package func page(of notes: [Note], _ entry: DocumentEntry, _ book: Notebook) -> NotePage {
        let isWhole = book.needsAll(since: since)
        let wanted = notes.filter { $0.number > after && (isWhole || $0.counter > since) }
        return NotePage(
            entry, counter: book.counter, isWhole: isWhole, Array(wanted.prefix(limit)),
            hasMore: wanted.count > limit)
    }
}

/// A change of a note.
package enum NoteChange: Equatable, Sendable {
    /// New words. A suggestion may get a new place too. Without one, the place stays.
    case rewrite(ByteString, NotePlace?, at: Int64)
    case resolve
    case reopen
    /// Rejects a note. This is final, and the note has no place any more.
    case reject
    /// Removes the note, and all its answers.
    case remove
}

extension NoteChange {
    /// The place that the note gets. Nil if it keeps its place, or gets none.
    package var place: NotePlace? {
        switch self {
        case .rewrite(_, let place, _): place
        case .resolve, .reopen, .reject, .remove: nil
        }
    }
}

/// How much a document may have of notes.
package struct NoteLimits: Equatable, Sendable {
    package let notes: Int
    package let bytes: Int

    package init(notes: Int, bytes: Int) { (self.notes, self.bytes) = (notes, bytes) }
}

/// The answer to the call of the same name.
package enum NoteAnswer: Equatable, Sendable {
    case written(NoteResult)
    case listed(Result<NotePage, StoreRefusal>)
}

/// A version of a note.
package struct NoteStamp: Equatable, Sendable {
    package let number: NoteNumber
    package let version: Int64
    package let counter: Int64

    package init(_ note: Note) { (number, version, counter) = (note.number, note.version, note.counter) }
}

package enum NoteResult: Equatable, Sendable {
    case written(NoteStamp)
    /// The note was removed with its answers. The note counter has this value now.
    case removed([NoteNumber], counter: Int64)
    /// There is no such note, or no thread with this number to answer.
    case missing
    /// The note has another version, which is this one.
    case changed(NoteStamp)
    /// Somebody else wrote the note.
    case foreign
    /// The suggestion was accepted or rejected, so only a removal changes it.
    case final
    /// The note answers another one, so it gets no place.
    case isAnswer
    case tooMany
    /// The document would have this many bytes of notes.
    case tooLarge(bytes: Int)
    /// The store writes nothing, because newer revisions exist up to this head. Either more than
    /// `NotePlace.mostBehind` revisions follow the text of the place, or the suggestion to accept was not prepared for
    /// the newest text. The caller must use a newer text.
    case behind(head: Revision)
    /// The store did not append the change of the suggestion.
    case notAppended(AppendOutcome)
    case refused(HistoryRefusal)
}

extension NotePlace {
    /// The most revisions that may follow the text of a place that is written. Reading the notes replays them.
    package static let mostBehind = 1_000
}

/// Notes of a document, at one moment.
package struct NotePage: Equatable, Sendable {
    package let entry: DocumentEntry
    package let counter: Int64
    /// Whether the page is one of all notes. Otherwise, it has those that were written since the count, and none was
    /// removed since.
    package let isWhole: Bool
    /// The notes, in the order of their numbers.
    package let notes: [Note]
    /// Whether there are more after the last one.
    package let hasMore: Bool

    package init(
        _ entry: DocumentEntry, counter: Int64, isWhole: Bool, _ notes: [Note], hasMore: Bool = false
    ) {
        self.entry = entry
        self.counter = counter
        self.isWhole = isWhole
        self.notes = notes
        self.hasMore = hasMore
    }
}

/// The counts of a document's notes.
package struct Notebook: Equatable, Sendable {
    /// The note counter.
    package private(set) var counter: Int64 = 0
    /// The last number that was given.
    package private(set) var last: Int64 = 0
    /// The counter after the last removal.
    package private(set) var removed: Int64 = 0
    package private(set) var notes: Int = 0
    package private(set) var bytes: Int = 0

    package init() {}

    package init(counter: Int64, last: Int64, removed: Int64, notes: Int, bytes: Int) {
        self.counter = counter
        self.last = last
        self.removed = removed
        self.notes = notes
        self.bytes = bytes
    }

    /// Counts the acceptance of a suggestion, which became the revision `head`, unless it changed nothing.
    package mutating func accept(_ note: Note, at head: Revision?) -> Note {
        var new = note
        new.state = .accepted
        new.content.place = head.map { NotePlace(at: $0, note.content.place?.words ?? Selection(caret: 0)) }
        new.weight = new.content.weight
        bytes += new.weight - note.weight
        return rewritten(new)
    }

    /// Whether a server that knows the notes of this count must get all of them.
    package func needsAll(since count: Int64) -> Bool { count < removed || count > counter || count == 0 }

    /// Adds a note, unless the document would have too many or too large ones.
    package mutating func add(_ content: NoteContent, _ limits: NoteLimits) -> Result<Note, LimitFault> {
        if notes >= limits.notes { return .failure(.tooMany) }
        if bytes + content.weight > limits.bytes { return .failure(.tooLarge(bytes: bytes + content.weight)) }
        (counter, last, notes, bytes) = (counter + 1, last + 1, notes + 1, bytes + content.weight)
        return .success(Note(number: NoteNumber(last), counter: counter, content))
    }

    /// Counts a change of a note that was just read, and returns its next version.
    package mutating func change(
        _ note: Note, _ change: NoteChange, _ limits: NoteLimits
    ) -> Result<Note, LimitFault> {
        var new = note
        switch change {
        case .rewrite(let text, let place, let time):
            new.content.text = text
            if let place { new.content.place = place }
            new.edited = time
        case .resolve: new.state = .resolved
        case .reopen: new.state = .open
        case .reject: (new.state, new.content.place) = (.rejected, nil)
        case .remove: preconditionFailure("a removal makes no version")
        }
        new.weight = new.content.weight
        let total = bytes - note.weight + new.weight
        if new.weight > note.weight, total > limits.bytes {
            return .failure(.tooLarge(bytes: total))
        }
        bytes = total
        return .success(rewritten(new))
    }

    /// The next version of a note, which counts as a change.
    package mutating func rewritten(_ note: Note) -> Note {
        counter += 1
        var new = note
        (new.version, new.counter) = (note.version + 1, counter)
        return new
    }

    /// Whether these can be all notes of the document.
    package func counts(_ all: [Note]) -> Bool {
        let numbers = Set(all.map(\.number))
        return notes == all.count && bytes == all.reduce(0) { $0 + $1.weight }
            && all.allSatisfy { note in
                note.counter <= counter && note.number.value <= last
                    && note.content.parent.map { numbers.contains($0) } != false
            }
    }

    package mutating func remove(_ all: [Note]) {
        counter += 1
        removed = counter
        notes -= all.count
        bytes -= all.reduce(0) { $0 + $1.weight }
    }

    package enum LimitFault: Error, Equatable {
        case tooMany
        case tooLarge(bytes: Int)

        package var result: NoteResult {
            switch self {
            case .tooMany: .tooMany
            case .tooLarge(let bytes): .tooLarge(bytes: bytes)
            }
        }
    }
}
