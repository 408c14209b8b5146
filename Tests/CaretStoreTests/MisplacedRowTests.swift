import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

/// Rows that have correct bytes but belong elsewhere. Only a comparison with other rows reveals them.
@Suite("Rows with correct bytes in the wrong place") struct MisplacedRowTests {
    /// Damages a store with a document `abcdef`, one letter per revision, and a snapshot at 3. `other` is a
    /// copy of the store in which the document became `abCDEF`.
    struct Damage: Sendable, CustomStringConvertible {
        let description: String
        let sql: String
        /// The finding that `verify` must report.
        var fault = CheckReport.Fault.history
        /// Whether reading page by page finds the damage. If all rows of a page come from the other history,
        /// the page is consistent, and reading it finds nothing.
        var isSeenInPages = true

        private static func fromOther(_ condition: String) -> String {
            """
            DELETE FROM segment WHERE document = 1 AND \(condition);
            INSERT INTO segment (document, first, last, time, body, before, after)
            SELECT document, first, last, time, body, before, after FROM other.segment
            WHERE document = 1 AND \(condition)
            """
        }

        static let all = [
            Damage(description: "one segment of another history in the middle", sql: fromOther("first = 3")),
            Damage(
                description: "two segments of another history in the middle",
                sql: fromOther("first IN (3, 4)"), isSeenInPages: false),
            Damage(description: "the last segment of another history", sql: fromOther("first = 6")),
            Damage(
                description: "all segments from revision 3 on of another history",
                sql: fromOther("first >= 3"),
                isSeenInPages: false),
            Damage(
                description: "a segment of another document",
                sql: """
                    DELETE FROM segment WHERE document = 1 AND first = 5;
                    UPDATE segment SET document = 1 WHERE document = 2 AND first = 5
                    """),
            Damage(
                description: "two segments that are exchanged",
                sql: """
                    UPDATE segment SET first = 99, last = 99 WHERE document = 1 AND first = 4;
                    UPDATE segment SET first = 4, last = 4 WHERE document = 1 AND first = 5;
                    UPDATE segment SET first = 5, last = 5 WHERE document = 1 AND first = 99
                    """),
            Damage(
                description: "a segment with an earlier time",
                sql: "UPDATE segment SET time = time - 1 WHERE document = 1 AND first = 4"),
            Damage(
                description: "a segment with a later time",
                sql: "UPDATE segment SET time = time + 1 WHERE document = 1 AND first = 4"),
            Damage(
                description: "a snapshot with the number of the next revision",
                sql: "UPDATE snapshot SET revision = 4 WHERE document = 1", fault: .snapshot(4)),
            Damage(
                description: "a snapshot of another history",
                sql: "REPLACE INTO snapshot SELECT * FROM other.snapshot WHERE document = 1",
                fault: .snapshot(3)),
            Damage(
                description: "a snapshot with the text of another history",
                sql:
                    "UPDATE snapshot SET body = (SELECT body FROM other.snapshot WHERE document = 1) WHERE document = 1",
                fault: .snapshot(3)),
        ]
    }

    @Test(
        "a misplaced row never gives wrong text, and a check finds it", arguments: Damage.all)
    func misplaced(damage: Damage) async throws {
        let (scratch, document) = try await harmed(damage)
        defer { scratch.remove() }
        let report = try SQLiteStore.verify(folder: scratch.path)
        #expect(report.findings.contains { $0.fault == damage.fault && $0.document == document.entry.id })
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        let id = document.entry.id
        for revision in document.texts.indices {
            let text = await store.text(of: id, at: Revision(revision))
            if case .success(let snapshot) = text {
                #expect(snapshot.text == document.texts[revision], "revision \(revision)")
            }
        }
        // A read of the whole history is refused, because a part of it is wrong.
        if damage.fault == .history { #expect(refusal(await store.read(id, after: 0)) == .refused(.damaged)) }
        for revision in document.texts.indices.dropLast() where damage.isSeenInPages {
            guard case .success(let read) = await store.read(id, after: Revision(revision), limit: 1) else {
                continue
            }
            #expect(read.segment.changes == [document.log[revision]], "after revision \(revision)")
        }
        await store.close()
    }

    private func harmed(_ damage: Damage) async throws -> (Scratch, TrackedDocument) {
        let scratch = try Scratch.inMemory()
        var store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        var beside = try await TrackedDocument(on: store, "beside")
        try await document.type("ab")
        await store.close()
        let other = try scratch.copied()
        defer { other.remove() }
        for (folder, letters) in [(other, "CDEF"), (scratch, "cdef")] {
            store = try SQLiteStore(folder: folder.path, settings: .withoutRounds)
            var following = document
            following.store = store
            try await following.type(String(letters.prefix(1)))
            #expect(await following.putSnapshot() == nil)
            try await following.type(String(letters.dropFirst()))
            if folder.path == scratch.path {
                document = following
                beside.store = store
                try await beside.type("uvwxyz")
            }
            await store.close()
        }
        try DataFolder(scratch.path).openForWriting().execute(
            "ATTACH '\(other.databasePath)' AS other; \(damage.sql)")
        return (scratch, document)
    }
}
