import CaretClient
import CaretCore
import CaretSync
import CaretWire
import Testing

@Suite("Names of synced files") struct SyncNamesTests {
    @Test(
        "names with the prefix map to paths, and these paths map back to names",
        arguments: [
            ("", "a"), ("p", "p/a"), ("p/", "p/a/b.txt"), ("p/q", "p/q/é"), ("p", "p/#a"), ("p", "p/a#"),
            ("p", "p/" + String(repeating: "x", count: 255)),
        ])
    func bothWays(prefix: String, name: String) throws {
        let names = SyncNames(prefix: prefix)
        let path = try #require(names.path(of: WireString(name)))
        #expect(names.document(of: path) == WireString(name))
    }

    @Test(
        "a document whose name is not a safe path has no file",
        arguments: [
            "q/a", "p", "p/", "p/.caret/lock", "p/.git/config", "p/a~", "p/#a#",
            "p/" + String(repeating: "x", count: 256),
        ])
    func unsafe(name: String) {
        #expect(SyncNames(prefix: "p").path(of: WireString(name)) == nil)
    }

    @Test("a path that the protocol does not allow has no document", arguments: [" a", "a ", "a\nb", "a/ b"])
    func unnameable(path: String) {
        #expect(SyncNames(prefix: "p").document(of: WireString(path)) == nil)
    }

    @Test("a document with a known epoch and a new name counts as renamed")
    func renames() {
        let head = SyncRecord.Head(epoch: "e", revision: 1, text: "a")
        let records: [WireString: SyncRecord] = [
            "old": SyncRecord(path: "old", seen: "a", head: head, usesCRLF: false)
        ]
        let position = ServerDocuments.DocumentPosition(epoch: "e", revision: 1)
        let names = SyncNames(prefix: "p")
        #expect(
            SyncRenames.renamedElsewhere(records, ["p/new": position], names) == [
                .init(path: "old", new: "new")
            ])
        #expect(SyncRenames.renamedElsewhere(records, ["p/old": position, "p/new": position], names) == [])
        #expect(SyncRenames.renamedElsewhere(records, [:], names) == [])
    }

    private func origin(
        of text: String, among seen: [WireString: String], isGone: Bool = true, older: [String] = []
    ) throws -> WireString? {
        let head = SyncRecord.Head(epoch: "e", revision: 1, text: "a")
        let records = seen.map { ($0, SyncRecord(path: $0.string, seen: $1, head: head, usesCRLF: false)) }
        return try SyncRenames.origin(
            of: text, among: Set(seen.keys), Dictionary(uniqueKeysWithValues: records),
            isGone: { _ in isGone }, older: { _ in older })
    }

    @Test("a new file with half the lines of a missing file counts as renamed")
    func origins() throws {
        #expect(try origin(of: "a", among: ["old": "a"]) == "old")
        #expect(try origin(of: "a", among: ["old": "a"], isGone: false) == nil)
        #expect(try origin(of: "b", among: ["old": "a"]) == nil)
        #expect(try origin(of: "", among: ["old": ""]) == nil)
        let both: [WireString: String] = ["one": "12345\n67890\n", "two": "12345\nabcde\nfghij\n"]
        #expect(try origin(of: "67890\n12345\nnew", among: both) == "one")
        #expect(try origin(of: "12345\n67890\nabcde\nfghij\n", among: both) == "two")
        // Two candidates have this text, so neither is chosen.
        #expect(try origin(of: "a", among: ["one": "a", "two": "a"]) == nil)
        // A candidate is chosen if the common lines have at least half of the bytes of both texts.
        #expect(try origin(of: "1\n2", among: ["old": "1\n3"]) == "old")
        #expect(try origin(of: "1\n2", among: ["old": "1\n3\n4"]) == nil)
        // Among many candidates, only whole texts are compared.
        let many = Dictionary(uniqueKeysWithValues: (0..<33).map { (WireString("\($0)"), "1\n\($0)") })
        #expect(try origin(of: "1\n7\n8", among: many) == nil)
        #expect(try origin(of: "1\n7", among: many) == "7")
        // Two of the 32 candidates are equally similar. The first one is chosen.
        let fewer = many.filter { $0.key != "32" }
        #expect(try origin(of: "1\n7\n8", among: fewer) == "7")
        // An editor may have made the new file from an older text that it had read.
        #expect(try origin(of: "1\n2", among: ["old": "5\n3\n4"], older: ["1"]) == "old")
    }
}

@Suite("Events of synced documents") struct SyncNewsTests {
    private func news(_ documents: [String: String]) -> ServerDocuments {
        var news = ServerDocuments()
        for (name, epoch) in documents { news.set(WireString(name), .init(epoch: epoch, revision: 1)) }
        return news
    }

