import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: listing documents")
struct HubListingTests {
    private func names(_ line: String) -> [String] {
        line.ranges(of: #""doc":""#).map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    private func list(_ client: TestClient, _ fields: String = "") -> (names: [String], hasMore: Bool) {
        let line = client.asks(#"{"type":"list"\#(fields)}"#)[0]
        return (names(line), line.contains(#""more":true"#))
    }

    /// Rules T2 and D1.
    @Test("documents are listed in the byte order of their names")
    func all() {
        let world = ServerWorld()
        for name in ["b", "a/b", "ä", "a"] { world.document(name, "xö") }
        let ann = world.connect("ann")
        let bob = world.connect("bob", units: "utf-8")
        #expect(
            ann.askedInFull(#"{"type":"list","id":5,"limit":1}"#) == [
                #"{"type":"listed","id":5,"docs":[{"doc":"a","epoch":"1.4","rev":1,"length":2,"updated":1000}],"more":true}"#
            ])
        #expect(bob.asks(#"{"type":"list"}"#)[0].contains(#""length":3"#))
        #expect(list(ann).names == ["a", "a/b", "b", "ä"])
        #expect(list(ann, #","prefix":"a""#).names == ["a", "a/b"])
        #expect(list(ann, #","after":"a""#).names == ["a/b", "b", "ä"])
        #expect(list(ann, #","prefix":"a","after":"a/b""#).names == [])
        #expect(list(ann, #","prefix":"b","after":"a""#).names == ["b"])
    }

    /// Rule D1.
    @Test("a page has `more` only if more documents follow")
    func more() {
        let world = ServerWorld()
        for number in 0..<5 { world.document("a\(number)") }
        let ann = world.connect("ann")
        #expect(list(ann, #","limit":4"#) == (["a0", "a1", "a2", "a3"], true))
        #expect(list(ann, #","limit":5"#) == (["a0", "a1", "a2", "a3", "a4"], false))
        #expect(list(ann, #","limit":2,"after":"a2""#) == (["a3", "a4"], false))
    }

    /// Rule R2.
    @Test("only readable documents are listed, and only these are looked up")
    func rights() throws {
        let world = ServerWorld()
        for number in 0..<500 { world.document("hidden/\(number)") }
        for name in ["own/1", "own/2", "pub/1", "zoo", "zoo/1", "pub/sub/1", "a"] { world.document(name) }
        let zoo = try DocumentName("zoo")
        let none = try DocumentName("missing")
        let ann = world.connect(
            "ann",
            Grants([
                Grant(.read, to: .prefix("pub/")), Grant(.write, to: .prefix("own/")),
                Grant(.read, to: .prefix("pub/sub/")), Grant(.read, to: .document(zoo)),
                Grant(.read, to: .document(none)), Grant(.none, to: .prefix("hidden/")),
            ])!)
        #expect(list(ann).names == ["own/1", "own/2", "pub/1", "pub/sub/1", "zoo"])
        #expect(world.calls.count == 4)
        #expect(list(ann, #","limit":4"#) == (["own/1", "own/2", "pub/1", "pub/sub/1"], true))
        // Each call asks for one entry more than the page still needs.
        let limits = world.calls.suffix(4).compactMap { call -> Int? in
            if case .list(_, _, let limit) = call { limit } else { nil }
        }
        #expect(limits == [5, 3])
        #expect(list(ann, #","prefix":"hidden/""#) == ([], false))
        #expect(list(ann, #","prefix":"pub/s""#) == (["pub/sub/1"], false))
        #expect(list(ann, #","prefix":"zo","after":"own""#) == (["zoo"], false))
        let calls = world.calls.count
        #expect(list(ann, #","after":"zoo""#) == ([], false) && world.calls.count == calls)
    }

    /// Rule D1.
    @Test("a page ends at its byte limit, but has at least one document")
    func pageBytes() {
        for (bytes, count) in [(1, 1), (113, 1), (114, 2)] {
            let world = ServerWorld { $0.page = bytes }
            for number in 0..<2 { world.document("a\(number)") }
            let ann = world.connect("ann")
            let (names, hasMore) = list(ann)
            #expect(names.count == count && hasMore == (count < 2))
        }
    }

    @Test("with any page limit, the pages list each readable document once")
    func paging() {
        let world = ServerWorld()
        var all: [String] = []
        for number in 0..<60 {
            let name = ["x/", "y/", "z"][number % 3] + "\(number)"
            world.document(name)
            if number % 3 != 1 { all.append(name) }
        }
        all.sort()
        let ann = world.connect(
            "ann", Grants([Grant(.read, to: .prefix("x/")), Grant(.read, to: .prefix("z"))])!)
        for limit in [1, 2, 7, 20, 21, 1_000] {
            var joined: [String] = []
            var after = ""
            while true {
                let page = list(ann, ",\"limit\":\(limit),\"after\":\"\(after)\"")
                joined += page.names
                guard page.hasMore, let last = page.names.last else { break }
                after = last
            }
            #expect(joined == all)
        }
    }
}
