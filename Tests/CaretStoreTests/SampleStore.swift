import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

/// A folder with a store that has rows of every kind, and the answers that the store must give.
struct SampleStore {
    let scratch: Scratch
    private(set) var documents: [TrackedDocument] = []
    /// Documents of one letter. A different pusher wrote each document.
    private(set) var crowd: [(name: DocumentName, id: DocumentID, pusher: Pusher)] = []

    /// Creates four documents: a merged one with snapshots, a trimmed one, a short one, and an empty one.
    /// Adds `count` small documents. Most of the data is in the database. If `isCutOff` is true, the last
    /// changes are only in the write-ahead log, as after a crash.
    init(isCutOff: Bool, crowd count: Int = 0) async throws {
        scratch = try Scratch()
        let store = try SQLiteStore(folder: scratch.path)
        for number in 0..<count {
            let pusher = Pusher(
                user: ByteString("user \(number)"), client: ByteString("client \(number * 7)"))
            var document = try await TrackedDocument(on: store, "crowd/\(number)")
            try await document.type("x", by: pusher)
            crowd.append((document.entry.name, document.entry.id, pusher))
        }
        for name in ["notes/long", "notes/trimmed", "notes/short", "empty"] {
            documents.append(try await TrackedDocument(on: store, name))
        }
        for round in 0..<60 {
            try await documents[0].typeAtOnce("a long text, line \(round): é😀\n")
            try await documents[1].type("abc", by: round % 2 == 0 ? SampleLog.ann : SampleLog.bob)
        }
        #expect(await store.trim(documents[1].entry.id, through: 70) == .trimmed(start: 70))
        await store.runUpkeep(at: 1_000_000)
        await store.close()
        let again = try SQLiteStore(folder: scratch.path)
        for index in documents.indices { documents[index].store = again }
        try await documents[2].type("short", by: SampleLog.bob)
        try await documents[0].type("the end")
        if isCutOff { try scratch.keepFiles() }
        await again.close()
        if isCutOff { try scratch.restoreFiles() }
    }
}

extension Scratch {
    /// Copies the current files of the store into a folder beside them.
    fileprivate func keepFiles() throws {
        let kept = path + "/kept"
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
        // Copy the counter first. If upkeep writes meanwhile, the copied counter may have fewer commits than
        // the log, but never more.
        for file in ["caret.commits", "caret.sqlite", "caret.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: "\(path)/\(file)", toPath: "\(kept)/\(file)")
        }
    }

    /// Replaces the files by the copies.
    fileprivate func restoreFiles() throws {
        for file in ["caret.sqlite", "caret.sqlite-wal", "caret.commits"] {
            // Closing the store has removed the log.
            try? FileManager.default.removeItem(atPath: "\(path)/\(file)")
            try FileManager.default.moveItem(atPath: "\(path)/kept/\(file)", toPath: "\(path)/\(file)")
        }
        try FileManager.default.removeItem(atPath: path + "/kept")
    }

    /// Another folder with the same files.
    func copied() throws -> Scratch {
        let copy = try Scratch()
        for file in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.copyItem(atPath: "\(path)/\(file)", toPath: "\(copy.path)/\(file)")
        }
        return copy
    }

    func file(_ name: String) -> URL { URL(filePath: "\(path)/\(name)") }
}
