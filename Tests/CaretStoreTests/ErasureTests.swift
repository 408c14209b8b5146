import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("Erasing a redacted passage from the files") struct ErasureTests {
    private static let passage = "correct horse battery staple"

    /// A store with merged segments, snapshots, free pages and other documents.
    private func filled(_ scratch: Scratch) async throws -> (store: SQLiteStore, secret: TrackedDocument) {
        let store = try SQLiteStore(folder: scratch.path)
        var (secret, other) = (
            try await TrackedDocument(on: store, "secret"), try await TrackedDocument(on: store, "other")
        )
        for round in 0..<3 {
            for _ in 0..<40 {
                try await secret.type("the ")
                try await other.type("other ")
            }
            try await secret.typeAtOnce(ErasureTests.passage)
            let pasted = try secret.append(
                [SampleChange.edit(0, 0, ErasureTests.passage + "\n")], seq: Int64(secret.head.value + 1))
            #expect(await store.append(pasted) == .committed(head: secret.head.next))
            try secret.follow(pasted)
            let snapshot = Snapshot(revision: secret.head, text: secret.text)
            #expect(refusal(await store.putSnapshot(snapshot, of: secret.entry.id)) == nil)
            await store.runUpkeep(at: Int64(round + 1) << 40)
        }
        return (store, secret)
    }

    @Test("no byte of any file contains the passage afterwards, also compressed")
    func erased() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (store, secret) = try await filled(scratch)
        #expect(try FolderSearch.findings(of: ErasureTests.passage, in: scratch.path) != [])
        // A read of an old text keeps it in memory.
        let middle = Revision(secret.head.value / 2)
        #expect(
            try await store.text(of: secret.entry.id, at: middle).get().text == secret.texts[middle.value])
        await withTaskGroup { group in
            for writer in 0..<4 { group.addTask { await type(60, as: writer, into: store) } }
            group.addTask {
                let passage = try? Passage(ErasureTests.passage)
                let result = await store.redact(secret.entry.id, Redaction(passage!))
                guard case .redacted(let report) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(report.isErased && report.countAtHead == 6)
            }
        }
        #expect(try FolderSearch.findings(of: ErasureTests.passage, in: scratch.path) == [])
        let text = try await store.text(of: secret.entry.id, at: middle).get().text
        #expect(text.length == secret.texts[middle.value].length)
        #expect(text != secret.texts[middle.value])
        #expect(try await store.verify().isSound)
        for writer in 0..<4 {
            #expect(try await store.find(DocumentName("doc/\(writer)")).get().head == 60)
        }
        await store.close()
        #expect(try FolderSearch.findings(of: ErasureTests.passage, in: scratch.path) == [])
        #expect(try scratch.number("SELECT count(erasure) FROM store") == 0)
    }

    /// The read keeps the log, so this test takes as long as the store waits for the read.
    @Test("an erasure that a read has prevented is tried again while the store is open")
    func triedAgain() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (store, secret) = try await filled(scratch)
        let reader = try Database(path: scratch.databasePath, for: .read)
        try reader.run("BEGIN")
        try reader.run("SELECT count(*) FROM segment")
        let result = await store.redact(secret.entry.id, Redaction(try Passage(ErasureTests.passage)))
        guard case .redacted(let report) = result else { throw Unexpected(what: "\(result)") }
        #expect(!report.isErased)
        #expect(try FolderSearch.findings(of: ErasureTests.passage, in: scratch.path) != [])
        try reader.run("COMMIT")
        await store.runUpkeep(at: 1 << 50)
        #expect(try FolderSearch.findings(of: ErasureTests.passage, in: scratch.path) == [])
        await store.close()
        #expect(try scratch.number("SELECT count(erasure) FROM store") == 0)
    }

    @Test("a redaction names the backups that were made before")
    func backups() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let (store, secret) = try await filled(scratch)
        #expect(mkdir(scratch.path + "/backups", 0o700) == 0)
        _ = try await store.backUp(to: scratch.path + "/backups/caret-1.sqlite", at: 1) { _, _ in }
        // A backup that is still being made.
        try Data().write(to: URL(filePath: scratch.path + "/backups/caret-2.sqlite.partial"))
        let result = await store.redact(secret.entry.id, Redaction(try Passage(ErasureTests.passage)))
        guard case .redacted(let report) = result else { throw Unexpected(what: "\(result)") }
        #expect(report.backups == ["caret-1.sqlite", "caret-2.sqlite"])
        let findings = try FolderSearch.findings(of: ErasureTests.passage, in: scratch.path)
        #expect(!findings.isEmpty && findings.allSatisfy { $0.hasPrefix("backups/") })
    }

    @Test("steps of upkeep that were prepared before a redaction are refused")
    func overtaken() async throws {
        let prepared = try await PreparedDocument()
        defer { prepared.scratch.remove() }
        // The folder is locked until the pieces are gone.
        do {
            var (pieces, document) = (try UpkeepPieces(prepared.scratch), prepared.document)
            for _ in 0..<70 { try pieces.append("pass word ", to: &document) }
            guard case .merge(let merge) = try pieces.step(of: document.entry.id) else {
                throw Unexpected(what: "no merge is due")
            }
            let trim = try pieces.prepareTrim(document.entry.id, through: 10)
            let plan = try pieces.reader.prepare(
                Redaction(try Passage("pass word")), of: document.entry.id
            ).get()
            #expect(try pieces.commit { writer throws(StoreFault) in try writer.redact(plan, at: 1) })
            #expect(try pieces.commit { writer throws(StoreFault) in try writer.replace(merge) } == false)
            #expect(try pieces.commit { writer throws(StoreFault) in try writer.trim(trim) } == false)
            #expect(throws: StoreFault.self) {
                try pieces.commit { writer throws(StoreFault) in try writer.keep(trim.snapshot) }
            }
            #expect(
                try pieces.commit { writer throws(StoreFault) in try writer.redact(plan, at: 1) } == false)
        }
        #expect(try SQLiteStore.verify(folder: prepared.scratch.path).isSound)
    }

    @Test("a text that is rebuilt in steps starts again after a redaction")
    func replay() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        await store.close()
        // Without the store's own upkeep, there is no snapshot from which one step would be enough.
        var pieces = try UpkeepPieces(scratch)
        for _ in 0..<3 {
            let append = try document.letters(String(repeating: "pass word ", count: 1000))
            _ = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
            try document.follow(append)
        }
        var reader = HistoryReader(
            database: try Database(path: scratch.databasePath, for: .read), generation: Generation(0),
            cache: HistoryCache())
        var replay = TextReplay(document.entry.id, at: 29_990)
        #expect(try replay.step(&reader) == nil)
        let plan = try pieces.reader.prepare(
            Redaction(try Passage("pass word")), of: document.entry.id
        ).get()
        #expect(try pieces.commit { writer throws(StoreFault) in try writer.redact(plan, at: 1) })
        var text: Snapshot?
        while text == nil { text = try replay.step(&reader) }
        #expect(text?.text.string == String(repeating: "********* ", count: 2999))
    }

    /// Rule A20.
    @Test(
        "kill -9 at each step of a redaction leaves the old or the new history",
        arguments: ["committing", "redacted", "erasing", "emptyingLog", "erased", "any"])
    func killed(moment: String) async throws {
        var redacted = 0
        let rounds = Seeds.slowed(isFullRun ? 40 : 3)
        for round in 0..<rounds {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            let count = moment == "committing" ? 50 + round * 7 : 0
            let writer = try ChildProcess(
                "store-writer", [scratch.path, moment, "\(count)", ErasureTests.passage])
            let end =
                moment == "any" ? try writer.killProcess(afterLines: 53 + 5 * round) : writer.waitForExit()
            #expect(end.status == nil, "\(moment), round \(round): \(end.lines.suffix(1))")
            if try await isRedacted(scratch, acked: !end.numbers(after: "redacted").isEmpty) { redacted += 1 }
        }
        if ["redacted", "erasing", "emptyingLog", "erased"].contains(moment) { #expect(redacted == rounds) }
    }

    /// Whether the store has the new history. Checks that it is complete, and that the files are erased.
    private func isRedacted(_ scratch: Scratch, acked: Bool) async throws -> Bool {
        let recorder = EventRecorder()
        let store = try SQLiteStore(folder: scratch.path) { recorder.add($0) }
        guard let entry = try? await store.find(DocumentName("secret")).get(), entry.head > 0 else {
            #expect(!acked)
            await store.close()
            return false
        }
        let mask = String(ErasureTests.passage.map { _ in "*" })
        let typed = { (passage: String) in
            (0...passage.count).map { String(passage.prefix($0)) }
                + ["\(passage)\n", "\(passage)\n\(passage)", "\(passage)\n\(passage)\n"]
                + ["\(passage)\n\(passage)\n\(passage)"]
        }
        var texts: [String] = []
        for revision in 0...entry.head.value {
            texts.append(try await store.text(of: entry.id, at: Revision(revision)).get().text.string)
        }
        let isRedacted = texts == typed(mask)
        #expect(isRedacted || texts == typed(ErasureTests.passage) && !acked)
        #expect(try await store.verify().isSound)
        await store.runUpkeep(at: 1)
        if isRedacted {
            #expect(try FolderSearch.findings(of: ErasureTests.passage, in: scratch.path) == [])
        }
        await store.close()
        return isRedacted
    }
}

extension UpkeepReader<Database> {
    fileprivate mutating func prepare(
        _ redaction: Redaction, of document: DocumentID
    ) -> Result<RedactionPlan, any Error> {
        Result {
            var (redaction, prepared) = (try begin(redaction, of: document).get(), PreparedRedaction?.none)
            while prepared == nil {
                (redaction, prepared) = try step(redaction).get()
                redaction = redaction.packed()
            }
            guard case .found(_, let plan?)? = prepared else {
                throw Unexpected(what: "nothing is redacted")
            }
            return plan
        }
    }
}
