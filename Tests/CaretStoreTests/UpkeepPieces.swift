import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

/// The writer and the reader of upkeep, in a folder that no store has open. With them a test decides in which
/// order the writer commits prepared steps.
struct UpkeepPieces {
    private let folder: DataFolder
    private let database: Database
    private(set) var writer: HistoryWriter
    var reader: UpkeepReader<Database>

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
                    precondition(database.totalChanges == before, "a refused call had already written data")
                    throw error
                }
            }, orFault: StoreFault.database)
    }

    /// The next step for a document; nil if nothing is due.
    mutating func due(_ document: DocumentID, isIdle: Bool = false) throws -> DueStep? {
        try reader.next(for: document, isIdle: isIdle, isNew: false).get()?.packed()
    }

    /// The next step that is due for a document.
    mutating func step(of document: DocumentID, isIdle: Bool = false) throws -> UpkeepStep {
        guard let due = try due(document, isIdle: isIdle) else {
            throw Unexpected(what: "no step is due")
        }
        return due.step
    }

    mutating func prepareTrim(_ document: DocumentID, through revision: Revision) throws -> TrimPlan {
        guard let plan = try reader.prepareTrim(of: document, through: revision).get() else {
            throw Unexpected(what: "there is nothing to trim")
        }
        return plan.packed()
    }
}

extension UpkeepPieces {
    /// Appends one change at the head of a document.
    mutating func append(_ edits: [Edit], to document: inout TrackedDocument) throws {
        let append = try document.append(edits, seq: Int64(document.head.value + 1))
        let outcome = try commit { writer throws(StoreFault) in try writer.append(append) }
        #expect(outcome == .committed(head: document.head.next))
        try document.follow(append)
    }

    /// Appends a text at the end of a document.
    mutating func append(_ text: String, to document: inout TrackedDocument) throws {
        let end = document.text.end.value
        try append([SampleChange.edit(end, end, text)], to: &document)
    }
}

/// A new document, in a folder that no store has open.
struct PreparedDocument {
    let scratch: Scratch
    let document: TrackedDocument

    init() async throws {
        scratch = try Scratch.inMemory()
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        document = try await TrackedDocument(on: store)
        await store.close()
    }
}
