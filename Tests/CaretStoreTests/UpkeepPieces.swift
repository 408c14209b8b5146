import CaretCore
import CaretLog
import CaretStore
import TestSupport

/// The writer and the reader of upkeep, in a folder that no store has open. With them a test decides in which
/// order the writer commits prepared steps.
struct UpkeepPieces {
    private let folder: DataFolder
    private let database: Database
    private(set) var writer: HistoryWriter
    var reader: UpkeepReader

    init(_ scratch: Scratch) throws {
        folder = try DataFolder(scratch.path)
        database = try folder.openForWriting()
        guard let generation = try StoreRow.read(database)?.progress.generation else {
            throw Unexpected(what: "there is no store in the folder")
        }
        let shared = Generation(generation)
        writer = HistoryWriter(database: database, generation: shared)
        reader = UpkeepReader(
            HistoryReader(database: try folder.openForReading(), generation: shared))
    }

    /// Runs `body` in a transaction, as the store's writer does. A call that throws a refusal must have
    /// written nothing.
    mutating func commit<Answer>(
        _ body: (inout HistoryWriter) throws(StoreFault) -> Answer
    ) throws -> Answer {
        let (database, before) = (database, database.totalChanges)
        var written = writer
        defer { writer = written }
        return try database.transaction(
            { () throws(StoreFault) in
                do throws(StoreFault) {
                    return try body(&written)
                } catch {
                    precondition(database.totalChanges == before, "a call was refused after it had written")
                    throw error
                }
            }, orFault: StoreFault.database)
    }

    /// The next step that is due for a document.
    mutating func step(of document: DocumentID, isIdle: Bool = false) throws -> UpkeepStep {
        guard let due = try reader.next(for: document, isIdle: isIdle, isNew: false).get() else {
            throw Unexpected(what: "no step is due")
        }
        return due.step
    }

    mutating func prepareTrim(_ document: DocumentID, through revision: Revision) throws -> TrimPlan {
        guard let plan = try reader.prepareTrim(of: document, through: revision).get() else {
            throw Unexpected(what: "there is nothing to trim")
        }
        return plan
    }
}
