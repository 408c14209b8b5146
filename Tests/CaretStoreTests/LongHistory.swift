import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

/// A document with a long history and no snapshots, so that the store reads it in several steps. The store is closed:
/// tests read its folder themselves.
struct LongHistory {
    /// A revision that takes four steps.
    static let far = 3 * TextReplay.changesPerStep + 50
    let scratch: Scratch
    let document: TrackedDocument

    /// Types these letters again and again.
    init(typing letters: String) async throws {
        let sample = try await PreparedDocument()
        var document = sample.document
        var pieces = try UpkeepPieces(sample.scratch)
        while document.head < Revision(LongHistory.far + 100) {
            let append = try document.letters(letters)
            _ = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
            try document.follow(append)
        }
        (scratch, self.document) = (sample.scratch, document)
    }

    func reader(_ cache: HistoryCache? = nil) throws -> HistoryReader<Database> {
        let database = try DataFolder(scratch.path).openForReading()
        let generation = try StoreRow.read(database)?.progress.generation ?? 0
        return HistoryReader(database: database, generation: Generation(generation), cache: cache)
    }

    /// Reads to the end, and returns the answer and the number of steps. Calls `between` after each step but the last.
    func run(
        _ read: some SteppedRead, _ reader: inout HistoryReader<Database>, between: (Int) throws -> Void
    ) throws -> (answer: StoreAnswer, steps: Int) {
        var read = read
        for steps in 1... {
            if let answer = try read.nextStep(&reader) { return (answer, steps) }
            try between(steps)
        }
        throw Unexpected(what: "the read has no end")
    }

    /// Merges everything that is due.
    func merge(_ pieces: inout UpkeepPieces) throws {
        while let due = try pieces.due(document.entry.id, isIdle: true),
            case .merge(let replacement) = due.step
        {
            _ = try pieces.commit { writer throws(StoreFault) in try writer.replace(replacement) }
        }
    }

    /// Trims the history, and removes what was trimmed.
    func trim(_ pieces: inout UpkeepPieces, through revision: Int) throws {
        let plan = try pieces.prepareTrim(document.entry.id, through: Revision(revision))
        _ = try pieces.commit { writer throws(StoreFault) in try writer.trim(plan) }
        for _ in 0..<4 {
            try pieces.commit { writer throws(StoreFault) in try writer.removeTrimmed(of: document.entry.id) }
        }
    }
}
