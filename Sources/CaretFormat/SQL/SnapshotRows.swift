import CaretCore
import CaretLog

// The rows of snapshots.
extension SQLRows {
    /// The newest snapshot at `revision` or before; nil if there is none.
    func newestSnapshot(
        of document: DocumentEntry, through revision: Revision
    ) throws(Fault) -> StoredSnapshot? {
        try connection.one(
            """
            SELECT \(StoredSnapshot.columns) FROM snapshot
            WHERE document = $1 AND revision <= $2 ORDER BY revision DESC LIMIT 1
            """, .id(document.id), .revision(revision)
        ) { row throws(DamagedRow) in try StoredSnapshot(row, of: document) }
    }

    /// The revision of that snapshot; 0 if there is none.
    func newestSnapshotRevision(
        of document: DocumentID, through revision: Revision
    ) throws(Fault) -> Revision {
        let found = try connection.one(
            "SELECT coalesce(max(revision), 0) FROM snapshot WHERE document = $1 AND revision <= $2",
            .id(document), .revision(revision)
        ) { row throws(DamagedRow) in try row.revision(0) }
        return found ?? 0
    }

    /// The revisions of the snapshots from `revision` on, in order.
    func snapshotRevisions(
        of document: DocumentID, from revision: Revision
    ) throws(Fault) -> [Revision] {
        try connection.every(
            "SELECT revision FROM snapshot WHERE document = $1 AND revision >= $2 ORDER BY revision",
            .id(document), .revision(revision)
        ) { row throws(DamagedRow) in try row.revision(0) }
    }

    /// The snapshots from `revision` on, in order. A damaged one is nil.
    func snapshots(
        of document: DocumentEntry, from revision: Revision
    ) throws(Fault) -> [StoredSnapshot?] {
        try connection.every(
            """
            SELECT \(StoredSnapshot.columns) FROM snapshot
            WHERE document = $1 AND revision >= $2 ORDER BY revision
            """, .id(document.id), .revision(revision)
        ) { row throws(DamagedRow) in try? StoredSnapshot(row, of: document) }
    }

    func hasSnapshot(of document: DocumentID, before revision: Revision) throws(Fault) -> Bool {
        try connection.hasRow(
            "SELECT 1 FROM snapshot WHERE document = $1 AND revision < $2 LIMIT 1", .id(document),
            .revision(revision))
    }
}

extension StoredSnapshot {
    static let columns = "revision, body, digest, chain"

    fileprivate init(_ row: SQLRow, of entry: DocumentEntry) throws(DamagedRow) {
        self.init(
            document: entry.id, epoch: entry.epoch.document, revision: try row.revision(0),
            body: row.bytes(1), digest: try row.digest(2), chain: Chain(try row.digest(3)))
    }
}
