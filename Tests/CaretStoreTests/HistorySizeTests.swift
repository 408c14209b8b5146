import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("The size of a history on disk") struct HistorySizeTests {
    @Test(
        "a typed revision takes at most 2 bytes on disk, and 0.5 without times"
    )
    func typedHistory() async throws {
        if let reason = TraceFolder.reasonForAbsence {
            print("SKIPPED size of a recorded history on disk: \(reason)")
            return
        }
        let trace = try Trace(named: "automerge-paper")
        let changes = try TypedHistory.changes(of: trace)
        let edit = try LoggedEdit(start: .zero, removed: .zero, text: trace.end)
        let text = LoggedChange(pusher: SampleLog.ann, seq: 1, time: changes[0].time, edits: [edit])
        let alone = try await fileBytes([text])
        let whole = try await fileBytes(changes)
        let timeless = try await fileBytes(changes.map { $0.at(changes[0].time) })
        let perRevision = [whole, timeless].map { Double($0 - alone) / Double(changes.count) }
        // The files of `whole` and `timeless` also have the text as a compressed snapshot. The file for
        // `packed` has the snapshot but no history.
        let packed = try await fileBytes([text], trimsHistory: true)
        let strict = [whole, timeless].map { Double($0 - packed) / Double(changes.count) }
        print(
            """
            automerge-paper on disk, \(changes.count) revisions: \(perRevision[0]) bytes each beyond the text stored \
            alone, \(perRevision[1]) without time; beyond the text packed \(strict[0]) and \(strict[1])
            """)
        #expect(perRevision[0] <= 2 && perRevision[1] <= 0.5)
    }

    /// The size of the file with one document of these changes, after upkeep.
    private func fileBytes(_ changes: [LoggedChange], trimsHistory: Bool = false) async throws -> Int {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        let document = try await TrackedDocument(on: store, "notes/paper").entry
        #expect(await TypedHistory.commit(changes, to: document, in: store, atOnce: 64))
        let head = Revision(changes.count)
        if trimsHistory { #expect(await store.trim(document.id, through: head) == .trimmed(start: head)) }
        await store.runUpkeep(at: .max)
        await store.close()
        return try scratch.databaseBytes().count
    }
}
