import CaretCore
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("Killed while writing") struct KillTests {
    @Test("kill -9 at any moment loses nothing that was acked, doubles nothing and leaves no gap")
    func killed() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let rounds = ProcessInfo.processInfo.environment["CARET_FULL"] == nil ? 12 : 200
        var acked = 0
        for round in 0..<rounds {
            var random = Seeded(UInt64(round))
            let heads = try killedWriter(in: scratch.path, after: 100 + random.number(0...150))
            acked += heads.lines
            try await check(heads.acked, in: scratch.path, "round \(round)")
        }
        print("kill -9: \(rounds) rounds, \(acked) acks before the kills, nothing lost")
    }

    /// Runs the writer until it has acked so often, kills it, and answers with the last head of each document that
    /// it told, and how many acks it told.
    private func killedWriter(in folder: String, after acks: Int) throws -> (acked: [String: Int], lines: Int)
    {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "store-writer")
        process.arguments = [folder]
        process.standardOutput = output
        try process.run()
        var told = Data()
        while told.count(where: { $0 == UInt8(ascii: "\n") }) < acks {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty {
                throw Unexpected(
                    what: "the writer stopped by itself: \(String(decoding: told, as: UTF8.self))")
            }
            told.append(more)
        }
        kill(process.processIdentifier, SIGKILL)
        told.append(output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        let lines = String(decoding: told, as: UTF8.self).split(separator: "\n")
        var heads: [String: Int] = [:]
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 2, let head = Int(String(words[1])) else {
                throw Unexpected(what: "the writer said: \(line)")
            }
            heads[String(words[0])] = head
        }
        return (heads, lines.count)
    }

    private func check(_ acked: [String: Int], in folder: String, _ round: String) async throws {
        let store = try SQLiteStore(folder: folder)
        for (name, head) in acked {
            let entry = try await store.find(DocumentName(name)).get()
            #expect(entry.head.value >= head, "\(round): \(name) has lost what was acked")
            let changes = try await store.read(entry.id, after: 0).get().segment.changes
            #expect(changes.map(\.seq) == (0..<entry.head.value).map { Int64($0 + 1) }, "\(round): \(name)")
            let text = try await store.text(of: entry.id).get().text
            #expect(text.length.utf8 == entry.head.value && text.length == entry.length, "\(round): \(name)")
            let pusher = try await store.pusher(SampleLog.ann, in: entry.id).get().entry
            #expect(
                pusher?.seq == Int64(entry.head.value) && pusher?.revision == entry.head, "\(round): \(name)")
        }
        await store.close()
    }
}
