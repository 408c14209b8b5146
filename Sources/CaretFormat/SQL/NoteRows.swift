import CaretCore
package import CaretLog

// The rows of notes.
extension SQLRows {
    /// The counts of a document's notes. They are 0 if it never had one.
    package func notebook(of document: DocumentID) throws(Fault) -> Notebook {
        try connection.one(
            "SELECT \(Notebook.columns(dialect)) FROM notebook WHERE document = $1", .id(document)
        ) { row throws(DamagedRow) in try Notebook(row, of: document, dialect) } ?? Notebook()
    }

    /// The notes that were written after a count, in the order of their numbers.
    package func notes(
        of document: DocumentID, since counter: Int64 = 0, after number: NoteNumber = NoteNumber(0),
        limit: Int = .max
    ) throws(Fault) -> [Note] {
        try notes(
            of: document, where: "counter > $2 AND number > $3 ORDER BY number LIMIT $4", .integer(counter),
            .integer(number.value), .integer(Int64(limit)))
    }

    func note(_ number: NoteNumber, of document: DocumentID) throws(Fault) -> Note? {
        try notes(of: document, where: "number = $2", .integer(number.value)).first
    }

    fileprivate func note(ofRequest request: ByteString, in document: DocumentID) throws(Fault) -> Note? {
        if request.utf8.isEmpty { return nil }
        return try notes(of: document, where: "length(request) > 0 AND request = $2", .bytes(request.utf8))
            .first
    }

    func answers(to number: NoteNumber, of document: DocumentID) throws(Fault) -> [Note] {
        try notes(of: document, where: "parent = $2 ORDER BY number", .integer(number.value))
    }

    /// The oldest revision in which an open or resolved note has its place. Nil if none has a place.
    func oldestPlace(of document: DocumentID) throws(Fault) -> Revision? {
        let found = try connection.one(
            "SELECT min(revision) FROM note WHERE document = $1 AND \(Note.moving)", .id(document)
        ) { row throws(DamagedRow) in row.isNull(0) ? nil : try row.revision(0) }
        return found ?? nil
    }

    /// The next open and resolved notes to move to the head: those with the oldest places.
    func notesBehind(_ head: Revision, of document: DocumentID) throws(Fault) -> [Note] {
        try notes(
            of: document,
            where: """
                \(Note.moving) AND revision < $2 ORDER BY revision, number
                LIMIT \(UpkeepPolicy.notesAtOnce)
                """, .revision(head))
    }

    private func notes(
        of document: DocumentID, where condition: String, _ values: SQLValue...
    ) throws(Fault) -> [Note] {
        try connection.every(
            "SELECT \(Note.columns(dialect)) FROM note WHERE document = $1 AND \(condition)",
            values: [.id(document)] + values
        ) { row throws(DamagedRow) in try Note(row, of: document, dialect) }
    }
}

extension HistoryReader {
    mutating func notes(of row: DocumentRow, _ query: NoteQuery) throws(Fault) -> NotePage {
        let book = try rows.notebook(of: row.entry.id)
        let since = book.needsAll(since: query.since) ? 0 : query.since
        let limit = query.limit == .max ? query.limit : query.limit + 1
        var notes = try rows.notes(of: row.entry.id, since: since, after: query.after, limit: limit)
        try move(&notes, toHeadOf: row)
        return query.page(of: notes, row.entry, book)
    }

    /// Moves the places of notes to the newest text.
    mutating func move(_ notes: inout [Note], toHeadOf row: DocumentRow) throws(Fault) {
        let head = row.entry.head
        if notes.contains(where: { $0.movingPlace.map { $0.revision > head } == true }) { throw .damaged }
        guard let oldest = notes.oldestPlace, oldest < head else { return }
        // A server of an earlier version removes the history without moving the places. They cannot be found again.
        for index in notes.indices {
            if let place = notes[index].movingPlace, place.revision < row.entry.start {
                notes[index].content.place = nil
            }
        }
        var moved = notes
        let start = max(oldest, row.entry.start).next
        if start > head { return }
        try forEachSegment(of: row, from: start) { stored throws(Fault) in
            let first = max(stored.segment.first, start)
            let changes = stored.segment.changes.dropFirst(first.value - stored.segment.first.value)
            do throws(ChangeError) {
                try moved.move(through: changes, after: Revision(first.value - 1))
            } catch {
                throw .damaged
            }
            return true
        }
        notes = moved
    }

    /// The notes to move to the newest text next, at their new places. Nil if no place is before `revision`.
    mutating func movedNotes(of row: DocumentRow, before revision: Revision) throws(Fault) -> [MovedNote]? {
        // No place can move beyond the head.
        let limit = min(revision, row.entry.head)
        guard let oldest = try rows.oldestPlace(of: row.entry.id), oldest < limit else { return nil }
        let behind = try rows.notesBehind(row.entry.head, of: row.entry.id)
        var notes = behind
        try move(&notes, toHeadOf: row)
        return zip(behind, notes).map { MovedNote(old: $0, new: $1) }
    }
}

/// A note that upkeep moves to the newest text.
package struct MovedNote: Equatable, Sendable {
    let old: Note
    let new: Note
}

// The writes of notes.
extension SQLWriter {
    package mutating func run(_ call: NoteCall) throws(Fault) -> NoteAnswer {
        switch call {
        case .add(let content, let document, let limits):
            .written(try add(content, to: document, limits))
        case .change(let number, let document, let version, let change, let limits, let user):
            .written(try self.change(number, of: document, version: version, change, limits, ifBy: user))
        case .accept(let number, let version, let append):
            .written(try accept(number, version: version, append))
        case .list: preconditionFailure("a list writes nothing")
        }
    }

