import CaretStore
import TestSupport

/// The document with the longest history: automerge-paper, one keystroke in each revision.
enum LongestHistory {
    static let name = "notes/paper"

    /// Writes the document as users would have typed it, without a server. Then runs the upkeep that a server
    /// does over time. Returns the number of revisions.
    static func write(to folder: String) async -> Int {
        let changes = mustSucceed { try TypedHistory.changes(of: Trace(named: "automerge-paper")) }
        let store = SQLiteStore.opened(folder)
        let document = await store.createDocument(name)
        guard await TypedHistory.commit(changes, to: document, in: store, atOnce: 16) else {
            preconditionFailure("the store refused the history of a benchmark")
        }
        await store.runUpkeep(at: .max)
        await store.close()
        return changes.count
    }
}
