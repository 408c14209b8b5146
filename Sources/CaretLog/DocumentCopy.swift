package import CaretCore

/// A copy that a store makes of a document: the texts that its tags name and its newest text, with the tags and the notes,
/// under a new name. The copy has a history of its own, with one revision for each of these texts.
package struct DocumentCopy: Equatable, Sendable {
    package let source: DocumentID
    package let name: DocumentName
    /// Who copies, and when.
    package let pusher: Pusher
    package let time: Int64
    /// The most bytes that all revisions of the copy may have together. They are written in one commit, for which all other
    /// writes wait.
    let mostBytes: Int
    package var diff: CopyDiff

    package init(
        of source: DocumentID, to name: DocumentName, by pusher: Pusher, at time: Int64, mostBytes: Int,
        _ diff: CopyDiff
    ) {
        (self.source, self.name, self.pusher, self.time) = (source, name, pusher, time)
        (self.mostBytes, self.diff) = (mostBytes, diff)
    }
}

/// Makes the revisions of a copy. Only rooms know how large the edits of a revision may be.
package struct CopyDiff: Equatable, Sendable {
    /// The edits that make the new text from the old one. It must be pure.
    package let edits: @Sendable (_ old: TextBuffer, _ new: TextBuffer) -> [LoggedEdit]

    package init(_ edits: @escaping @Sendable (TextBuffer, TextBuffer) -> [LoggedEdit]) { self.edits = edits }

    /// Always true, because functions cannot be compared. Calls differ by their documents.
    package static func == (left: CopyDiff, right: CopyDiff) -> Bool { true }
}

/// The result of a copy.
package enum CopyResult: Equatable, Sendable {
    case copied(DocumentEntry)
    /// A document already has the new name.
    case exists
    /// The first revisions of the copy would have this number of bytes.
    case tooLarge(bytes: Int)
    /// The history of the document was trimmed or rewritten meanwhile. The caller may try again.
    case changed
    case refused(StoreRefusal)

    package init(_ created: CreateResult) {
        switch created {
        case .created(let entry): self = .copied(entry)
        case .exists: self = .exists
        case .invalidChange: preconditionFailure("the revisions of a copy do not fit each other")
        case .refused(let refusal): self = .refused(refusal)
        }
    }
}

/// The history of a copy. It gets the texts of the source one after the other.
package struct CopiedHistory {
    private let copy: DocumentCopy
    private let source: TaggedDocument
    private let notes: [Note]
    private let noteCounter: Int64
    /// The revisions of the source that were not added yet, in descending order.
    private var missing: [Revision]
    private var text = TextBuffer()
    private var changes: [PushedChange] = []
    /// The revisions of the copy, by those of the source.
    private var revisions: [Revision: Revision] = [:]
    /// The size of all revisions so far.
    package private(set) var bytes = 0

    /// `notes` are all notes of the source. They are at least as new as `source`.
    package init(_ copy: DocumentCopy, of source: TaggedDocument, _ notes: NotePage) {
        self.copy = copy
        // The places of the notes belong to this text.
        self.source = TaggedDocument(notes.entry, source.tags)
        (self.notes, noteCounter) = (notes.notes, notes.counter)
        bytes = notes.notes.reduce(0) { $0 + $1.weight }
        missing = Set(source.tags.map(\.revision) + [notes.entry.head]).sorted(by: >)
    }

    /// The revision of the source to add next; nil if the history is complete.
    package var next: Revision? { missing.last }

    /// Adds the text at the next revision. Returns false if the copy would be too large.
    package mutating func add(_ new: TextBuffer) -> Bool {
        guard let revision = missing.popLast() else { preconditionFailure("the history is complete") }
        let edits = copy.diff.edits(text, new)
        if !edits.isEmpty {
            // Clients number their pushes from 1. So the copy uses no number up.
            let change = LoggedChange(pusher: copy.pusher, seq: 0, time: copy.time, edits: edits)
            bytes += change.weight
            if bytes > copy.mostBytes { return false }
            changes.append(PushedChange(change, digest: Digest(.zero)))
            text = new
        }
        revisions[revision] = Revision(changes.count)
        return true
    }

    package var complete: InitialHistory {
        precondition(missing.isEmpty, "a text is missing")
        let tags = source.tags.map { tag in
            Tag(name: tag.name, revision: revisions[tag.revision] ?? 0, user: tag.user, time: tag.time)
        }
        let head = Revision(changes.count)
        return InitialHistory(
            changes, lineBreak: source.entry.lineBreak, tags: tags,
            notes: CopiedNotes(notes.map { $0.copied(to: head) }, counter: noteCounter))
    }
}

extension DocumentStore {
    /// Copies a document, as long as `goesOn` returns true. Each text is read by a call of its own, so a long copy does not
    /// delay other calls. Only the last call writes.
    package func copied(_ copy: DocumentCopy, while goesOn: () -> Bool) async -> CopyResult {
        guard case .tags(.listed(let listed)) = await answer(to: .tags(.list(copy.source))) else {
            return .refused(.failed)
        }
        let source: TaggedDocument
        switch listed {
        case .success(let found): source = found
        case .failure(let refusal): return .refused(refusal)
        }
        guard case .notes(.listed(let found)) = await answer(to: .notes(.list(copy.source, NoteQuery())))
        else {
            return .refused(.failed)
        }
        var history: CopiedHistory
        switch found {
        case .success(let notes):
            if notes.entry.epoch != source.entry.epoch { return .changed }
            history = CopiedHistory(copy, of: source, notes)
        case .failure(let refusal): return .refused(refusal)
        }
        while let revision = history.next {
            if !goesOn() { return .refused(.away) }
            guard case .text(let text) = await answer(to: .text(copy.source, at: revision)) else {
                return .refused(.failed)
            }
            switch text {
            case .success(let snapshot):
                if !history.add(snapshot.text) { return .tooLarge(bytes: history.bytes) }
            case .failure(.refused(let refusal)): return .refused(refusal)
            case .failure: return .changed
            }
        }
        if let refusal = await refusal(ofChanged: source.entry) { return refusal }
        guard
            case .created(let created) = await answer(
                to: .create(copy.name, history.complete, at: copy.time))
        else { return .refused(.failed) }
        return CopyResult(created)
    }

    /// A refusal if the document's history was rewritten or the document was deleted; otherwise nil. A redaction leaves its
    /// passage in no text that it has rewritten, but some texts may have been read before.
    private func refusal(ofChanged entry: DocumentEntry) async -> CopyResult? {
        guard case .entries(let entries) = await answer(to: .entries([entry.id])), let now = entries.first
        else { return .refused(.failed) }
        switch now {
        case .success(let now): return now.epoch == entry.epoch ? nil : .changed
        case .failure(let refusal): return .refused(refusal)
        }
    }
}
