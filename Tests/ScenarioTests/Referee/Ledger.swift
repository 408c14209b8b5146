import CaretCore
import CaretLog
import CaretRooms
import CaretWire

/// What the store has committed, kept beside it: every revision of every history there ever was, with its text.
struct Ledger {
    /// The push of a client, by the number it gave it.
    struct PushKey: Hashable {
        let client: Int
        let seq: Int64
    }

    /// One epoch of a document.
    final class History {
        let document: DocumentID
        let epoch: WireString
        /// The revisions from the first one on.
        var changes: [LoggedChange] = []
        var moves: [Change] = []
        /// The text at every revision.
        var texts: [Text] = [Text()]
        /// When each was committed, as the ledger counts; that of revision 0 is when the history began.
        var serials: [Int]
        /// What came of a push.
        var revisions: [PushKey: Revision] = [:]
        /// How many revisions it began with, as another history went on under this epoch.
        private let inherited: Int?

        init(document: DocumentID, epoch: WireString, serial: Int) {
            self.document = document
            self.epoch = epoch
            serials = [serial]
            inherited = nil
        }

        /// The beginning of another history under another epoch.
        init(_ other: History, through head: Revision, _ document: DocumentID, epoch: WireString, serial: Int)
        {
            self.document = document
            self.epoch = epoch
            changes = Array(other.changes.prefix(head.value))
            moves = Array(other.moves.prefix(head.value))
            texts = Array(other.texts.prefix(head.value + 1))
            serials = Array(repeating: serial, count: head.value + 1)
            revisions = other.revisions.filter { $0.value <= head }
            inherited = head.value
        }

        var isContinued: Bool { inherited != nil }

        /// Whether something was committed since the history went on under this epoch.
        var isInUse: Bool { inherited.map { changes.count > $0 } ?? true }

        var head: Revision { Revision(changes.count) }
        var text: Text { texts[texts.count - 1] }
    }

    /// That a document was given a name.
    struct Naming: Hashable {
        let document: DocumentID
        let name: WireString
    }

    private(set) var histories: [WireString: History] = [:]
    /// How often each document was given each name.
    private(set) var namings: [Naming: Int] = [:]
    /// The history that the store has of a document now.
    private(set) var current: [DocumentID: WireString] = [:]
    /// Where each push was ever committed.
    private(set) var commits: [PushKey: [WirePosition]] = [:]
    private(set) var serial = 0

    subscript(epoch: WireString) -> History? { histories[epoch] }

    func history(of document: DocumentID) -> History? { current[document].flatMap { histories[$0] } }

    mutating func begin(_ entry: DocumentEntry) {
        serial += 1
        let epoch = entry.epoch.wire
        histories[epoch] = History(document: entry.id, epoch: epoch, serial: serial)
        current[entry.id] = epoch
        named(entry.id, entry.name)
    }

    /// The documents that had a name at any time.
    func documents(everNamed name: WireString) -> Set<DocumentID> {
        Set(namings.keys.filter { $0.name == name }.map(\.document))
    }

    mutating func named(_ document: DocumentID, _ name: DocumentName) {
        namings[Naming(document: document, name: WireString(name.description)), default: 0] += 1
    }

    /// Takes in a committed change, and the text that it made.
    mutating func append(
        _ logged: LoggedChange, _ change: Change, _ text: Text, to epoch: WireString, by client: Int?
    ) {
        serial += 1
        guard let history = histories[epoch] else { return }
        let revision = history.head.next
        history.changes.append(logged)
        history.moves.append(change)
        history.texts.append(text)
        history.serials.append(serial)
        guard let client else { return }
        let key = PushKey(client: client, seq: logged.seq)
        history.revisions[key] = revision
        commits[key, default: []].append(WirePosition(epoch: epoch, revision: revision))
    }

