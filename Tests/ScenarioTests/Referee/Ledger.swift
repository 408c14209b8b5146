import CaretCore
import CaretLog
import CaretRooms
import CaretWire

/// The referee's own record of all commits of the store: every revision of every history, with its text.
struct Ledger {
    /// A push, by its client and the seq that the client gave it.
    struct PushKey: Hashable {
        let client: Int
        let seq: Int64
    }

    /// One epoch of a document.
    final class History {
        let document: DocumentID
        let epoch: WireString
        /// All revisions, from the first.
        var changes: [LoggedChange] = []
        /// The same revisions as values of `CaretCore.Change`, which can rebase changes and map selections.
        var coreChanges: [Change] = []
        /// The text at every revision, from revision 0.
        var texts: [TextBuffer] = [TextBuffer()]
        /// The ledger's `serial` when each revision was committed; for revision 0, when the history began.
        var serials: [Int]
        /// The revision that each push became.
        var revisions: [PushKey: Revision] = [:]
        /// How many revisions this epoch copied from the epoch that it continues; nil for a new document.
        private let copiedRevisions: Int?

        init(document: DocumentID, epoch: WireString, serial: Int) {
            self.document = document
            self.epoch = epoch
            serials = [serial]
            copiedRevisions = nil
        }

        /// Copies another history up to `head`, to continue it under another epoch.
        init(_ other: History, through head: Revision, _ document: DocumentID, epoch: WireString, serial: Int)
        {
            self.document = document
            self.epoch = epoch
            changes = Array(other.changes.prefix(head.value))
            coreChanges = Array(other.coreChanges.prefix(head.value))
            texts = Array(other.texts.prefix(head.value + 1))
            serials = Array(repeating: serial, count: head.value + 1)
            revisions = other.revisions.filter { $0.value <= head }
            copiedRevisions = head.value
        }

        var isContinued: Bool { copiedRevisions != nil }

        /// Whether something was committed since this epoch began. Always true for a history that started
        /// empty.
        var isInUse: Bool { copiedRevisions.map { changes.count > $0 } ?? true }

        var head: Revision { Revision(changes.count) }
        var text: TextBuffer { texts[texts.count - 1] }
    }

    /// A document and a name that it was given.
    struct NameAssignment: Hashable {
        let document: DocumentID
        let name: WireString
    }

    private(set) var histories: [WireString: History] = [:]
    /// How often each document was given each name.
    private(set) var assignmentCounts: [NameAssignment: Int] = [:]
    /// The epoch that each document has in the store now.
    private(set) var current: [DocumentID: WireString] = [:]
    /// Every position at which each push was committed, in any history.
    private(set) var commits: [PushKey: [WirePosition]] = [:]
    /// Counts commits, new histories and replacements of the store, to show which came first.
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

    /// The documents that had the name at any time.
    func documents(everNamed name: WireString) -> Set<DocumentID> {
        Set(assignmentCounts.keys.filter { $0.name == name }.map(\.document))
    }

    func names(everOf document: DocumentID) -> Set<WireString> {
        Set(assignmentCounts.keys.filter { $0.document == document }.map(\.name))
    }

    mutating func named(_ document: DocumentID, _ name: DocumentName) {
        assignmentCounts[
            NameAssignment(document: document, name: WireString(name.description)), default: 0] += 1
    }

    /// Adds a committed change and the text after it.
    mutating func append(
        _ logged: LoggedChange, _ change: Change, _ text: TextBuffer, to epoch: WireString, by client: Int?
    ) {
        serial += 1
        guard let history = histories[epoch] else { return }
        let revision = history.head.next
        history.changes.append(logged)
        history.coreChanges.append(change)
        history.texts.append(text)
        history.serials.append(serial)
        guard let client else { return }
        let key = PushKey(client: client, seq: logged.seq)
        history.revisions[key] = revision
        commits[key, default: []].append(WirePosition(epoch: epoch, revision: revision))
    }

    /// The store was replaced with an older state of itself. Every document gets a new epoch.
    mutating func restoreOlderStore(_ entries: [(old: WireString, entry: DocumentEntry)]) {
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
    func text(at revision: Revision) -> TextBuffer? {
        texts.indices.contains(revision.value) ? texts[revision.value] : nil
    }

    /// The change that made a revision; nil if there is no such revision.
    func change(at revision: Revision) -> LoggedChange? {
        changes.indices.contains(revision.value - 1) ? changes[revision.value - 1] : nil
    }

    func serial(of revision: Revision) -> Int? {
        serials.indices.contains(revision.value) ? serials[revision.value] : nil
    }

    /// The changes between two revisions.
    func coreChanges(from low: Revision, to high: Revision) -> ArraySlice<Change> {
        low < high && high <= head ? coreChanges[low.value..<high.value] : []
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

extension TextBuffer {
    /// The length of the text before an offset that is counted in `unit`; nil if the offset is not valid.
    func length(to offset: Int, in unit: CodeUnit) -> TextLength? {
        // `try?` drops the reason why an offset is invalid, because no caller needs the reason.
        switch unit {
        case .utf8: try? length(before: UTF8Offset(offset))
        case .utf16: try? length(before: Offset(offset))
        case .scalar: try? length(before: ScalarOffset(offset))
        }
    }

    /// The same edits with UTF-16 offsets; nil if one of them does not fit this text.
    func edits(_ edits: [WireEdit], in unit: CodeUnit) -> [Edit]? {
        var result: [Edit] = []
        result.reserveCapacity(edits.count)
        for edit in edits {
            guard let start = length(to: edit.range.start, in: unit),
                let end = length(to: edit.range.end, in: unit),
                let made = try? Edit(Offset(start.utf16)..<Offset(end.utf16), edit.text.string)
            else { return nil }
            result.append(made)
        }
        return result
    }

    func change(_ edits: [WireEdit], in unit: CodeUnit) -> Change? {
        self.edits(edits, in: unit).flatMap { try? Change($0) }
    }

    /// The edits of a change of this text, as they are sent in a unit.
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
            guard let anchor = length(to: selection.anchor, in: unit),
                let head = length(to: selection.head, in: unit)
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
            preconditionFailure("a selection does not fit its text")
        }
        return length.count(of: unit)
    }
}

extension ArraySlice<Change> {
    /// Maps selections through all changes of the slice, one after the other.
    func mapping(_ selections: [Selection]) -> [Selection] {
        if isEmpty || selections.isEmpty { return selections }
        return selections.map { reduce($0) { $0.mapped(through: $1) } }
    }
}
