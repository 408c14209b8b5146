import CaretCore
import CaretLog
import CaretPostgres
import CaretStore
import Foundation
import TestSupport
import Testing

/// The stores that fulfil the contract. Each contract test runs on all of them.
enum StoreKind: CaseIterable {
    case memory
    case sqlite
    case postgres

    /// Without PostgreSQL on this machine, `PostgresStoreTests` has one failing test that says so.
    static let allCases: [StoreKind] =
        if case .success = PostgresCluster.shared { [.memory, .sqlite, .postgres] } else {
            [.memory, .sqlite]
        }

    /// The stores whose data outlive the process.
    static let durable = allCases.filter { $0 != .memory }

    func make() throws -> any SnapshotStore {
        switch self {
        case .memory: MemoryStore()
        case .sqlite: try SQLiteStore(folder: ScratchFolders.next())
        case .postgres: try PostgresStore(inNewSchemaOf: PostgresCluster.shared.get())
        }
    }
}

extension SQLiteStore: SnapshotStore {}

extension PostgresStore: SnapshotStore {
    /// A new empty store.
    convenience init(inNewSchemaOf cluster: PostgresCluster) throws {
        try self.init(
            PostgresAddress(cluster.newAddress()), node: "test", allowsUnreplicated: true)
    }
}

/// Folders for stores that a test does not close. All folders are removed when the process ends.
enum ScratchFolders {
    private static let base: URL = {
        let base = FileManager.default.temporaryDirectory.appending(path: "caret-stores-\(getpid())")
        atexit { ScratchFolders.removeAll() }
        return base
    }()

    static func next() throws -> String {
        let folder = base.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    private static func removeAll() {
        // Ignore an error: a folder that cannot be removed does no harm in the temporary folder.
        try? FileManager.default.removeItem(at: base)
    }
}

/// A store with one document, and all texts and changes of the document that the test has committed.
struct TrackedDocument {
    var store: any SnapshotStore
    let entry: DocumentEntry
    private(set) var texts = [TextBuffer()]
    private(set) var log: [LoggedChange] = []

    init(_ kind: StoreKind) async throws { try await self.init(on: kind.make()) }

    init(on store: any SnapshotStore, _ name: String = "notes/today") async throws {
        self.store = store
        guard case .created(let entry) = await store.create(try DocumentName(name), at: 5) else {
            throw Unexpected(what: "the document was not created")
        }
        self.entry = entry
    }

    var text: TextBuffer { texts[texts.count - 1] }
    var head: Revision { Revision(log.count) }

    /// An append of one change at the head.
    func append(_ edits: [Edit], by pusher: Pusher = SampleLog.ann, seq: Int64) throws -> Append {
        let change = try SampleLog.pushed(Change(edits), in: text, by: pusher, seq: seq)
        return Append(document: entry.id, epoch: entry.epoch, expected: head, changes: [change])
    }

    /// Adds the changes of a committed append to `log`, and their texts to `texts`.
    mutating func follow(_ append: Append) throws {
        for change in append.changes {
            texts.append(try text.applying(change.logged.change))
            log.append(change.logged)
        }
    }

    /// An append of letters at the end of the text, one change per letter.
    func letters(_ letters: String) throws -> Append {
        var (end, after, changes) = (text.end.value, text, [PushedChange]())
        for letter in letters {
            let change = SampleChange.change([SampleChange.edit(end, end, String(letter))])
            changes.append(try SampleLog.pushed(change, in: after, seq: Int64(log.count + changes.count + 1)))
            try after.apply(change)
            end = after.end.value
        }
        return Append(document: entry.id, epoch: entry.epoch, expected: head, changes: changes)
    }

    /// Commits letters as the changes of one append.
    mutating func typeAtOnce(_ letters: String) async throws {
        let append = try self.letters(letters)
        #expect(await store.append(append) == .committed(head: Revision(log.count + append.changes.count)))
        try follow(append)
    }

    /// Commits letters one by one at the end of the text.
    mutating func type(_ letters: String, by pusher: Pusher = SampleLog.ann) async throws {
        for letter in letters {
            let end = text.end.value
            let next = try append(
                [SampleChange.edit(end, end, String(letter))], by: pusher, seq: Int64(log.count + 1))
            #expect(await store.append(next) == .committed(head: head.next))
            try follow(next)
        }
    }
}

/// A test could not be carried out as planned.
struct Unexpected: Error {
    let what: String
}

/// The refusal, or nil for a success.
func refusal<Success, Refusal: Error>(_ result: Result<Success, Refusal>) -> Refusal? {
    guard case .failure(let refusal) = result else { return nil }
    return refusal
}
