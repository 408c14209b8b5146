import CaretCore
import CaretLog
import CaretStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Files of different states in one folder") struct MixedFilesTests {
    @Test("a backup next to a log that a crash left is refused and not changed")
    func backupBesideLog() async throws {
        let states = try await States()
        defer { states.remove() }
        let copy = try states.crashed.copied()
        defer { copy.remove() }
        try copy.write(states.backup)
        try await refused(copy, .logOfOtherDatabase)
        // The error message says that the log must be moved away. Remove it.
        try FileManager.default.removeItem(at: copy.file("caret.sqlite-wal"))
        #expect(try await opened(copy) == [.renewed(.backup(at: 5))])
    }

    @Test("an older database next to a log that a crash left is refused")
    func olderDatabase() async throws {
        let states = try await States()
        defer { states.remove() }
        let copy = try states.crashed.copied()
        defer { copy.remove() }
        try copy.write(states.older)
        try await refused(copy, .logOfOtherDatabase)
        try FileManager.default.removeItem(at: copy.file("caret.sqlite-wal"))
        guard case .renewed(.behind)? = try await opened(copy).first else {
            throw Unexpected(what: "an older state was not reported")
        }
    }

    @Test("an older database with all later changes in its log is complete")
    func olderDatabaseOfLog() async throws {
        let states = try await States(isLogKept: true)
        defer { states.remove() }
        let copy = try states.crashed.copied()
        defer { copy.remove() }
        #expect(try copy.databaseBytes() != states.older)
        try copy.write(states.older)
        #expect(try await opened(copy).isEmpty)
        #expect(try await opened(states.crashed).isEmpty)
        #expect(try copy.databaseBytes() == states.crashed.databaseBytes())
    }

    @Test("a log without its database is refused")
    func logAlone() async throws {
        let states = try await States()
        defer { states.remove() }
        let copy = try states.crashed.copied()
        defer { copy.remove() }
        try FileManager.default.removeItem(at: copy.file("caret.sqlite"))
        #expect(throws: OpeningFault.self) { try SQLiteStore(folder: copy.path) }
        try FileManager.default.removeItem(at: copy.file("caret.commits"))
        #expect(throws: OpeningFault.missingDatabase(commits: nil)) { try SQLiteStore(folder: copy.path) }
        #expect(!FileManager.default.fileExists(atPath: copy.databasePath))
    }

    @Test("the log of an older state is refused, and nothing changes")
    func olderLog() async throws {
        let states = try await States()
        defer { states.remove() }
        let copy = try states.closed.copied()
        defer { copy.remove() }
        try states.crashedLog.write(to: copy.file("caret.sqlite-wal"))
        try await refused(copy, .logOfOtherDatabase)
    }

    @Test("the files that a crash leaves can be opened")
    func unmixed() async throws {
        let states = try await States()
        defer { states.remove() }
        #expect(try await opened(states.crashed).isEmpty)
        #expect(try await opened(states.closed).isEmpty)
    }

    private func refused(_ folder: Scratch, _ fault: OpeningFault) async throws {
        let before = try folder.files()
        #expect(throws: fault) { try SQLiteStore(folder: folder.path) }
        let after = try folder.files()
        #expect(after == before)
    }

    /// Opens a store, checks that it is sound, and returns the events during opening.
    private func opened(_ folder: Scratch) async throws -> [StoreEvent] {
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: folder.path) { recorder.add($0) }
        let events = recorder.all
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
        return events
    }
}

/// Several states of one store's files.
private struct States {
    /// The database at the beginning.
    let older: Data
    let backup: Data
    /// The folder as a crash leaves it: a database, and a log that was restarted since `older`. If
    /// `isLogKept` is true, a reader has prevented the restart, and several checkpoints copied parts of the
    /// log.
    let crashed: Scratch
    let crashedLog: Data
    /// The folder after more writes, when the store was closed.
    let closed: Scratch

    init(isLogKept: Bool = false) async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        older = try sample.scratch.databaseBytes()
        let target = try Scratch.inMemory()
        defer { target.remove() }
        let (checkpoints, crash) = (ThreadSafeCounter(), NextCopy(of: sample.scratch))
        let store = try SQLiteStore(folder: sample.scratch.path) { event in
            if case .checkpointed = event { checkpoints.add() }
            if case .writing = event { crash.takeIfDue() }
        }
        _ = try await store.backUp(to: target.databasePath, at: 5)
        backup = try target.databaseBytes()
        var document = try await TrackedDocument(on: store, "filling")
        let reader = try isLogKept ? Database(path: sample.scratch.databasePath, for: .read) : nil
        try reader?.run("BEGIN")
        _ = try reader?.first("SELECT count(*) FROM document") { $0.integer(0) }
        let begun = try sample.scratch.logBegun()
        // The store's own readers can delay the restart of the log, so the number of checkpoints before it
        // varies.
        while try isLogKept ? checkpoints.count < 2 : sample.scratch.logBegun() == begun {
            try await document.paste()
        }
        for number in 0..<30 {
            var other = try await TrackedDocument(on: store, "later/\(number)")
            try await other.type("a", by: Pusher(user: ByteString("user \(number)"), client: "c"))
        }
        crash.order()
        try await document.type("more")
        try reader?.run("COMMIT")
        crashed = try crash.taken()
        crashedLog = try Data(contentsOf: crashed.file("caret.sqlite-wal"))
        #expect(try (crashed.logBegun() == begun) == isLogKept)
        await store.close()
        closed = try sample.scratch.copied()
    }

    func remove() {
        crashed.remove()
        closed.remove()
    }
}

/// Copies a store's folder on the writer's thread. No other thread writes to the files, so the copy is
/// consistent.
private final class NextCopy: Sendable {
    private enum State {
        case none
        case due
        case taken(Result<Scratch, any Error>)
    }

    private let state = Mutex(State.none)
    private let folder: Scratch

    init(of folder: Scratch) { self.folder = folder }

    func order() { state.withLock { $0 = .due } }

    func takeIfDue() {
        state.withLock { state in
            if case .due = state { state = .taken(Result { try folder.copied() }) }
        }
    }

    func taken() throws -> Scratch {
        try state.withLock { state in
            guard case .taken(let copy) = state else { throw Unexpected(what: "no copy was made") }
            return try copy.get()
        }
    }
}

extension TrackedDocument {
    /// Replaces the whole text by a long one.
    fileprivate mutating func paste() async throws {
        let paste = String(repeating: "0123456789abcdef", count: 25_000)
        let append = try append([SampleChange.edit(0, text.end.value, paste)], seq: 1)
        #expect(await store.append(append) == .committed(head: head.next))
        try follow(append)
    }
}
