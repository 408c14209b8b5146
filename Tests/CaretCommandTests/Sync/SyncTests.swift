import Foundation
import TestSupport
import Testing

@Suite("`caret sync` with a real server", .serialized) struct SyncTests {
    private static let names = ["ann", "bob", "eve"]
    private static let files = ["one", "two"]

    /// In each round one writer adds a line to a file in one folder. Sometimes a process is killed and
    /// restarted. In the end all folders have equal files, with each line once.
    @Test(
        "three folders become equal although processes are killed",
        arguments: Seeds.first(Seeds.share(of: 20, everyCommit: 2)))
    func killed(seed: UInt64) throws {
        var random = Seeded(seed)
        let folders = try SyncedFolders(Self.names)
        let everybody = [SyncedFolders.server] + Self.names
        for key in everybody { try folders.start(key) }
        var saved: [String: [String]] = [:]
        for round in 0..<Seeds.share(of: 300, everyCommit: 60) {
            let (name, file) = (random.pick(Self.names), random.pick(Self.files))
            let path = folders.folder(name).appending(path: file)
            var lines = ((try? String(contentsOf: path, encoding: .utf8)) ?? "").components(
                separatedBy: "\n")
            let line = "\(round) \(name)"
            lines.insert(line, at: random.number(0...lines.count - 1))
            try folders.save(lines.joined(separator: "\n"), to: file, in: name, random.number(0...2))
            saved[file, default: []].append(line)
            if random.chance(17) {
                let key = random.pick(everybody)
                folders.kill(key)
                try folders.start(key)
            }
            // Sometimes waits until one person's folder has this line. The other folders may not have the
            // line yet.
            let reader = random.pick(Self.names)
            if random.chance(12) {
                try folders.waits { folders.texts(in: reader)[file]?.contains(line + "\n") == true }
            }
        }
        let texts = try equal(folders) { texts in
            saved.allSatisfy { file, lines in
                let there = texts[file]?.components(separatedBy: "\n") ?? []
                return Set(lines).isSubset(of: there)
            }
        }
        for (file, lines) in saved {
            let there = try #require(texts[file]).components(separatedBy: "\n").filter { !$0.isEmpty }
            #expect(
                there.sorted() == lines.sorted(), "\(file): \(Seeds.replay(seed, of: "SyncTests.killed"))")
        }
    }

    @Test("new, renamed and deleted files sync both ways with their line breaks")
    func names() throws {
        let folders = try SyncedFolders(["ann", "bob"])
        for key in [SyncedFolders.server, "ann", "bob"] { try folders.start(key) }
        try folders.save("a\r\nb\r\n", to: "list", in: "ann", 1)
        _ = try equal(folders, of: ["ann", "bob"]) { $0 == ["list": "a\r\nb\r\n"] }
        try FileManager.default.moveItem(
            at: folders.folder("bob").appending(path: "list"),
            to: folders.folder("bob").appending(path: "renamed"))
        _ = try equal(folders, of: ["ann", "bob"]) { $0 == ["renamed": "a\r\nb\r\n"] }
        // Sync records a change before it reports the change. Without the record, sync would restore the
        // removed file from the server.
        try folders.waits { try folders.output("ann").contains("renamed") }
        folders.kill("ann")
        try FileManager.default.removeItem(at: folders.folder("ann").appending(path: "renamed"))
        try folders.start("ann")
        _ = try equal(folders, of: ["ann", "bob"]) { $0 == [:] }
    }

    @Test("without a server, `sync` warns at once; it starts when the server runs")
    func withoutServer() throws {
        let folders = try SyncedFolders(["ann", "bob"])
        try folders.save("a\n", to: "list", in: "ann", 1)
        try folders.start("ann")
        try folders.waits { try !folders.errorOutput("ann").isEmpty }
        let said = try folders.errorOutput("ann")
        #expect(said.hasPrefix("caret: \(folders.root.path)/data/caretd.sock: "), "\(said)")
        #expect(said.contains("; retrying until it can be reached\n  start caretd, "), "\(said)")
        for key in [SyncedFolders.server, "bob"] { try folders.start(key) }
        _ = try equal(folders, of: ["ann", "bob"]) { $0 == ["list": "a\n"] }
        let more = try folders.errorOutput("ann").dropFirst(said.count)
        #expect(
            more.hasPrefix("caret: syncing \(folders.folder("ann").path) with all documents of "), "\(more)")
        #expect(more.hasSuffix(": 1 file only here, 0 documents only there, 0 in both\n"), "\(more)")
    }

    @Test("`sync` reports a lost server once, and its return once")
    func lostServer() throws {
        let folders = try SyncedFolders(["ann"])
        for key in [SyncedFolders.server, "ann"] { try folders.start(key) }
        // The sync can start before the server.
        try folders.waits { try folders.errorOutput("ann").contains("syncing ") }
        let begun = try folders.errorOutput("ann")
        folders.kill(SyncedFolders.server)
        try folders.waits {
            try folders.errorOutput("ann").contains("are pushed when the server is back\n")
        }
        try folders.save("a\n", to: "list", in: "ann", 1)
        try folders.start(SyncedFolders.server)
        try folders.waits { try folders.output("ann").contains("list → revision 1") }
        let lines = try folders.errorOutput("ann").dropFirst(begun.count).split(separator: "\n")
        let address = "\(folders.root.path)/data/caretd.sock"
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.hasPrefix("caret: \(address): ") == true, "\(lines)")
        #expect(lines.last.map(String.init) == "caret: \(address) is reachable again")
    }

    /// Waits until all folders have equal texts that fulfil a condition.
    private func equal(
        _ folders: SyncedFolders, of names: [String] = names,
        _ isWanted: ([String: String]) -> Bool
    ) throws -> [String: String] {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let texts = names.map { folders.texts(in: $0) }
            if texts.allSatisfy({ $0 == texts[0] }), isWanted(texts[0]) { return texts[0] }
            if ContinuousClock.now > end {
                let counts = texts.map { $0.mapValues { $0.split(separator: "\n").count } }
                let said = try (names + [SyncedFolders.server]).map { "\($0): \(try folders.lastOutput($0))" }
                Issue.record("not equal: lines of \(names): \(counts)\n\(said.joined(separator: "\n"))")
                return texts[0]
            }
            usleep(20_000)
        }
    }
}
