import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Redaction of a passage") struct RedactionTests {
    @Test("a passage is found wherever it begins, also where matches overlap")
    func matches() throws {
        #expect(try Passage("aa").matches(in: Array("aaa b aa".utf8)) == [0, 1, 6])
        #expect(try Passage("abab").matches(in: Array("abababab".utf8)) == [0, 2, 4])
        #expect(try Passage("é").matches(in: Array("e\u{301}é".utf8)) == [3])
        var random = Seeded(7)
        for _ in 0..<300 {
            let letters = { (count: Int) in String((0..<count).map { _ in random.chance(50) ? "a" : "b" }) }
            let (needle, text) = (Array(letters(4).utf8), Array(letters(30).utf8))
            let expected = (0...text.count - 4).filter { Array(text[$0..<$0 + 4]) == needle }
            #expect(try Passage(String(decoding: needle, as: UTF8.self)).matches(in: text) == expected)
        }
    }

    @Test("a passage that nothing can replace, or that is blank or too long, is refused")
    func refusals() throws {
        #expect(throws: Passage.Fault.blank) { try Passage("") }
        #expect(throws: Passage.Fault.blank) { try Passage("\n\n") }
        let all = String(decoding: UInt8(ascii: "!")...UInt8(ascii: "~"), as: UTF8.self)
        #expect(throws: Passage.Fault.noFill) { try Passage(all) }
        #expect(try Passage("a*b").masking([0..<3], of: "a*b") == "###")
        let longest = String(repeating: "x", count: Passage.mostBytes)
        #expect(try Passage(longest).bytes.count == 16_384)
        #expect(throws: Passage.Fault.tooLong(bytes: 16_385)) { try Passage(longest + "x") }
    }

    @Test("each character becomes one of the same length in every unit, and line breaks stay")
    func masking() throws {
        let passage = try Passage("a😀\né€")
        #expect(passage.masking([1..<12], of: "xa😀\né€y") == "x*🔲\n×※y")
        // A character that would be a replacement is replaced by the next one.
        #expect(try Passage("*×※🔲").masking([0..<10], of: "*×※🔲") == "#÷•🔳")
        #expect(passage.masking([], of: "xy") == "xy")
    }

    @Test("a typed, corrected and pasted passage is in no revision", arguments: StoreKind.allCases)
    func typed(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.typeAtOnce("My password is sword")
        let late = try document.append([SampleChange.edit(15, 20, "")], by: SampleLog.bob, seq: 1)
        #expect(await document.store.append(late) == .committed(head: 21))
        try document.follow(late)
        try await document.typeAtOnce("swordfish.")
        let store = document.store
        let passage = try Passage("swordfish")
        let expected = try document.texts.map {
            try TextBuffer(RedactionTests.masked($0.string, at: 15..<24))
        }
        let dry = await store.redact(document.entry.id, Redaction(passage, isDryRun: true))
        guard case .redacted(let report) = dry else { throw Unexpected(what: "\(dry)") }
        #expect(report.containing == 2 && report.changed == 9 && report.countAtHead == 1)
        #expect(report.found == 30...31 && report.epoch == document.entry.epoch)
        #expect(report.authors.map(\.user) == ["ann"])
        #expect(report.authors.first.map { $0.first...$0.last } == 22...30)
        #expect(try await store.text(of: document.entry.id).get().text == document.text)

        let done = await store.redact(document.entry.id, Redaction(passage))
        guard case .redacted(let changed) = done else { throw Unexpected(what: "\(done)") }
        #expect(changed.changed == 9 && changed.epoch != document.entry.epoch)
        // PostgreSQL reuses unused space only later, and its log and standbys have the text, too.
        #expect(changed.isErased == (kind != .postgres))
        let entry = try await store.find(document.entry.name).get()
        #expect(entry.epoch == changed.epoch && entry.head == document.head)
        for revision in 22...31 {
            let text = try await store.text(of: entry.id, at: Revision(revision)).get().text
            #expect(text == expected[revision], "revision \(revision)")
        }
        // The first "sword" was not a part of the passage in any revision.
        #expect(try await store.text(of: entry.id, at: 20).get().text == document.texts[20])
        #expect(await store.append(late) == .documentGone)
        let known = try await store.pusher(SampleLog.bob, in: entry.id).get().entry
        #expect(known?.revision == 21 && known?.digest == late.changes[0].digest)
        let nothing = await store.redact(entry.id, Redaction(passage))
        guard case .redacted(let none) = nothing else { throw Unexpected(what: "\(nothing)") }
        #expect(none.containing == 0 && none.epoch == entry.epoch)
    }

    /// The text with `*` at these UTF-16 offsets, if it is long enough and has the passage's letters there.
    private static func masked(_ text: String, at range: Range<Int>) -> String {
        String(text.enumerated().map { range.contains($0.offset) ? "*" : $0.element })
    }

    @Test("random histories keep authors, times and offsets, and lose the passage", arguments: 0..<4)
    func random(seed: Int) async throws {
        let folder = try Scratch.inMemory()
        defer { folder.remove() }
        let sqlite = try SQLiteStore(folder: folder.path, settings: .withoutRounds)
        for round in 0..<(isFullRun ? 60 : 8) {
            var random = Seeded(UInt64(seed * 1000 + round))
            let memory = MemoryStore()
            var model = try await TrackedDocument(on: memory, "doc/\(round)")
            let real = try await TrackedDocument(on: sqlite, "doc/\(round)")
            let passage = try Passage(random.pick(["ab", "aba", "é", "a\nb", "😀", "é😀€", "abcab"]))
            for seq in 1...Int64(random.number(5...60)) {
                let edits = try RedactionTests.edits(in: model.text, passage, &random)
                let by = random.chance(50) ? SampleLog.ann : SampleLog.bob
                let append = try model.append(edits, by: by, seq: seq)
                let same = Append(
                    document: real.entry.id, epoch: real.entry.epoch, expected: append.expected,
                    changes: append.changes)
                #expect(await memory.append(append) == (await sqlite.append(same)))
                try model.follow(append)
            }
            if random.chance(40) {
                let start = Revision(random.number(1...model.head.value))
                #expect(await memory.trim(model.entry.id, through: start) == .trimmed(start: start))
                #expect(await sqlite.trim(real.entry.id, through: start) == .trimmed(start: start))
            }
            if random.chance(50) { await sqlite.runUpkeep(at: .max / 2) }
            let (one, two) = (
                await memory.redact(model.entry.id, Redaction(passage)),
                await sqlite.redact(real.entry.id, Redaction(passage))
            )
            guard case .redacted(let expected) = one, case .redacted(var found) = two else {
                throw Unexpected(what: "\(one), \(two)")
            }
            found.epoch = expected.epoch
            #expect(found == expected, "round \(round)")
            try await check(model, real, memory, sqlite, passage)
        }
        #expect(try await sqlite.verify().isSound)
    }

    private static func edits(
        in text: TextBuffer, _ passage: Passage, _ random: inout Seeded
    ) throws -> [Edit] {
        if random.chance(40) { return SampleChange.make(for: text, upTo: 3, &random).edits }
        let letters = String(decoding: passage.bytes, as: UTF8.self)
        let pieces = [letters, "a", "b", "ab", "cab", "é", "\n"]
        let boundaries = SampleChange.scalarBoundaries(of: text.string)
        let at = random.pick(boundaries)
        let end = random.chance(70) ? at : random.pick(boundaries)
        return [SampleChange.edit(min(at, end), max(at, end), random.pick(pieces))]
    }

    /// Compares both stores with the history before the redaction.
    private func check(
        _ model: TrackedDocument, _ real: TrackedDocument, _ memory: MemoryStore, _ sqlite: SQLiteStore,
        _ passage: Passage
    ) async throws {
        let entry = try await sqlite.find(real.entry.name).get()
        for revision in entry.start.value...entry.head.value {
            let text = try await sqlite.text(of: entry.id, at: Revision(revision)).get().text
            let other = try await memory.text(of: model.entry.id, at: Revision(revision)).get().text
            #expect(text == other, "revision \(revision)")
            #expect(passage.matches(in: Array(text.string.utf8)) == [])
            let (old, new) = (model.texts[revision].string.unicodeScalars, text.string.unicodeScalars)
            #expect(old.count == new.count)
            #expect(zip(old, new).allSatisfy { $0 == $1 || "*×※🔲".unicodeScalars.contains($1) })
            #expect(zip(old, new).allSatisfy { $0.utf8.count == $1.utf8.count })
        }
        let slice = try await sqlite.read(entry.id, after: entry.start, limit: .max).get()
        let old = model.log.dropFirst(entry.start.value)
        for (before, after) in zip(old, slice.segment.changes) {
            #expect(before.pusher == after.pusher && before.time == after.time && before.seq == after.seq)
            #expect(before.edits.map(\.edit.range) == after.edits.map(\.edit.range))
        }
        #expect(slice.segment.changes.count == old.count)
    }
}
