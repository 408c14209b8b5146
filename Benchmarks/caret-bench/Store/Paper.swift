import CaretStore
import TestSupport

/// The longest document of the benchmarks: automerge-paper, one key a revision.
enum Paper {
    static let name = "notes/paper"

    /// Writes it as people would have typed it, while no server is there, and leaves it as the upkeep of a server does
    /// that had the time. Answers with how many revisions it has.
    static func write(to folder: String) async -> Int {
        let changes = sure { try TypedHistory.changes(of: Trace(named: "automerge-paper")) }
        let store = SQLiteStore.opened(folder)
        let document = await store.made(name)
        guard await TypedHistory.commit(changes, to: document, in: store, atOnce: 16) else {
            preconditionFailure("a benchmark's history was refused")
        }
        await store.tend(at: .max)
        await store.closed()
        return changes.count
    }
}
