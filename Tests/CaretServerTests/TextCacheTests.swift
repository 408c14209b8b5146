import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import Testing

@Suite("The texts that are kept for reads")
struct TextCacheTests {
    /// A text of a document, at a revision, with this many bytes.
    static func text(
        _ name: String, _ document: Int64 = 1, revision: Int = 1, bytes: Int = 0, asOf: StoreTime
    ) throws -> ReadText {
        let text = WireText(
            document: WireString(name), epoch: "1.1", revision: Revision(revision),
            text: WireString(String(repeating: "x", count: bytes)), newline: .lf)
        return ReadText(
            text, Payload(Array(text.text.utf8)), of: DocumentID(document), as: try DocumentName(name),
            asOf: asOf)
    }

    private let cache = TextCache(limit: 1 << 20)
    private let document = WriteClock.Scope.document(DocumentID(1))
    private let name: DocumentName

    init() throws { name = try DocumentName("a") }

    private func read(revision: Int = 1) throws -> ReadText {
        try Self.text("a", revision: revision, asOf: cache.writes.now)
    }

    @Test("a text is returned until its document or everything is written")
    func written() throws {
        for scope in [document, .everything] {
            let text = try read()
            cache.add(text)
            #expect(cache.text(of: name) == text)
            cache.writes.begin(.document(DocumentID(2)))
            cache.writes.end(.document(DocumentID(2)))
            #expect(cache.text(of: name) == text)
            cache.writes.begin(scope)
            #expect(cache.text(of: name) == nil)
            cache.writes.end(scope)
            #expect(cache.text(of: name) == nil && cache.bytes == 0)
        }
    }

    @Test("a text is not returned while one of two writes is under way")
    func twoWrites() throws {
        for _ in 0..<2 { cache.writes.begin(document) }
        cache.writes.end(document)
        cache.add(try read())
        #expect(cache.text(of: name) == nil)
        cache.writes.end(document)
        cache.add(try read())
        #expect(cache.text(of: name) != nil)
    }

    @Test("the result of a read is dropped if a write ended after the read began")
    func outdatedRead() throws {
        let text = try read()
        cache.writes.begin(document)
        cache.writes.end(document)
        cache.add(text)
        #expect(cache.text(of: name) == nil && cache.bytes == 0)
    }

    @Test("two documents with the same slot only cost each other a read")
    func sharedSlot() throws {
        let other = WriteClock.Scope.document(DocumentID(Int64(1 + WriteClock.slotCount)))
        cache.add(try read())
        cache.writes.begin(other)
        cache.writes.end(other)
        #expect(cache.text(of: name) == nil)
    }

    // MARK: The limit

    @Test("a text of exactly the limit is kept, and a longer one is not")
    func longestText() throws {
        let limit = 1_000 + RecentTexts.overhead
        for (bytes, isKept) in [(1_000, true), (1_001, false)] {
            var texts = RecentTexts(limit: limit)
            texts.add(try Self.text("a", bytes: bytes, asOf: StoreTime(0)))
            #expect((texts.use(name) != nil) == isKept)
            #expect(texts.bytes == (isKept ? limit : 0))
        }
        var none = RecentTexts(limit: 0)
        none.add(try Self.text("a", asOf: StoreTime(0)))
        #expect(none.count == 0)
    }

    @Test("beyond the limit, the text that was not used for the longest time is dropped")
    func leastRecentlyUsed() throws {
        var texts = RecentTexts(limit: 3 * (100 + RecentTexts.overhead))
        for name in ["a", "b", "c"] { texts.add(try Self.text(name, bytes: 100, asOf: StoreTime(0))) }
        #expect(texts.count == 3)
        #expect(texts.use(name) != nil)
        texts.add(try Self.text("d", bytes: 100, asOf: StoreTime(0)))
        let kept = try ["a", "b", "c", "d"].map { texts.use(try DocumentName($0)) != nil }
        #expect(kept == [true, false, true, true])
    }

    @Test("a newer text replaces an older one of the same name, but not the other way round")
    func replaced() throws {
        var texts = RecentTexts(limit: 10_000)
        texts.add(try Self.text("a", revision: 2, bytes: 50, asOf: StoreTime(2)))
        texts.add(try Self.text("a", revision: 1, bytes: 70, asOf: StoreTime(1)))
        #expect(texts.use(name)?.revision == Revision(2))
        texts.add(try Self.text("a", revision: 3, bytes: 20, asOf: StoreTime(3)))
        #expect(texts.use(name)?.revision == Revision(3))
        #expect(texts.count == 1 && texts.bytes == 20 + RecentTexts.overhead)
        texts.remove(try Self.text("a", asOf: StoreTime(2)))
        #expect(texts.count == 1)
        texts.remove(try Self.text("a", asOf: StoreTime(3)))
        #expect(texts.count == 0 && texts.bytes == 0)
    }
}