    @Test("a read or event of an older revision never replaces a newer one")
    func late() {
        var news = news(["a": "e"])
        let before = news.documents["a"]
        func report(_ epoch: String, _ revision: Int) {
            let summary = DocumentSummary(
                document: "a", epoch: WireString(epoch), revision: Revision(revision), length: 0, updated: 0)
            news.apply(.document(summary))
        }
        report("e", 6)
        news.recordRead("a", .init(epoch: "e", revision: 5), since: before)
        #expect(news.documents["a"] == .init(epoch: "e", revision: 6))
        news.recordRead("a", .init(epoch: "e", revision: 7), since: before)
        report("e", 6)
        #expect(news.documents["a"] == .init(epoch: "e", revision: 7))
        // The document was deleted and made again while the old document was read.
        report("f", 1)
        news.recordRead("a", .init(epoch: "e", revision: 8), since: before)
        #expect(news.documents["a"] == .init(epoch: "f", revision: 1))
        news.recordRead("a", .init(epoch: "g", revision: 1), since: .init(epoch: "f", revision: 1))
        #expect(news.documents["a"] == .init(epoch: "g", revision: 1))
    }

    @Test("a late `gone` does not remove a newer document with the same name")
    func ended() {
        func end(_ epoch: WireString) -> FollowEvent {
            .gone(Gone(document: "a", epoch: epoch, reason: .deleted, isFollowed: true))
        }
        var news = news(["a": "new"])
        news.apply(end("old"))
        #expect(news.documents["a"] == .init(epoch: "new", revision: 1))
        news.apply(end("new"))
        #expect(news.documents["a"] == nil)
    }

    @Test("a new list of documents replaces the old list when it is complete")
    func newList() {
        func reported(_ document: WireString) -> FollowEvent {
            .document(
                DocumentSummary(document: document, epoch: "f", revision: 3, length: 0, updated: 0))
        }
        var news = news(["old/a": "e", "b": "e"])
        news.apply(.restarted)
        for document: WireString in ["b", "gone"] { news.apply(reported(document)) }
        news.apply(.gone(Gone(document: "gone", epoch: "f", reason: .deleted, isFollowed: true)))
        // The sync itself changed document c to revision 7. Then an event about an older revision of c
        // arrived.
        news.set("c", .init(epoch: "f", revision: 7))
        news.apply(reported("c"))
        #expect(Set(news.documents.keys) == ["old/a", "b", "c"])
        news.apply(.complete)
        #expect(
            news.documents == ["b": .init(epoch: "f", revision: 3), "c": .init(epoch: "f", revision: 7)])
        #expect(!news.hasDocuments(in: "old"))
        // A second `complete`, without a new list of documents before it, changes nothing.
        news.apply(.complete)
        #expect(Set(news.documents.keys) == ["b", "c"])
    }

    @Test("`hasDocuments` is true until the last document of a folder is gone")
    func folders() {
        var news = news(["a/b/c": "e", "a/d": "e"])
        #expect(news.hasDocuments(in: "a"))
        #expect(news.hasDocuments(in: "a/b"))
        news.apply(.gone(Gone(document: "a/b/c", epoch: "e", reason: .deleted, isFollowed: true)))
        #expect(news.hasDocuments(in: "a"))
        #expect(!news.hasDocuments(in: "a/b"))
        news.apply(.gone(Gone(document: "a/d", epoch: "e", reason: .deleted, isFollowed: true)))
        #expect(!news.hasDocuments(in: "a"))
    }

    @Test("a file whose name no document can have is reported, and not synced")
    func unnameableFile() async throws {
        let world = try SyncWorld()
        try await world.begin(0)
        world.save("x\n", to: " a")
        try await world.run(2_000)
        #expect(world.reports.count { $0.path == " a" && $0.report == .leftAlone(.invalidName) } == 1)
        #expect(world.server.texts == [:])
    }

    @Test("the server's events show whether a text that was read is outdated")
    func more() {
        let news = news(["a": "e"])
        func read(_ epoch: String, _ revision: Int) -> ObservedDocument {
            .read(.init(epoch: epoch, revision: revision, text: ""), usesCRLF: false)
        }
        #expect(!news.isNewer(than: read("e", 1), of: "a") && !news.isNewer(than: read("e", 2), of: "a"))
        #expect(news.isNewer(than: read("e", 0), of: "a") && news.isNewer(than: read("f", 9), of: "a"))
        #expect(news.isNewer(than: .missing, of: "a") && news.isNewer(than: read("e", 1), of: "b"))
        #expect(!news.isNewer(than: .missing, of: "b"))
    }
}

@Suite("Contents of synced files") struct SyncContentTests {
    @Test("line breaks are read as LF; the first one decides how sync writes them")
    func lineBreaks() {
        for (bytes, text, usesCRLF) in [
            ("a", "a", nil), ("a\nb", "a\nb", false), ("a\r\nb\r\n", "a\nb\n", true),
            ("a\r\nb\n\rc", "a\nb\n\nc", true), ("\r", "\n", false),
        ] {
            #expect(
                SyncFolder.content(of: Array(bytes.utf8), limit: 100) == .text(text, usesCRLF: usesCRLF))
        }
    }

    @Test("binary files and files that are too large are left alone")
    func noText() {
        #expect(SyncFolder.content(of: [0x61, 0], limit: 100) == .other(.binary))
        #expect(SyncFolder.content(of: [0xFF], limit: 100) == .other(.binary))
        #expect(SyncFolder.content(of: Array("ab".utf8), limit: 2) == .text("ab", usesCRLF: nil))
        #expect(
            SyncFolder.content(of: Array("abc".utf8), limit: 2) == .other(.tooLarge(bytes: 3, limit: 2)))
    }
}
