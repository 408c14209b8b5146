import CaretStore
import Foundation
import TestSupport
import Testing

/// A child process records the calls that the store itself makes to the file system, without SQLite's calls.
/// Their order must guarantee that a disk that loses unsynced data keeps a complete file.
@Suite("The order of writes, syncs and renames") struct SyncOrderTests {
    /// The calls of a process that creates a store, writes to it and makes a backup.
    private func calls(in scratch: Scratch) throws -> [String] {
        try scratch.makeData()
        let orders = [
            scratch.data, "seed=1", "rounds=20", "calls=\(scratch.path)/calls",
            "backup=\(scratch.path)/copy.sqlite",
        ]
        let end = try ChildProcess("store-faults", orders).waitForExit()
        #expect(end.status == 0, "\(end.lines.suffix(5))")
        let bytes = try Data(contentsOf: URL(filePath: scratch.path + "/calls"))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(
        "a file is synced before it gets its name, and its folder after that"
    )
    func order() throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (calls, path) = (try calls(in: scratch), scratch.path)
        try expect(
            ["sync \(path)/copy.sqlite.partial", "link \(path)/copy.sqlite", "sync \(path)"], in: calls)
        // Nothing is written to the partial file after its sync.
        let synced = try #require(calls.lastIndex(of: "sync \(path)/copy.sqlite.partial"))
        #expect(!calls[synced...].contains("write \(path)/copy.sqlite.partial"))
        try expect(
            [
                "sync \(path)/data/caret.sqlite.new", "rename \(path)/data/caret.sqlite", "sync \(path)/data",
                "write \(path)/data/caret.commits", "sync \(path)/data/caret.commits", "sync \(path)/data",
                "acked",
            ], in: calls)
    }

    /// Expects these calls in this order. Other calls may come between them.
    private func expect(_ wanted: [String], in calls: [String]) throws {
        var rest = calls[...]
        for call in wanted {
            let found = rest.firstIndex(of: call)
            #expect(found != nil, "no \(call) after the call before it: \(calls)")
            guard let found else { return }
            rest = rest[(found + 1)...]
        }
    }
}
