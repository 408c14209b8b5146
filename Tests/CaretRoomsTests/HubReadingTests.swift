import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: reading texts and history")
struct HubReadingTests {
    private func world() -> (ServerWorld, TestClient) {
        let world = ServerWorld()
        world.document("a", "one", "one two", "two", "twö")
        let ann = world.connect("ann")
        _ = ann.heard()
        return (world, ann)
    }

    @Test("a read returns the whole text at the head, or at a revision")
    func text() {
        let (_, ann) = world()
        #expect(
            ann.askedInFull(#"{"type":"read","id":6,"doc":"a"}"#) == [
                #"{"type":"text","id":6,"doc":"a","epoch":"1.1","rev":4,"text":"twö","newline":"lf"}"#
            ])
        #expect(ann.asks(#"{"type":"read","doc":"a","rev":2}"#)[0].contains(#""rev":2,"text":"one two""#))
        #expect(ann.asks(#"{"type":"read","doc":"a","rev":0}"#)[0].contains(#""rev":0,"text":"""#))
    }

    /// Rule D26.
    @Test(
        "a read returns a part of the text",
        arguments: [
            ("utf-16", #""start":1"#, 1, "\u{e9}\u{1f600}z", 5), ("utf-16", #""end":3"#, 0, "a\u{e9}", 5),
            ("utf-16", #""start":2,"end":4"#, 2, "\u{1f600}", 5),
            ("utf-16", #""start":3"#, 2, "\u{1f600}z", 5),
            ("utf-8", #""start":2,"end":6"#, 1, "\u{e9}", 8),
            ("utf-32", #""start":2,"end":3"#, 2, "\u{1f600}", 4),
            ("utf-16", #""start":3,"end":1"#, 2, "", 5), ("utf-16", #""start":9,"end":12"#, 5, "", 5),
            ("utf-16", #""start":0,"end":9007199254740991"#, 0, "a\u{e9}\u{1f600}z", 5),
        ])
    func part(unit: String, range: String, start: Int, text: String, length: Int) {
        let world = ServerWorld()
        world.document("a", "old", "a\u{e9}\u{1f600}z")
        let ann = world.connect("ann", units: unit)
        let line = ann.askedInFull(#"{"type":"read","doc":"a",\#(range)}"#)
        let answer = #"{"type":"text","doc":"a","epoch":"1.1","rev":2,"text":"\#(text)","newline":"lf","#
        #expect(line == [answer + #""start":\#(start),"length":\#(length)}"#])
        #expect(
            ann.asks(#"{"type":"read","doc":"a","rev":1,"start":1}"#)[0].contains(#""rev":1,"text":"ld""#))
    }

    /// Rule D26.
    @Test("a part of more than 64 KiB is shortened to whole scalars", arguments: [0, 1])
    func longPart(excess: Int) {
        let (world, ann) = world()
        world.document(
            "long", String(repeating: "a", count: excess) + String(repeating: "\u{e9}", count: 40_000))
        let line = ann.askedInFull(#"{"type":"read","doc":"long","start":0}"#)[0]
        #expect(line.utf8.count { $0 == 0xC3 } == (Limits.partBytes - excess) / 2)
        #expect(line.contains(#""length":\#(40_000 + excess)"#) && world.encoded == 0)
    }

    @Test("a long text is encoded outside of the hub, and a short one at once")
    func longText() {
        let (world, ann) = world()
        let limit = Limits().textEncodedAtOnce
        for (name, count, encoded) in [("short", limit, 0), ("long", limit + 1, 1)] {
            world.document(name, String(repeating: "\u{1}", count: count))
            let line = ann.askedInFull(#"{"type":"read","id":6,"doc":"\#(name)"}"#)[0]
            let text = String(repeating: #"\u0001"#, count: count)
            let start =
                #"{"type":"text","id":6,"doc":"\#(name)","epoch":"1.\#(2 + encoded)","rev":1,"text":""#
            #expect(line == start + text + #"","newline":"lf"}"# && world.encoded == encoded)
        }
    }

    @Test("if the server has no memory for a long text, its read is refused")
    func noMemory() {
        let (world, ann) = world()
        world.document("long", String(repeating: "a", count: Limits().textEncodedAtOnce + 1))
        world.hasMemory = false
        #expect(ann.asks(#"{"type":"read","doc":"long"}"#) == ["overloaded"])
        #expect(ann.asks(#"{"type":"read","doc":"a","rev":2}"#)[0].contains(#""text":"one two""#))
        world.hasMemory = true
        #expect(ann.asks(#"{"type":"read","doc":"long"}"#)[0].contains(#""type":"text""#))
    }

    /// Rule D2.
    @Test("a read by time returns that time's text: empty before the first change")
    func textAtTime() {
        let (_, ann) = world()
        for (time, revision) in [
            (0, 0), (999, 0), (1_000, 1), (1_001, 1), (2_999, 2), (3_000, 3), (4_000, 4), (1 << 53 - 1, 4),
        ] {
            #expect(ann.asks(#"{"type":"read","doc":"a","at":\#(time)}"#)[0].contains("\"rev\":\(revision),"))
        }
    }

    /// The store returns more than the hub has requested.
    @Test("a search by time uses the first revision of each answer")
    func firstOfAnswer() {
        let (world, ann) = world()
        world.holds = { if case .read = $0 { true } else { false } }
        #expect(ann.asks(#"{"type":"read","doc":"a","at":2500}"#) == [])
        world.holds = { _ in false }
        // The hub has requested revision 2.
        let answer = world.store.read(DocumentID(1), after: 1, limit: .max)
        world.hubEvent(.answered(CallID(2), .read(answer)))
        world.run()
        #expect(ann.hears().line(0).contains(#""rev":2,"#))
    }

    @Test("a read by time in a long history needs few store calls")
    func longSearch() throws {
        let world = ServerWorld()
        let id = world.document("a")
        let entry = try world.store.entry(of: id).get()
        let changes = try (1...5_000).map {
            try SampleLog.pushed(Change([Edit(0..<0, "")]), in: TextBuffer(), seq: Int64($0))
        }
        _ = world.store.append(Append(document: id, epoch: entry.epoch, expected: 0, changes: changes))
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"read","doc":"a","at":4333}"#)[0].contains(#""rev":3333,"#))
        #expect(world.calls.count <= 16)
    }

    /// Rules D2, D3 and D4. Both errors, `base_ahead` and `base_trimmed`, contain the head.
    @Test("a revision beyond the head or before the kept history is refused")
    func bounds() {
        let (world, ann) = world()
        let ahead = ann.askedInFull(#"{"type":"read","id":1,"doc":"a","rev":5}"#)
        #expect(code(ahead[0]) == "base_ahead" && ahead[0].contains(#""epoch":"1.1","rev":4"#))
        _ = world.store.trim(DocumentID(1), through: 2)
        let trimmed = ann.askedInFull(#"{"type":"read","id":1,"doc":"a","rev":1}"#)
        #expect(code(trimmed[0]) == "base_trimmed" && trimmed[0].contains(#""epoch":"1.1","rev":4"#))
        #expect(ann.asks(#"{"type":"read","doc":"a","rev":2}"#)[0].contains(#""text":"one two""#))
        #expect(ann.asks(#"{"type":"read","doc":"a","at":2500}"#) == ["base_trimmed"])
        #expect(ann.asks(#"{"type":"read","doc":"a","at":3000}"#)[0].contains(#""rev":3,"#))
        #expect(ann.asks(#"{"type":"history","doc":"a","after":1}"#) == ["base_trimmed"])
        #expect(ann.asks(#"{"type":"history","doc":"a","at":1500}"#) == ["base_trimmed"])
        #expect(ann.asks(#"{"type":"history","doc":"a"}"#)[0].contains(#"[{"rev":3,"#))
    }

    @Test("history comes in ascending pages, with lengths in the client's unit")
    func history() {
        let (world, ann) = world()
        #expect(
            ann.askedInFull(#"{"type":"history","id":7,"doc":"a","after":1,"limit":2}"#) == [
                #"{"type":"revisions","id":7,"doc":"a","revisions":["#
                    + #"{"rev":2,"user":"root","client":"p-root-client","time":2000,"inserted":4,"deleted":0},"#
                    + #"{"rev":3,"user":"root","client":"p-root-client","time":3000,"inserted":0,"deleted":4}],"#
                    + #""more":true}"#
            ])
        for (unit, inserted) in [("utf-8", 2), ("utf-16", 1), ("utf-32", 1)] {
            let client = world.connect("bob", client: "client-\(unit)", units: unit)
            let line = client.asks(#"{"type":"history","doc":"a","after":3,"edits":true}"#)[0]
            #expect(line.contains("\"inserted\":\(inserted),\"deleted\":1,"))
            #expect(line.contains(#""edits":[{"range":[2,3],"text":"ö"}]"#))
            #expect(!line.contains("more"))
        }
    }

    /// Rule D3.
    @Test("history can begin after a time, and is empty beyond the head")
    func historyEdges() {
        let (_, ann) = world()
        #expect(ann.asks(#"{"type":"history","doc":"a","at":2000}"#)[0].contains(#"[{"rev":3,"#))
        #expect(ann.asks(#"{"type":"history","doc":"a","at":0}"#)[0].contains(#"[{"rev":1,"#))
        for after in [4, 5, 1_000] {
            #expect(
                ann.asks(#"{"type":"history","doc":"a","after":\#(after)}"#) == [
                    #"{"type":"revisions","doc":"a","revisions":[]}"#
                ])
        }
    }

    /// Rule D1.
    @Test("a page of history ends at its byte limit, but has at least one item")
    func pageBytes() {
        for (bytes, count) in [(1, 1), (169, 1), (170, 2), (254, 2), (255, 3)] {
            let world = ServerWorld { $0.page = bytes }
            world.document("a", "one", "two", "one")
            let ann = world.connect("ann")
            _ = ann.heard()
            // Each item has 85 bytes.
            let line = ann.asks(#"{"type":"history","doc":"a"}"#)[0]
            #expect(line.components("\"rev\":") == count)
            #expect(line.contains("more") == (count < 3))
        }
    }

    @Test("a page is filled by several store calls if one returns too little")
    func manyReads() {
        let world = ServerWorld { $0.page = 500 }
        world.document("a", String(repeating: "x", count: 300), String(repeating: "y", count: 300), "z", "u")
        let ann = world.connect("ann")
        _ = ann.heard()
        let line = ann.asks(#"{"type":"history","doc":"a","limit":4}"#)[0]
        #expect(line.components("\"rev\":") == 4 && !line.contains("more"))
        #expect(ann.asks(#"{"type":"history","doc":"a","limit":1}"#)[0].hasSuffix(#","more":true}"#))
        // The limit of the first read, 384 bytes, assumes that each change is one keystroke.
        let limits = world.calls.compactMap { call -> Int? in
            if case .read(_, _, let limit) = call { limit } else { nil }
        }
        #expect(limits == [384, 500, 96])
    }

    /// Rule D5.
    @Test("the edits of a stored change that is too long for a line are joined")
    func storedTooLong() {
        let size = 64 << 10
        let world = ServerWorld { $0.announced.document = size }
        let old = String(repeating: "b\na\n", count: size / 4)
        world.document(
            "a", old, old.replacing("b", with: "c"), old, String(repeating: "c\n", count: size / 2), "end")
        let ann = world.connect("ann")
        _ = ann.heard()
        var (after, texts) = (0, [TextBuffer()])
        while after < 5 {
            let line = ann.asks(#"{"type":"history","doc":"a","after":\#(after),"edits":true}"#)[0]
            #expect(line.utf8.count <= world.settings.limits.announced.serverLine)
            var decoder = MessageDecoder()
            guard case .revisions(let page)? = try? decoder.serverMessage(Array(line.utf8))?.message,
                let last = page.revisions.last?.revision
            else {
                Issue.record("no page after \(after): \(line.prefix(99))")
                return
            }
            // The edits of revisions 2 and 3 are joined. Such a revision is the only one on its page.
            let isTooLong = page.revisions.contains { [2, 3].contains($0.revision.value) }
            #expect(!isTooLong || page.revisions.count == 1)
            for revision in page.revisions {
                let edits = (revision.edits ?? []).compactMap {
                    try? Edit(Offset($0.range.start)..<Offset($0.range.end), $0.text.string)
                }
                guard let change = try? Change(edits), let text = try? texts.last?.applying(change) else {
                    Issue.record("revision \(revision.revision.value) does not fit")
                    return
                }
                texts.append(text)
            }
            after = last.value
        }
        #expect(texts.map(\.string)[1...3] == [old, old.replacing("b", with: "c"), old])
        #expect(texts.last?.string == "end")
    }

    /// Rule D5.
    @Test("a page with joined edits has `more` only if it ends before the head")
    func moreAfterTooLong() {
        let size = 64 << 10
        let world = ServerWorld { $0.announced.document = size }
        let old = String(repeating: "b\na\n", count: size / 4)
        world.document("newest", old, old.replacing("b", with: "c"))
        world.document("older", old, old.replacing("b", with: "c"), "end")
        let ann = world.connect("ann")
        for (name, hasMore) in [("newest", false), ("older", true)] {
            let line = ann.asks(#"{"type":"history","doc":"\#(name)","after":1,"edits":true}"#)[0]
            #expect(line.components("\"rev\":") == 1)
            #expect(line.contains(#""more":true"#) == hasMore)
        }
    }

    @Test("a page of history takes at most 16 reads of the store")
    func mostReads() throws {
        let world = ServerWorld { $0.page = 4_000 }
        let id = world.document("a")
        let entry = try world.store.entry(of: id).get()
        // Each change exceeds the byte limit of a store read, so a read returns only one change.
        let text = String(repeating: "x", count: 5_000)
        let changes = try (1...17).map {
            try SampleLog.pushed(Change([Edit(0..<0, text)]), in: TextBuffer(), seq: Int64($0))
        }
        _ = world.store.append(Append(document: id, epoch: entry.epoch, expected: 0, changes: changes))
        let ann = world.connect("ann")
        let line = ann.asks(#"{"type":"history","doc":"a"}"#)[0]
        #expect(line.components("\"rev\":") == 16 && line.contains(#""more":true"#))
    }

    @Test("a read gets an error if its document is damaged or deleted meanwhile")
    func failures() {
        for (damages, code) in [(true, "damaged"), (false, "not_found")] {
            for line in [#"{"type":"read","doc":"a","rev":1}"#, #"{"type":"history","doc":"a"}"#] {
                let (world, ann) = world()
                world.holds = { if case .find = $0 { false } else { true } }
                ann.says(line)
                if damages {
                    world.store.damage(DocumentID(1))
                } else {
                    _ = world.store.delete(DocumentID(1), at: 1)
                }
                world.release()
                #expect(ann.hears() == [code])
            }
        }
    }
}

extension String {
    /// How often `part` occurs in this string.
    func components(_ part: String) -> Int { ranges(of: part).count }
}
