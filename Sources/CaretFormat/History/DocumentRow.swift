package import CaretCore
package import CaretLog

/// A stored document, deleted or not.
package struct DocumentRow {
    package var entry: DocumentEntry
    /// The chain at the head.
    package var chain: Chain
    /// The revision of the newest snapshot. 0 if there is none: then the history begins with the empty text.
    package var snapshot: Revision = 0
    /// The number of appended segments that are not merged yet; may be too high. Stored in `loose`.
    package var unmergedSegments = 0
    /// The size of the changes after the newest snapshot. It decides when a new snapshot is due. Stored in
    /// the column `behind`.
    package var bytesSinceSnapshot = 0

    /// A new document.
    package init(_ entry: DocumentEntry) { self.init(entry, chain: Chain(of: entry.epoch)) }

    package init(_ entry: DocumentEntry, chain: Chain) {
        self.entry = entry
        self.chain = chain
    }

    /// Whether one document can have these numbers. A damaged row may have any, and arithmetic with them could stop the
    /// server.
    package var isPlausible: Bool {
        let (head, texts) = (entry.head.value, 0...DocumentEntry.longestText)
        let times = -DocumentEntry.farthest...DocumentEntry.farthest
        guard head <= DocumentEntry.farthest, entry.start.value >= 0, entry.start <= entry.head,
            (0...head).contains(snapshot.value), times.contains(entry.updated),
            times.contains(entry.deleted ?? 0)
        else { return false }
        return [entry.length.utf8, entry.length.utf16, entry.length.scalars].allSatisfy(texts.contains)
            && [unmergedSegments, bytesSinceSnapshot].allSatisfy((0...Int(DocumentEntry.farthest)).contains)
    }
}

extension PusherEntry {
    /// Whether a push can have these numbers.
    package var isPlausible: Bool {
        let range = -DocumentEntry.farthest...DocumentEntry.farthest
        return range.contains(seq) && range.contains(used)
            && (0...range.upperBound).contains(Int64(revision.value))
    }
}

extension LineBreak {
    package init?(stored: Int64) {
        switch stored {
        case 0: self = .lf
        case 1: self = .crlf
        default: return nil
        }
    }

    package var stored: Int64 {
        switch self {
        case .lf: 0
        case .crlf: 1
        }
    }
}
