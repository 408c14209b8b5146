import CaretCore
import CaretFormat
package import CaretLog

/// Reads a whole store: every page, row, chain, snapshot and pusher. It changes nothing.
///
/// Use it only on the thread or queue of its connection.
package struct StoreCheck {
    private let database: Database
    private var documents: DocumentCheck<SQLiteRows>
    private var report: CheckReport {
        get { documents.report }
        set { documents.report = newValue }
    }

    private let isStopped: @Sendable () -> Bool

    /// `database` must be a connection for reading.
    package init(_ database: Database, isStopped: @escaping @Sendable () -> Bool = { false })
        throws(DatabaseFault)
    {
        self.isStopped = isStopped
        self.database = database
        let row = try StoreRow.read(database)
        documents = DocumentCheck(
            SQLiteRows(database, Generation(row?.progress.generation ?? 0)))
    }

    /// Checks one document, or the file and all documents.
    package mutating func run(_ document: DocumentID?, progress: (CheckProgress) -> Void) -> CheckReport {
        if let document { documents.check(document) } else { checkAll(progress) }
        return report
    }

    /// Runs `body`. If `body` throws, adds a finding. The check continues with the other parts.
    private mutating func attempt(
        _ body: (inout StoreCheck) throws(StoreFault) -> Void
    ) {
        do throws(StoreFault) {
            try body(&self)
        } catch {
            switch error {
            case .database(let fault): report.addFinding(.unread(fault.message))
            case .refused: report.addFinding(.row)
            }
        }
    }

    private mutating func checkAll(_ progress: (CheckProgress) -> Void) {
        attempt { check throws(StoreFault) in
            for message in try check.database.every("PRAGMA integrity_check(20)", read: { $0.text(0) })
            where message != "ok" {
                check.report.addFinding(.file(message))
            }
        }
        var all = 0
        attempt { check throws(StoreFault) in
            all = try check.database.one("SELECT count(*) FROM document") { Int($0.integer(0)) } ?? 0
        }
        checkDocuments { report in
            progress(
                CheckProgress(documents: report.documents, allDocuments: all, revisions: report.revisions))
        }
        for table in ["segment", "snapshot", "pusher", "tag"] {
            attempt { check throws(StoreFault) in
                let orphans = try check.database.one(
                    "SELECT 1 FROM \(table) WHERE document NOT IN (SELECT id FROM document) LIMIT 1",
                    read: { _ in true })
                if orphans == true { check.report.addFinding(.orphans(table)) }
            }
        }
        checkTokens()
        if isStopped() { report.addFinding(.stopped) }
    }

    /// Checks the tokens page by page.
    private mutating func checkTokens() {
        var page = TokenListing(items: [], hasMore: true)
        while page.hasMore, !isStopped() {
            let last = page.items.last?.id
            page = TokenListing(items: [], hasMore: false)
            attempt { check throws(StoreFault) in
                page = try TokenTable(database: check.database).list(
                    after: last, limit: 64, weighing: 1 << 20)
            }
            report.tokens += page.items.count
            for case .damaged(let token) in page.items { report.addFinding(.token(token)) }
        }
    }

    /// Checks the documents in the order of their IDs, and continues after unreadable ones.
    private mutating func checkDocuments(_ progress: (CheckReport) -> Void) {
        var last: Int64 = 0
        while !isStopped() {
            var page: [Int64]?
            attempt { check throws(StoreFault) in
                page = try check.database.every(
                    "SELECT id FROM document WHERE id > ? ORDER BY id LIMIT 64", .integer(last)
                ) { $0.integer(0) }
            }
            guard let page else { return checkEach(after: last) }
            guard let end = page.last else { return }
            for id in page where !isStopped() { documents.check(DocumentID(id)) }
            last = end
            progress(report)
        }
    }

    /// Tries every document ID that was ever used, because the table cannot be read in order.
    private mutating func checkEach(after last: Int64) {
        var most = last
        attempt { check throws(StoreFault) in
            most =
                try check.database.one("SELECT seq FROM sqlite_sequence WHERE name = 'document'") {
                    $0.integer(0)
                } ?? last
        }
        for id in last..<max(last, most) where !isStopped() { documents.check(DocumentID(id + 1)) }
    }
}
