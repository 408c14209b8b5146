package import CaretLog

/// What a check of a store has found.
package struct CheckReport: Equatable, Sendable {
    package struct Finding: Equatable, Sendable {
        /// Nil where the file itself is damaged.
        package let document: DocumentID?
        /// Nil where it is not known.
        package let name: DocumentName?
        package let fault: Fault
    }

    package enum Fault: Equatable, Sendable {
        /// What SQLite says of the file.
        case file(String)
        /// The document's row is not as it was written, or is not found by its name.
        case row
        /// A segment is missing or is not as it was written, or does not lead to the next, or to the head.
        case history
        /// The snapshot at this revision is not the text that the history adds up to.
        case snapshot(Int)
        /// What is remembered of a pusher is not as it was written, or is not found.
        case pusher
        /// Rows of this table belong to no document.
        case orphans(String)
        /// What is kept of this token is not what was written.
        case token(TokenID)
        /// The check did not come to its end, since the store was closed.
        case stopped
        /// It cannot be read.
        case unread(DatabaseFault)
    }

    package internal(set) var documents = 0
    package internal(set) var revisions = 0
    package internal(set) var snapshots = 0
    package internal(set) var pushers = 0
    package internal(set) var tokens = 0
    /// The first thousand, of which one a document is certain.
    package private(set) var findings: [Finding] = []

    /// There were more.
    package private(set) var hasMore = false

    package var isSound: Bool { findings.isEmpty }
    /// It did not come to its end.
    package var isStopped: Bool { findings.contains { $0.fault == .stopped } }

    mutating func find(_ fault: Fault, in document: DocumentID? = nil, _ name: DocumentName? = nil) {
        if findings.count == 1000 {
            hasMore = true
        } else {
            findings.append(Finding(document: document, name: name, fault: fault))
        }
    }
}

extension CheckReport.Fault {
    /// For a person.
    package var words: String {
        switch self {
        case .file(let message): "the file: \(message)"
        case .row: "its row is not as it was written, or it is not found by its name"
        case .history: "its history is not as it was written"
        case .snapshot(let revision): "its snapshot at revision \(revision) is not the text of its history"
        case .pusher: "what is remembered of those who pushed is not as it was written"
        case .orphans(let table): "rows of the table \(table) belong to no document"
        case .token(let token): "the token \(token.value) is not as it was written"
        case .stopped: "the check did not come to its end"
        case .unread(let fault): "it cannot be read: \(fault.message)"
        }
    }
}

/// How far a check has come.
package struct CheckProgress: Equatable, Sendable {
    package let documents: Int
    package let allDocuments: Int
    package let revisions: Int
}
