import CaretCore
import CaretLog
import CaretStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Files of different states in one folder") struct MixtureTests {
    @Test("a backup that is put beside the log of a crash is refused, and nothing is touched")
    func backupBesideLog() async throws {
        let states = try await States()
        defer { states.remove() }
        let copy = try states.crashed.copied()
        defer { copy.remove() }
        try copy.write(states.backup)
        try await refused(copy, .otherLog)
        // As the refusal asks for it.
        try FileManager.default.removeItem(at: copy.file("caret.sqlite-wal"))
        #expect(try await opened(copy) == [.renewed(.backup(at: 5))])
    }

    @Test("an older database that is put beside the log of a crash is refused, and nothing is touched")
    func olderDatabase() async throws {
        let states = try await States()
        defer { states.remove() }
        let copy = try states.crashed.copied()
        defer { copy.remove() }
        try copy.write(states.older)
        try await refused(copy, .otherLog)
        try FileManager.default.removeItem(at: copy.file("caret.sqlite-wal"))
        guard case .renewed(.behind)? = try await opened(copy).first else {
            throw Unexpected(what: "an older state was not told as one")
        }
    }

    @Test("an older database beside a log that holds all that came since is the whole store")
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

    @Test("a log without its database is not taken for the beginning of another one")
    func logAlone() async throws {
        let states = try await States()
        defer { states.remove() }
        let copy = try states.crashed.copied()
        defer { copy.remove() }
        try FileManager.default.removeItem(at: copy.file("caret.sqlite"))
        #expect(throws: OpeningFault.self) { try SQLiteStore(folder: copy.path) }
        try FileManager.default.removeItem(at: copy.file("caret.commits"))
        #expect(throws: OpeningFault.lost(commits: nil)) { try SQLiteStore(folder: copy.path) }
        #expect(!FileManager.default.fileExists(atPath: copy.databasePath))
    }

    @Test("the log of an older state that is put beside the database is refused, and nothing is touched")
    func olderLog() async throws {
        let states = try await States()
        defer { states.remove() }
        let copy = try states.closed.copied()
        defer { copy.remove() }
        try states.crashedLog.write(to: copy.file("caret.sqlite-wal"))
        try await refused(copy, .otherLog)
    }

    @Test("the files of a crash as they are belong together")
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

    /// What a store says while it is opened. Everything in it is sound.
    private func opened(_ folder: Scratch) async throws -> [StoreEvent] {
        let told = Told()
        let store = try SQLiteStore(folder: folder.path) { told.add($0) }
        let events = told.all
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
        return events
    }
}

/// Some of the states that the files of one store go through.
private struct States {
    /// The database before all that follows.
    let older: Data
    let backup: Data
    /// As a kill leaves the folder: a log beside the database, which was begun anew since; unless it `isLogKept`, which
    /// has been brought in more than once, and never wholly.
    let crashed: Scratch
    let crashedLog: Data
    /// After more was written, and the store closed.
    let closed: Scratch

    init(isLogKept: Bool = false) async throws {
        let sample = try await SampleStore(isCutOff: false)
        defer { sample.scratch.remove() }
        older = try sample.scratch.databaseBytes()
        let target = try Scratch.inMemory()
        defer { target.remove() }
        let (checkpoints, crash) = (Counted(), NextCopy(of: sample.scratch))
        let store = try SQLiteStore(folder: sample.scratch.path) { event in
            if case .checkpointed = event { checkpoints.add() }
            if case .writing = event { crash.takeIfDue() }
        }
        _ = try await store.backUp(to: target.databasePath, at: 5)
        backup = try target.databaseBytes()
        var document = try await Following(on: store, "filling")
        let reader = try isLogKept ? Database(path: sample.scratch.databasePath, for: .read) : nil
        try reader?.run("BEGIN")
        _ = try reader?.first("SELECT count(*) FROM document") { $0.integer(0) }
        let begun = try sample.scratch.logBegun()
        // How many checkpoints the log takes to be begun anew is up to the store's own readers.
        while try isLogKept ? checkpoints.count < 2 : sample.scratch.logBegun() == begun {
            try await document.paste()
        }
        for number in 0..<30 {
            var other = try await Following(on: store, "later/\(number)")
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

/// A copy of a store's folder, taken on the writer's thread: at one moment, since nobody else writes to its files.
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
            guard case .taken(let copy) = state else { throw Unexpected(what: "no copy was taken") }
            return try copy.get()
        }
    }
}

extension Following {
    /// Puts a long text in the place of all that there is.
    fileprivate mutating func paste() async throws {
        let paste = String(repeating: "0123456789abcdef", count: 25_000)
        let append = try append([SampleChange.edit(0, text.end.value, paste)], seq: 1)
        #expect(await store.append(append) == .committed(head: head.next))
        try follow(append)
    }
}
