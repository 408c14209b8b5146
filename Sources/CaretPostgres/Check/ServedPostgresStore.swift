import CaretConcurrency
import CaretFormat
package import CaretLog
import Glibc

extension PostgresStore: ServedStore {
    package func otherNodes(
        then completion: @escaping @Sendable (Result<[NodeEntry], StoreRefusal>) -> Void
    ) {
        lookup(
            { [shared] reader throws(PostgresFault) in
                try reader.rows.withConnection { connection throws(PostgresFault) in
                    try NodeTable(connection: connection, node: shared.node).others()
                }
            }, then: completion)
    }

    package func check(
        _ document: DocumentID?, progress: @escaping @Sendable (CheckProgress) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        openCalls.begin()
        defer { openCalls.end() }
        return await upkeep.reader.run { [openCalls] reader in
            var check = PostgresCheck(reader.reader.rows, isStopped: { openCalls.isClosing })
            return check.run(document, progress: progress)
        }
    }

    /// PostgreSQL has its own tools for copies.
    package func copy(
        to path: String, at time: Int64, progress: @escaping @Sendable (_ copied: Int, _ all: Int) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        throw .storage(.failed, .errno(ENOTSUP))
    }
}

/// Reads a whole store: every document with its history, and every token. It changes nothing.
struct PostgresCheck {
    private let rows: PostgresRows
    private let isStopped: @Sendable () -> Bool
    private var documents: DocumentCheck<PostgresRows>

    private static let tables = ["segment", "snapshot", "pusher", "tag"]

    init(_ rows: PostgresRows, isStopped: @escaping @Sendable () -> Bool) {
        self.rows = rows
        self.isStopped = isStopped
        documents = DocumentCheck(rows)
    }

    /// Checks one document, or all documents and tokens.
    mutating func run(_ document: DocumentID?, progress: (CheckProgress) -> Void) -> CheckReport {
        if let document { documents.check(document) } else { checkAll(progress) }
        return documents.report
    }

    private mutating func checkAll(_ progress: (CheckProgress) -> Void) {
        do throws(PostgresFault) {
            try checkDocuments(progress)
            for table in PostgresCheck.tables {
                let orphans = try rows.run(
                    """
                    SELECT 1 FROM \(table) WHERE NOT EXISTS (SELECT 1 FROM document WHERE id = \(table).document)
                    LIMIT 1
                    """)
                if orphans.count > 0 { documents.report.addFinding(.orphans(table)) }
            }
            try checkTokens()
        } catch {
            documents.report.addFinding(.unread("\(error)"))
        }
        if isStopped() { documents.report.addFinding(.stopped) }
    }

    /// Checks the documents in the order of their IDs. Each of them is read in a transaction of its own, because a
    /// long one would keep PostgreSQL from removing old rows.
    private mutating func checkDocuments(_ progress: (CheckProgress) -> Void) throws(PostgresFault) {
        let all = Int(try rows.run("SELECT count(*) FROM document").first?.integer(0) ?? 0)
        var last = DocumentID(0)
        while !isStopped() {
            let page = try rows.run(
                "SELECT id FROM document WHERE id > $1 ORDER BY id LIMIT 64", .integer(last.value)
            ).rows.map { row throws(PostgresFault) in DocumentID(try row.integer(0)) }
            guard let end = page.last else { return }
            for id in page where !isStopped() { documents.check(id) }
            last = end
            progress(
                CheckProgress(
                    documents: documents.report.documents, allDocuments: all,
                    revisions: documents.report.revisions))
        }
    }

    /// Checks the tokens page by page.
    private mutating func checkTokens() throws(PostgresFault) {
        var page = TokenListing(items: [], hasMore: true)
        while page.hasMore, !isStopped() {
            let last = page.items.last?.id
            page = try rows.withConnection { connection throws(PostgresFault) in
                try TokenTable(connection: connection).list(after: last, limit: 64, weighing: 1 << 20)
            }
            documents.report.tokens += page.items.count
            for case .damaged(let token) in page.items { documents.report.addFinding(.token(token)) }
        }
    }
}
