package import CaretCore
package import CaretLog

/// Who changed the lines of a text, with the chain value of its revision. The chain is nil inside a large segment, where
/// it takes long to compute. Then no changes can be applied.
package struct CheckedBlame {
    package var text: BlamedText
    package var chain: Chain?

    package init(text: BlamedText, chain: Chain?) { (self.text, self.chain) = (text, chain) }

    /// Applies the changes of a sound segment after the text's revision, up to revision `end`. Returns how many edits they
    /// have, or at least the number of the changes.
    mutating func apply(
        _ stored: StoredSegment, through end: Revision
    ) throws(AttributedLines.Fault) -> Int {
        guard let start = chain, let new = stored.changes(after: text.revision, start, through: end) else {
            throw .misplaced
        }
        var edits = 0
        for change in new {
            try text.apply(change)
            edits += max(1, change.edits.count)
        }
        let isWhole = new.endIndex == stored.segment.changes.endIndex
        chain =
            isWhole || new.count < HistoryCache.leastChanges ? stored.chain(after: new, from: start) : nil
        return edits
    }
}

/// The last answers about who changed texts. The next page of an answer, and the same question about a later revision,
/// start there. All of them together have at most `mostBytes`.
package struct BlameCache {
    private struct Entry {
        let document: DocumentID
        /// The document's part of the epoch.
        let epoch: UInt64
        let blame: CheckedBlame
        let bytes: Int
    }

    package static let mostBytes = 16 << 20

    private let most: Int
    /// The entry that was used last is at the end.
    private var entries: [Entry] = []
    package private(set) var bytes = 0

    package init(mostBytes: Int = BlameCache.mostBytes) { most = mostBytes }

    /// The newest known answer at `revision` or before. An older one must have a chain.
    package mutating func blame(of document: DocumentEntry, through revision: Revision) -> CheckedBlame? {
        let usable = entries.indices.filter { index in
            let (entry, known) = (entries[index], entries[index].blame)
            return entry.document == document.id && entry.epoch == document.epoch.document
                // A trim takes the authors of the oldest lines.
                && known.text.start == document.start
                && (known.text.revision == revision || known.text.revision < revision && known.chain != nil)
        }
        let best = usable.max { entries[$0].blame.text.revision < entries[$1].blame.text.revision }
        guard let best else { return nil }
        entries.append(entries.remove(at: best))
        return entries[entries.count - 1].blame
    }

    package mutating func add(_ blame: CheckedBlame, of document: DocumentEntry) {
        let size = blame.text.bytes
        if size > most { return }
        remove { $0.document == document.id && $0.blame.text.revision == blame.text.revision }
        entries.append(
            Entry(document: document.id, epoch: document.epoch.document, blame: blame, bytes: size))
        bytes += size
        while bytes > most { bytes -= entries.removeFirst().bytes }
    }

    package mutating func remove(_ document: DocumentID) { remove { $0.document == document } }

    private mutating func remove(where isRemoved: (Entry) -> Bool) {
        entries.removeAll(where: isRemoved)
        bytes = entries.reduce(0) { $0 + $1.bytes }
    }
}
