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