    private mutating func accept(
        _ number: NoteNumber, version: Int64, _ append: Append
    ) throws(Fault) -> NoteResult {
        let id = append.document
        let entry = try document(id).entry
        guard let note = try rows.note(number, of: id) else { return .missing }
        if note.version != version { return .changed(NoteStamp(note)) }
        if note.isFinal { return .final }
        if entry.epoch != append.epoch || entry.head != append.expected { return .behind(head: entry.head) }
        var book = try rows.notebook(of: id)
        let outcome = try self.append(append)
        guard case .committed(let head) = outcome else { return .notAppended(outcome) }
        let new = book.accept(note, at: append.changes.isEmpty ? nil : head)
        try save(book, of: id)
        try replace(new, of: id)
        return .written(NoteStamp(new))
    }

    private mutating func add(
        _ content: NoteContent, to id: DocumentID, _ limits: NoteLimits
    ) throws(Fault) -> NoteResult {
        let entry = try document(id).entry
        if let known = try rows.note(ofRequest: content.request, in: id) { return .written(NoteStamp(known)) }
        if let place = content.place, let refusal = try refusal(of: place, in: entry) { return refusal }
        if let parent = content.parent {
            guard let begin = try rows.note(parent, of: id), begin.content.parent == nil else {
                return .missing
            }
        }
        var book = try rows.notebook(of: id)
        switch book.add(content, limits) {
        case .failure(let fault): return fault.result
        case .success(let note):
            try save(book, of: id)
            try insert(note, of: id)
            return .written(NoteStamp(note))
        }
    }

    private mutating func change(
        _ number: NoteNumber, of id: DocumentID, version: Int64, _ change: NoteChange, _ limits: NoteLimits,
        ifBy user: ByteString?
    ) throws(Fault) -> NoteResult {
        let entry = try document(id).entry
        guard let note = try rows.note(number, of: id) else { return .missing }
        if let user, note.content.user != user { return .foreign }
        if note.version != version { return .changed(NoteStamp(note)) }
        if note.isFinal, change != .remove { return .final }
        if let place = change.place {
            if note.content.parent != nil { return .isAnswer }
            if let refusal = try refusal(of: place, in: entry) { return refusal }
        }
        var book = try rows.notebook(of: id)
        if case .remove = change {
            let all = try [note] + rows.answers(to: number, of: id)
            book.remove(all)
            try save(book, of: id)
            for note in all { try remove(note.number, of: id) }
            return .removed(all.map(\.number), counter: book.counter)
        }
        switch book.change(note, change, limits) {
        case .failure(let fault): return fault.result
        case .success(let new):
            try save(book, of: id)
            try replace(new, of: id)
            return .written(NoteStamp(new))
        }
    }

    private func refusal(of place: NotePlace, in entry: DocumentEntry) throws(Fault) -> NoteResult? {
        try rows.check(place.revision, of: entry)
        let isBehind = entry.head.value - place.revision.value > NotePlace.mostBehind
        return isBehind ? .behind(head: entry.head) : nil
    }

    /// Moves notes to a newer text. Notes that were changed or moved meanwhile stay as they are.
    mutating func move(_ notes: [MovedNote], of id: DocumentID) throws(Fault) {
        _ = try document(id)
        for moved in notes {
            guard let note = try rows.note(moved.old.number, of: id), note == moved.old else { continue }
            try replace(moved.new, of: id)
        }
    }

    /// Removes a passage from all notes.
    mutating func redactNotes(of id: DocumentID, _ passage: Passage) throws(Fault) {
        var book = try rows.notebook(of: id)
        let before = book
        for var note in try rows.notes(of: id) {
            guard let content = note.content.redacted(passage) else { continue }
            note.content = content
            try replace(book.rewritten(note), of: id)
        }
        if book != before { try save(book, of: id) }
    }

    /// Writes the notes of a new document.
    func insert(_ page: CopiedNotes, of id: DocumentID) throws(Fault) {
        if page.notes.isEmpty { return }
        try save(page.notebook, of: id)
        for note in page.notes { try insert(note, of: id) }
    }

    // MARK: Rows

    private func save(_ book: Notebook, of id: DocumentID) throws(Fault) {
        let values = [.id(id)] + book.values(in: id, Connection.dialect)
        try connection.change("DELETE FROM notebook WHERE document = $1", .id(id))
        try connection.change(
            """
            INSERT INTO notebook (document, \(Notebook.columns(Connection.dialect)))
            VALUES (\(SQLDialect.parameters(values.count)))
            """, values)
    }

    private func replace(_ note: Note, of id: DocumentID) throws(Fault) {
        try remove(note.number, of: id)
        try insert(note, of: id)
    }

    private func insert(_ note: Note, of id: DocumentID) throws(Fault) {
        let values = [.id(id)] + note.values(in: id, Connection.dialect)
        try connection.change(
            """
            INSERT INTO note (document, \(Note.columns(Connection.dialect)))
            VALUES (\(SQLDialect.parameters(values.count)))
            """, values)
    }

    private func remove(_ number: NoteNumber, of id: DocumentID) throws(Fault) {
        try connection.change(
            "DELETE FROM note WHERE document = $1 AND number = $2", .id(id), .integer(number.value))
    }
}
