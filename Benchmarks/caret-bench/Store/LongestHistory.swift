import CaretStore
import TestSupport

/// The document with the longest history: automerge-paper, one key a revision.
enum LongestHistory {
    static let name = "notes/paper"

    /// Writes the document as users would have typed it, without a server. Then runs the upkeep that a server
    /// does in time. Returns the number of revisions.
    static func write(to folder: String) async -> Int {
        let changes = sure { try TypedHistory.changes(of: Trace(named: "automerge-paper")) }
        let store = SQLiteStore.opened(folder)
        let document = await store.made(name)
        guard await TypedHistory.commit(changes, to: document, in: store, atOnce: 16) else {
            preconditionFailure("a benchmark's history was refused")
        }
        await store.runUpkeep(at: .max)
        await store.closed()
        return changes.count
    }
}
