/// The result of a check of a store.
package struct CheckReport: Equatable, Sendable {
    package struct Finding: Equatable, Sendable {
        /// Nil if the finding belongs to no document.
        package let document: DocumentID?
        /// Nil if the name is not known.
        package let name: DocumentName?
        package let fault: Fault
    }

    package enum Fault: Equatable, Sendable {
        /// The database reported this fault of its file.
        case file(String)
        /// The document's row has a wrong checksum, or the document is not found by its name.
        case row
        /// A segment is missing or damaged, or its chain value does not match the next segment or the head.
        case history
        /// The snapshot at this revision is missing, or is not the text that the history gives.
        case snapshot(Int)
        /// A pusher's row is damaged, missing or too old.
        case pusher
        /// A tag is damaged, or belongs to a revision that is not kept.
        case tag
        /// A note is damaged, is not counted, or has its place in a revision that is not kept.
        case note
        /// Rows of this table belong to no document.
        case orphans(String)
        /// The row of this token is damaged.
        case token(TokenID)
        /// The check is incomplete, because the store was closed.
        case stopped
        /// The database could not read the data, with its message.
        case unread(String)
    }

    package var documents = 0
    package var revisions = 0
    package var snapshots = 0
    package var pushers = 0
    package var tokens = 0
    /// The first thousand findings. A damaged document has at least one finding, but some of its faults may
    /// have none.
    package private(set) var findings: [Finding] = []

    /// Whether there were more findings than `findings` contains.
    package private(set) var hasMore = false

    package var isSound: Bool { findings.isEmpty }
    /// Whether the check is incomplete.
    package var isStopped: Bool { findings.contains { $0.fault == .stopped } }

    package init() {}

    package mutating func addFinding(
        _ fault: Fault, in document: DocumentID? = nil, _ name: DocumentName? = nil
    ) {
        if findings.count == 1000 {
            hasMore = true
        } else {
            findings.append(Finding(document: document, name: name, fault: fault))
        }
    }
}

extension CheckReport.Fault {
    /// The finding in words for a person.
    package var words: String {
        switch self {
        case .file(let message): "the file: \(message)"
        case .row: "the document's row is damaged, or a search by name does not find the document"
        case .history: "the document's history is damaged"
        case .snapshot(let revision): "the document's snapshot at revision \(revision) is missing or wrong"
        case .pusher: "the records of the document's last pushes are damaged"
        case .tag: "the names of the document's revisions are damaged"
        case .note: "the document's notes are damaged"
        case .orphans(let table): "rows of the table \(table) belong to no document"
        case .token(let token): "token \(token.value) is damaged"
        case .stopped: "the check was stopped before it was complete"
        case .unread(let message): "the data cannot be read: \(message)"
        }
    }
}

/// The progress of a check.
package struct CheckProgress: Equatable, Sendable {
    package let documents: Int
    package let allDocuments: Int
    package let revisions: Int

    package init(documents: Int, allDocuments: Int, revisions: Int) {
        self.documents = documents
        self.allDocuments = allDocuments
        self.revisions = revisions
    }
}
