package import CaretCore
package import CaretFormat
package import CaretLog

// The rows of snapshots.
extension PostgresRows {
    static let snapshotColumns = "revision, body, digest, chain"

    package func newestSnapshot(
        of document: DocumentEntry, through revision: Revision
    ) throws(PostgresFault) -> StoredSnapshot? {
        let found = try run(
            """
            SELECT \(PostgresRows.snapshotColumns) FROM snapshot
            WHERE document = $1 AND revision <= $2 ORDER BY revision DESC LIMIT 1
            """, .integer(document.id.value), .integer(Int64(revision.value))
        ).first
        guard let found else { return nil }
        return try StoredSnapshot(found, of: document)
    }

    package func newestSnapshotRevision(
        of document: DocumentID, through revision: Revision
    ) throws(PostgresFault) -> Revision {
        let found = try run(
            "SELECT coalesce(max(revision), 0) FROM snapshot WHERE document = $1 AND revision <= $2",
            .integer(document.value), .integer(Int64(revision.value))
        ).first
        return try found?.revision(0) ?? 0
    }

    package func snapshotRevisions(
        of document: DocumentID, from revision: Revision
    ) throws(PostgresFault) -> [Revision] {
        try run(
            "SELECT revision FROM snapshot WHERE document = $1 AND revision >= $2 ORDER BY revision",
            .integer(document.value), .integer(Int64(revision.value))
        ).rows.map { row throws(PostgresFault) in try row.revision(0) }
    }

    package func snapshots(
        of document: DocumentEntry, from revision: Revision
    ) throws(PostgresFault) -> [StoredSnapshot?] {
        try run(
            """
            SELECT \(PostgresRows.snapshotColumns) FROM snapshot
            WHERE document = $1 AND revision >= $2 ORDER BY revision
            """, .integer(document.id.value), .integer(Int64(revision.value))
        ).rows.map { try? StoredSnapshot($0, of: document) }
    }

    package func hasSnapshot(
        of document: DocumentID, before revision: Revision
    ) throws(PostgresFault) -> Bool {
        try run(
            "SELECT 1 FROM snapshot WHERE document = $1 AND revision < $2 LIMIT 1",
            .integer(document.value), .integer(Int64(revision.value))
        ).count > 0
    }
}

extension StoredSnapshot {
    fileprivate init(_ row: PostgresRow, of entry: DocumentEntry) throws(PostgresFault) {
        guard let digest = Digest(bytes: row.bytes(2)), let chain = Digest(bytes: row.bytes(3)) else {
            throw .damaged
        }
        self.init(
            document: entry.id, epoch: entry.epoch.document, revision: try row.revision(0),
            body: row.bytes(1), digest: digest, chain: Chain(chain))
    }
}
