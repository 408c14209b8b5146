import CSQLite
import CaretLog

/// Compares the index of names with the rows of documents when a store is opened.
///
/// If the disk lost a write, a page of the index is out of date although its checksum is right. Then existing
/// documents would not be found, and their names would be free for others.
struct NameIndex {
    let database: Database

    enum Outcome: Equatable {
        case sound
        /// The index did not match the rows. It was made again from them.
        case rebuilt
        /// The rows of documents are damaged too, so the index is left as it is.
        case damaged
    }

    /// Returns `sound` if the database cannot be read: then each call that needs the rows reports that.
    func repair() throws(DatabaseFault) -> Outcome {
        guard let isSound = try? matchesRows() else { return .sound }
        if isSound { return .sound }
        // An entry without a row means that a row was lost. Without the entry its name would be free.
        guard let hasLostRows = try? hasLostRows(), !hasLostRows else { return .damaged }
        do throws(DatabaseFault) {
            try database.execute("REINDEX document")
            return .rebuilt
        } catch {
            // Two documents with one name: the row of one of them is out of date.
            if error.code & 0xFF == SQLITE_CONSTRAINT { return .damaged }
            throw error
        }
    }

    private func matchesRows() throws(DatabaseFault) -> Bool {
        try database.all("PRAGMA integrity_check(document)") { $0.text(0) }
            .allSatisfy { !$0.contains("index document_") }
    }

    private func hasLostRows() throws(DatabaseFault) -> Bool {
        try database.first(
            """
            SELECT 1 FROM (SELECT id FROM document INDEXED BY document_name WHERE deleted IS NULL)
            WHERE id NOT IN (SELECT id FROM document NOT INDEXED) LIMIT 1
            """, read: { _ in true }) ?? false
    }
}
