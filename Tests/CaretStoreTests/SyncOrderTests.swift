import CaretStore
import Foundation
import TestSupport
import Testing

/// What a store does to files past SQLite, in its order, as a process of its own says it: a disk that forgets what was
/// not synced keeps only what these laws name.
@Suite("What is on disk before it has its name") struct SyncOrderTests {
    /// The calls of a process that makes a store, writes to it and makes a backup.
    private func calls(in scratch: Scratch) throws -> [String] {
        try scratch.makeData()
        let orders = [
            scratch.data, "seed=1", "rounds=20", "calls=\(scratch.path)/calls",
            "backup=\(scratch.path)/copy.sqlite",
        ]
        let end = try ChildProcess("store-faults", orders).ended()
        #expect(end.status == 0, "\(end.lines.suffix(5))")
        let bytes = try Data(contentsOf: URL(filePath: scratch.path + "/calls"))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(
        "a backup, a new database and the counter are synced before anybody finds them, and then their names are"
    )
    func order() throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (calls, path) = (try calls(in: scratch), scratch.path)
        try expect(
            ["sync \(path)/copy.sqlite.partial", "link \(path)/copy.sqlite", "sync \(path)"], in: calls)
        // After the sync nothing is written to what gets the name.
        let synced = try #require(calls.lastIndex(of: "sync \(path)/copy.sqlite.partial"))
        #expect(!calls[synced...].contains("write \(path)/copy.sqlite.partial"))
        try expect(
            [
                "sync \(path)/data/caret.sqlite.new", "rename \(path)/data/caret.sqlite", "sync \(path)/data",
                "write \(path)/data/caret.commits", "sync \(path)/data/caret.commits", "sync \(path)/data",
                "acked",
            ], in: calls)
    }

    /// These come one after the other, others between them or not.
    private func expect(_ wanted: [String], in calls: [String]) throws {
        var rest = calls[...]
        for call in wanted {
            let found = rest.firstIndex(of: call)
            #expect(found != nil, "no \(call) behind what comes before it: \(calls)")
            guard let found else { return }
            rest = rest[(found + 1)...]
        }
    }
}
