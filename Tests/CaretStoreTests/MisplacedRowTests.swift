import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

/// Rows with correct bytes in a wrong place. Only a comparison with their neighbours shows that.
@Suite("Misplaced rows") struct MisplacedRowTests {
    /// Damages a store with a document `abcdef`, one letter per revision, and a snapshot at 3. `other` is a
    /// copy of the store in which the document became `abCDEF`.
    struct Harm: Sendable, CustomStringConvertible {
        let description: String
        let sql: String
        /// The finding that `verify` must report.
        var fault = CheckReport.Fault.history
        /// Whether reading page by page finds it. A page whose rows all come from the other history is
        /// consistent.
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
            Harm(description: "a segment of another history inside", sql: fromOther("first = 3")),
            Harm(description: "two of them", sql: fromOther("first IN (3, 4)"), isSeenInPages: false),
            Harm(description: "the last segment of another history", sql: fromOther("first = 6")),
            Harm(
                description: "all segments from one on", sql: fromOther("first >= 3"),
                isSeenInPages: false),
            Harm(
                description: "a segment of another document",
                sql: """
                    DELETE FROM segment WHERE document = 1 AND first = 5;
                    UPDATE segment SET document = 1 WHERE document = 2 AND first = 5
                    """),
            Harm(
                description: "two segments in each other's place",
                sql: """
                    UPDATE segment SET first = 99, last = 99 WHERE document = 1 AND first = 4;
                    UPDATE segment SET first = 4, last = 4 WHERE document = 1 AND first = 5;
                    UPDATE segment SET first = 5, last = 5 WHERE document = 1 AND first = 99
                    """),
            Harm(
                description: "a segment with an earlier time",
                sql: "UPDATE segment SET time = time - 1 WHERE document = 1 AND first = 4"),
            Harm(
                description: "a segment with a later time",
                sql: "UPDATE segment SET time = time + 1 WHERE document = 1 AND first = 4"),
            Harm(
                description: "a snapshot under the next revision",
                sql: "UPDATE snapshot SET revision = 4 WHERE document = 1", fault: .snapshot(4)),
            Harm(
                description: "a snapshot of another history",
                sql: "REPLACE INTO snapshot SELECT * FROM other.snapshot WHERE document = 1",
                fault: .snapshot(3)),
        ]
    }

    @Test(
        "a misplaced row is never read as sound, and a check finds it", arguments: Harm.all)
    func misplaced(harm: Harm) async throws {
        let (scratch, document) = try await harmed(harm)
        defer { scratch.remove() }
        let report = try SQLiteStore.verify(folder: scratch.path)
        #expect(report.findings.contains { $0.fault == harm.fault && $0.document == document.entry.id })
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        let id = document.entry.id
        for revision in document.texts.indices {
            let text = await store.text(of: id, at: Revision(revision))
            if case .success(let snapshot) = text {
                #expect(snapshot.text == document.texts[revision], "revision \(revision)")
            }
        }
        // The whole history at once cannot be read, because a part of it is wrong.
        if harm.fault == .history { #expect(refusal(await store.read(id, after: 0)) == .refused(.damaged)) }
        for revision in document.texts.indices.dropLast() where harm.isSeenInPages {
            guard case .success(let read) = await store.read(id, after: Revision(revision), limit: 1) else {
                continue
            }
            #expect(read.segment.changes == [document.log[revision]], "after revision \(revision)")
        }
        await store.close()
    }

    private func harmed(_ harm: Harm) async throws -> (Scratch, Following) {
        let scratch = try Scratch.inMemory()
        var store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await Following(on: store)
        var beside = try await Following(on: store, "beside")
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
            "ATTACH '\(other.databasePath)' AS other; \(harm.sql)")
        return (scratch, document)
    }
}
