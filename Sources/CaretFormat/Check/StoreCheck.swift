package import CaretLog

/// Reads a whole store in steps: every document with its history, every token and every sign-out. It
/// changes nothing.
///
/// Use it only on the thread or queue of its connection.
package struct StoreCheck<Connection: SQLConnection> {
    package typealias Fault = Connection.Fault

    /// What the next step does.
    private enum Stage {
        case file
        case document(DocumentID, rest: ArraySlice<DocumentID>)
        /// Reads the next documents, in the order of their IDs.
        case documents(after: DocumentID)
        /// Tries every ID up to the last one, because the table cannot be read in order.
        case each(DocumentID, last: DocumentID)
        /// Looks for rows of tables that belong to no document.
        case orphans(ArraySlice<String>, after: DocumentID)
        case tokens(after: TokenID?)
        case signOuts(after: Int64)
        case end
    }

    private let connection: Connection
    private let rows: SQLRows<Connection>
    private let isStopped: @Sendable () -> Bool
    /// Whether everything is checked, and not only one document.
    private let isWhole: Bool
    private var documents: DocumentCheck<Connection>
    private var allDocuments = 0
    private var stage: Stage

    package var report: CheckReport { documents.report }

    private static var firstTable: Stage {
        .orphans(["segment", "snapshot", "pusher", "tag", "notebook", "note"], after: DocumentID(0))
    }

    /// Checks one document, or everything.
    package init(
        _ rows: SQLRows<Connection>, of document: DocumentID? = nil,
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.rows, connection, self.isStopped) = (rows, rows.connection, isStopped)
        documents = DocumentCheck(rows)
        isWhole = document == nil
        stage = document.map { .document($0, rest: []) } ?? .file
    }

    package mutating func run(_ progress: (CheckProgress) -> Void) -> CheckReport {
        while step(progress) {}
        return report
    }

    /// Does the next step. Returns whether there are more. Steps read on snapshots of their own, because a long
    /// transaction would keep the database from removing old rows, and others may use the connection between them.
    package mutating func step(_ progress: (CheckProgress) -> Void) -> Bool {
        if isStopped() {
            documents.report.addFinding(.stopped)
            stage = .end
            return false
        }
        do throws(Fault) {
            stage = try next(progress)
        } catch {
            documents.report.addFinding(error.unreadReason.map { .unread($0) } ?? .row)
            stage = next(after: error)
        }
        if case .end = stage { return false }
        return true
    }

    /// A damaged part does not keep the check from the other parts. If the connection was lost, there is no other part.
    private func next(after fault: Fault) -> Stage {
        guard fault.refusal == .damaged || Connection.dialect == .sqlite else { return .end }
        switch stage {
        case .file: return .documents(after: DocumentID(0))
        case .documents(let last):
            guard let most = try? rows.lastDocument(), most > last else { return StoreCheck.firstTable }
            return .each(last, last: most)
        case .document, .each: return StoreCheck.firstTable
        case .orphans(let tables, _): return .orphans(tables.dropFirst(), after: DocumentID(0))
        case .tokens: return .signOuts(after: 0)
        case .signOuts, .end: return .end
        }
    }

    private mutating func next(_ progress: (CheckProgress) -> Void) throws(Fault) -> Stage {
        switch stage {
        case .file:
            try checkFile()
            return .documents(after: DocumentID(0))
        case .document(let id, let rest):
            if !documents.step(id) { return stage }
            if let next = rest.first { return .document(next, rest: rest.dropFirst()) }
            if !isWhole { return .end }
            progress(
                CheckProgress(
                    documents: report.documents, allDocuments: allDocuments, revisions: report.revisions))
            return .documents(after: id)
        case .documents(let last): return try page(after: last)
        case .each(let id, let last):
            documents.check(DocumentID(id.value + 1))
            return id.value + 1 < last.value
                ? .each(DocumentID(id.value + 1), last: last) : StoreCheck.firstTable
        case .orphans(let tables, let last): return try orphans(in: tables, after: last)
        case .tokens(let last): return try tokens(after: last)
        case .signOuts(let last):
            let page = try SignOutTable(connection: connection).page(after: last, limit: 1_000)
            return page.hasMore ? .signOuts(after: page.last) : .end
        case .end: return .end
        }
    }

    private mutating func checkFile() throws(Fault) {
        guard let sql = Connection.dialect.fileCheck else { return }
        for message in try connection.every(
            sql, read: { row in String(decoding: row.bytes(0), as: UTF8.self) })
        where message != "ok" {
            documents.report.addFinding(.file(message))
        }
    }

    private mutating func page(after last: DocumentID) throws(Fault) -> Stage {
        if last.value == 0 {
            allDocuments =
                try connection.one("SELECT count(*) FROM document") { row throws(DamagedRow) in
                    try row.count(0)
                }
                ?? 0
        }
        let page = try connection.every(
            "SELECT id FROM document WHERE id > $1 ORDER BY id LIMIT 64", .id(last)
        ) { row throws(DamagedRow) in DocumentID(try row.integer(0)) }
        guard let first = page.first else { return StoreCheck.firstTable }
        return .document(first, rest: page.dropFirst())
    }

    /// Looks at the next documents that a table has rows of. It jumps from one document to the next in the index, so it
    /// does not read all rows.
    private mutating func orphans(
        in tables: ArraySlice<String>, after last: DocumentID
    ) throws(Fault) -> Stage {
        guard let table = tables.first else { return .tokens(after: nil) }
        let found = try connection.one(
            """
            WITH RECURSIVE found (id, number) AS (
                SELECT min(document), 1 FROM \(table) WHERE document > $1
                UNION ALL
                SELECT (SELECT min(document) FROM \(table) WHERE document > found.id), number + 1 FROM found
                WHERE found.id IS NOT NULL AND number < 256)
            SELECT max(found.id), count(*) FILTER (WHERE document.id IS NULL)
            FROM found LEFT JOIN document ON document.id = found.id WHERE found.id IS NOT NULL
            """, .id(last)
        ) { row throws(DamagedRow) in (end: try row.optionalInteger(0), orphans: try row.count(1)) }
        guard let end = found?.end else { return .orphans(tables.dropFirst(), after: DocumentID(0)) }
        if found?.orphans == 0 { return .orphans(tables, after: DocumentID(end)) }
        documents.report.addFinding(.orphans(table))
        return .orphans(tables.dropFirst(), after: DocumentID(0))
    }

    private mutating func tokens(after last: TokenID?) throws(Fault) -> Stage {
        let page = try TokenTable(connection).list(after: last, limit: 64, weighing: 1 << 20)
        documents.report.tokens += page.items.count
        for case .damaged(let token) in page.items { documents.report.addFinding(.token(token)) }
        return page.hasMore ? .tokens(after: page.items.last?.id) : .signOuts(after: 0)
    }
}