    /// The store is an older state of itself from now on, in which all epochs are others.
    mutating func putBack(_ entries: [(old: WireString, entry: DocumentEntry)]) {
        serial += 1
        current = [:]
        for (old, entry) in entries {
            guard let kept = histories[old] else { continue }
            let epoch = entry.epoch.wire
            let history = History(kept, through: entry.head, entry.id, epoch: epoch, serial: serial)
            histories[epoch] = history
            current[entry.id] = epoch
            for (key, revision) in history.revisions {
                commits[key, default: []].append(WirePosition(epoch: epoch, revision: revision))
            }
        }
    }
}

extension Ledger.History {
    func text(at revision: Revision) -> Text? {
        texts.indices.contains(revision.value) ? texts[revision.value] : nil
    }

    /// A revision and when it was committed; nil where there is none.
    func change(at revision: Revision) -> LoggedChange? {
        changes.indices.contains(revision.value - 1) ? changes[revision.value - 1] : nil
    }

    func serial(of revision: Revision) -> Int? {
        serials.indices.contains(revision.value) ? serials[revision.value] : nil
    }

    /// The changes between two revisions.
    func moves(from low: Revision, to high: Revision) -> ArraySlice<Change> {
        low < high && high <= head ? moves[low.value..<high.value] : []
    }

    func edits(at revision: Revision, in unit: CodeUnit) -> [WireEdit]? {
        change(at: revision).map { $0.edits.map { $0.wire(in: unit) } }
    }
}

extension LoggedEdit {
    func wire(in unit: CodeUnit) -> WireEdit {
        let start = start.count(of: unit)
        return WireEdit(WireRange(start, start + removed.count(of: unit)), WireString(edit.text))
    }
}

extension Text {
    /// The length in front of an offset in a unit; nil where that is no place.
    func place(_ offset: Int, in unit: CodeUnit) -> TextLength? {
        // Why it is none does not matter here.
        switch unit {
        case .utf8: try? length(before: UTF8Offset(offset))
        case .utf16: try? length(before: Offset(offset))
        case .scalar: try? length(before: ScalarOffset(offset))
        }
    }

    /// The edits that these are in this text; nil where they are none.
    func edits(_ edits: [WireEdit], in unit: CodeUnit) -> [Edit]? {
        var result: [Edit] = []
        result.reserveCapacity(edits.count)
        for edit in edits {
            guard let start = place(edit.range.start, in: unit), let end = place(edit.range.end, in: unit),
                let made = try? Edit(Offset(start.utf16)..<Offset(end.utf16), edit.text.string)
            else { return nil }
            result.append(made)
        }
        return result
    }

    func change(_ edits: [WireEdit], in unit: CodeUnit) -> Change? {
        self.edits(edits, in: unit).flatMap { try? Change($0) }
    }

    /// Edits of this text as they are sent in a unit.
    func wire(_ change: Change, in unit: CodeUnit) -> [WireEdit] {
        change.edits.map { edit in
            guard let logged = try? LoggedEdit(edit, in: self) else {
                preconditionFailure("an edit of a client does not fit its text")
            }
            return logged.wire(in: unit)
        }
    }

    func selections(_ said: [WireSelection], in unit: CodeUnit) -> [Selection]? {
        var result: [Selection] = []
        for selection in said {
            guard let anchor = place(selection.anchor, in: unit), let head = place(selection.head, in: unit)
            else { return nil }
            result.append(Selection(anchor: Offset(anchor.utf16), head: Offset(head.utf16)))
        }
        return result
    }

    func wire(_ selections: [Selection], in unit: CodeUnit) -> [WireSelection] {
        selections.map { WireSelection(count(before: $0.anchor, in: unit), count(before: $0.head, in: unit)) }
    }

    private func count(before offset: Offset, in unit: CodeUnit) -> Int {
        if unit == .utf16 { return offset.value }
        guard let length = try? length(before: offset) else {
            preconditionFailure("a selection has no place in its text")
        }
        return length.count(of: unit)
    }
}

extension ArraySlice<Change> {
    /// Selections as they are behind these changes.
    func mapping(_ selections: [Selection]) -> [Selection] {
        if isEmpty || selections.isEmpty { return selections }
        return selections.map { reduce($0) { $0.mapped(through: $1) } }
    }
}
