import CaretConcurrency
import CaretFormat
package import CaretLog
import Glibc

extension PostgresStore: ServedStore {
    package func otherNodes() async -> Result<[NodeEntry], StoreRefusal> {
        openCalls.begin()
        defer { openCalls.end() }
        let nodes = await reads.run(as: .short) { [node = shared.node] readers in
            Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    try readers.lane.run { connection throws(PostgresFault) in
                        try NodeTable(connection: connection, node: node).others()
                    }
                }
            }
        }
        return nodes.mapError(\.refusal)
    }

    package func check(
        _ document: DocumentID?, progress: @escaping @Sendable (CheckProgress) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        openCalls.begin()
        defer { openCalls.end() }
        let check = await reads.run(as: .upkeep) { [reads, openCalls] readers in
            reads.confine(
                PostgresCheck(readers[.upkeep].rows, of: document, isStopped: { openCalls.isClosing }))
        }
        while await reads.run(as: .upkeep, { _ in check.update { $0.step(progress) } }) {}
        return await reads.run(as: .upkeep) { _ in check.value.report }
    }

    /// PostgreSQL has its own tools for copies.
    package func copy(
        to path: String, at time: Int64, progress: @escaping @Sendable (_ copied: Int, _ all: Int) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        throw .storage(.failed, .errno(ENOTSUP))
    }
}

/// Reads a whole store in steps: every document with its history, and every token. It changes nothing.
struct PostgresCheck {
    /// What the next step does.
    private enum Stage {
        case document(DocumentID, rest: ArraySlice<DocumentID>)
        /// Reads the next documents, in the order of their IDs.
        case documents(after: DocumentID)
        /// Looks for rows of tables that belong to no document.
        case orphans(ArraySlice<String>, after: DocumentID)
        case tokens(after: TokenID?)
        case end
    }

    private let rows: PostgresRows
    private let isStopped: @Sendable () -> Bool
    /// Whether all documents are checked, and not only one.
    private let isWhole: Bool
    private var documents: DocumentCheck<PostgresRows>
    private var allDocuments = 0
    private var stage: Stage

    var report: CheckReport { documents.report }

    private static let tables = ["segment", "snapshot", "pusher", "tag"]

    /// Checks one document, or all documents and tokens.
    init(_ rows: PostgresRows, of document: DocumentID?, isStopped: @escaping @Sendable () -> Bool) {
        self.rows = rows
        self.isStopped = isStopped
        documents = DocumentCheck(rows)
        isWhole = document == nil
        stage = document.map { .document($0, rest: []) } ?? .documents(after: DocumentID(0))
    }

    mutating func run(_ progress: (CheckProgress) -> Void) -> CheckReport {
        while step(progress) {}
        return report
    }

    /// Does the next step. Returns whether there are more. Steps read on snapshots of their own, because a long
    /// transaction would keep PostgreSQL from removing old rows, and others use the connection between them.
    mutating func step(_ progress: (CheckProgress) -> Void) -> Bool {
        if isStopped() {
            documents.report.addFinding(.stopped)
            stage = .end
            return false
        }
        do throws(PostgresFault) {
            stage = try next(progress)
        } catch {
            documents.report.addFinding(.unread("\(error)"))
            stage = .end
        }
        if case .end = stage { return false }
        return true
    }

    private mutating func next(_ progress: (CheckProgress) -> Void) throws(PostgresFault) -> Stage {
        switch stage {
        case .document(let id, let rest):
            if !documents.step(id) { return stage }
            if let next = rest.first { return .document(next, rest: rest.dropFirst()) }
            if !isWhole { return .end }
            progress(
                CheckProgress(
                    documents: report.documents, allDocuments: allDocuments, revisions: report.revisions))
            return .documents(after: id)
        case .documents(let last): return try page(after: last)
        case .orphans(let tables, let last): return try orphans(in: tables, after: last)
        case .tokens(let last): return try tokens(after: last)
        case .end: return .end
        }
    }

    private mutating func page(after last: DocumentID) throws(PostgresFault) -> Stage {
        if last.value == 0 {
            allDocuments = Int(try rows.run("SELECT count(*) FROM document").first?.integer(0) ?? 0)
        }
        let page = try rows.run(
            "SELECT id FROM document WHERE id > $1 ORDER BY id LIMIT 64", .integer(last.value)
        ).rows.map { row throws(PostgresFault) in DocumentID(try row.integer(0)) }
        guard let first = page.first else { return .orphans(PostgresCheck.tables[...], after: DocumentID(0)) }
        return .document(first, rest: page.dropFirst())
    }

    /// Looks at the next documents that a table has rows of. It jumps from one document to the next in the index, so it
    /// does not read all rows.
    private mutating func orphans(
        in tables: ArraySlice<String>, after last: DocumentID
    ) throws(PostgresFault) -> Stage {
        guard let table = tables.first else { return .tokens(after: nil) }
        let found = try rows.run(
            """
            WITH RECURSIVE found (id, number) AS (
                SELECT min(document), 1 FROM \(table) WHERE document > $1
                UNION ALL
                SELECT (SELECT min(document) FROM \(table) WHERE document > found.id), number + 1 FROM found
                WHERE found.id IS NOT NULL AND number < 256)
            SELECT max(found.id), count(*) FILTER (WHERE document.id IS NULL)
            FROM found LEFT JOIN document ON document.id = found.id WHERE found.id IS NOT NULL
            """, .integer(last.value)
        ).first
        guard let found, let end = try found.optionalInteger(0) else {
            return .orphans(tables.dropFirst(), after: DocumentID(0))
        }
        if try found.integer(1) == 0 { return .orphans(tables, after: DocumentID(end)) }
        documents.report.addFinding(.orphans(table))
        return .orphans(tables.dropFirst(), after: DocumentID(0))
    }

    private mutating func tokens(after last: TokenID?) throws(PostgresFault) -> Stage {
        let page = try rows.withConnection { connection throws(PostgresFault) in
            try TokenTable(connection: connection).list(after: last, limit: 64, weighing: 1 << 20)
        }
        documents.report.tokens += page.items.count
        for case .damaged(let token) in page.items { documents.report.addFinding(.token(token)) }
        return page.hasMore ? .tokens(after: page.items.last?.id) : .end
    }
}
