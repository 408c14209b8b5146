import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: deleted documents")
struct HubTrashTests {
    private let world = ServerWorld()

    /// Rule A8.
    @Test("a deleted document is listed, and can be restored if its name is free")
    func undelete() {
        world.document("a", "x")
        let admin = world.connect("admin")
        _ = admin.asks(#"{"type":"follow"}"#)
        _ = admin.asks(#"{"type":"delete","doc":"a"}"#)
        let listed = admin.askedInFull(#"{"type":"list_deleted","id":1}"#)
        #expect(
            listed == [
                #"{"type":"deleted","id":1,"docs":[{"number":1,"doc":"a","rev":1,"length":1,"updated":1000,"deleted":10000}]}"#
            ])
        #expect(
            admin.askedInFull(#"{"type":"list_deleted","prefix":"b"}"#) == [#"{"type":"deleted","docs":[]}"#])
        world.document("a", "other")
        #expect(admin.asks(#"{"type":"undelete","number":1}"#) == ["exists"])
        _ = admin.asks(#"{"type":"rename","doc":"a","to":"b"}"#)
        #expect(admin.asks(#"{"type":"undelete","id":2,"number":1}"#).contains(#"{"type":"done","id":2}"#))
        #expect(admin.asks(#"{"type":"undelete","number":1}"#).contains("not_found"))
        #expect(admin.asks(#"{"type":"undelete","number":9}"#) == ["not_found"])
        #expect(admin.askedInFull(#"{"type":"read","doc":"a"}"#)[0].contains(#""text":"x""#))
    }

    @Test("deleted documents are listed in pages that end at their byte limit")
    func deletedPages() {
        for excess in [0, 1] {
            let line = #"{"number":1,"doc":"a1","rev":1,"length":1,"updated":1000,"deleted":10000}"#.utf8
                .count
            let world = ServerWorld { $0.page = 2 * line - excess }
            let admin = world.connect("admin")
            for name in ["a1", "a2", "a3"] {
                world.document(name, "x")
                _ = admin.asks(#"{"type":"delete","doc":"\#(name)"}"#)
            }
            let (first, rest) = (
                admin.askedInFull(#"{"type":"list_deleted"}"#)[0],
                admin.askedInFull(#"{"type":"list_deleted","after":2}"#)[0]
            )
            #expect(first.contains("a2") == (excess == 0) && !first.contains("a3"))
            #expect(first.hasSuffix(#","more":true}"#))
            #expect(rest.contains("a3") && !rest.contains("more"))
        }
    }

    /// Rule A8.
    @Test("a document cannot be undeleted before its old room is dropped")
    func undeleteEarly() {
        world.dropsIdleRooms = false
        world.document("a", "x")
        let admin = world.connect("admin")
        _ = admin.asks(#"{"type":"open","doc":"a"}"#)
        _ = admin.asks(#"{"type":"delete","doc":"a"}"#)
        #expect(admin.asks(#"{"type":"undelete","number":1}"#) == ["overloaded"])
    }

    /// Rule A8.
    @Test("users list and bring back only documents that they may write")
    func rights() throws {
        let admin = world.connect("admin")
        for name in ["a/1", "b/1", "a/2"] {
            world.document(name, "x")
            _ = admin.asks(#"{"type":"delete","doc":"\#(name)"}"#)
        }
        let grants = [Grant(.write, to: .prefix("a/")), Grant(.read, to: .prefix("b/"))]
        let ann = world.connect("ann", try #require(Grants(grants)))
        let listed = ann.askedInFull(#"{"type":"list_deleted"}"#)[0]
        #expect(listed.contains("a/1") && listed.contains("a/2") && !listed.contains("b/1"))
        #expect(ann.asks(#"{"type":"undelete","number":2}"#) == ["not_found"])
        #expect(ann.asks(#"{"type":"undelete","id":1,"number":3}"#) == [#"{"type":"done","id":1}"#])
        #expect(ann.askedInFull(#"{"type":"read","doc":"a/2"}"#)[0].contains(#""text":"x""#))
        #expect(world.connect("bob", .none).asks(#"{"type":"undelete","number":1}"#) == ["not_found"])
        #expect(world.connect("eve", .none).askedInFull(#"{"type":"list_deleted"}"#)[0].contains("[]"))
    }

    /// The store returns at most 1,000 documents at a time.
    @Test("hidden documents do not shorten a page")
    func hidden() throws {
        let deleted = try (1...1_003).map { try world.deleted($0 % 500 == 2 ? "a/\($0)" : "b/\($0)") }
        #expect(deleted.count == 1_003)
        let ann = world.connect("ann", try #require(Grants([Grant(.write, to: .prefix("a/"))])))
        func list(_ rest: String) -> (numbers: [Int], hasMore: Bool) {
            let line = ann.askedInFull(#"{"type":"list_deleted",\#(rest)}"#)[0]
            let numbers = line.matches(of: /"number":(\d+)/).compactMap { Int($0.1) }
            return (numbers, line.hasSuffix(#","more":true}"#))
        }
        #expect(list(#""limit":3"#) == ([2, 502, 1_002], false))
        #expect(list(#""limit":2"#) == ([2, 502], true))
        #expect(list(#""limit":2,"after":502"#) == ([1_002], false))
        #expect(list(#""limit":1,"after":1002"#) == ([], false))
    }
}

extension ServerWorld {
    /// A deleted document.
    fileprivate func deleted(_ name: String) throws -> DocumentID {
        let id = document(name)
        try #require(store.delete(id, at: 9) == nil)
        return id
    }
}
