import CaretLog
import TestSupport
import Testing

@Suite("The rights that a token's grants give")
struct GrantsTests {
    private func name(_ text: String) throws -> DocumentName { try DocumentName(text) }

    /// Rule R1.
    @Test("of all grants for a name the highest applies, whatever their order")
    func highest() throws {
        let grants = [
            Grant(.read, to: .prefix("a/")), Grant(.admin, to: .document(try name("a/b"))),
            Grant(.none, to: .prefix("a/b")), Grant(.write, to: .prefix("a/b")),
        ]
        for grants in [grants, grants.reversed()] {
            let grants = try #require(Grants(grants))
            #expect(grants.access(to: try name("a/x")) == .read)
            #expect(grants.access(to: try name("a/b")) == .admin)
            #expect(grants.access(to: try name("a/bc")) == .write)
            #expect(grants.access(to: try name("a")) == .none)
            #expect(grants.access(to: try name("A/x")) == .none)
        }
    }

    @Test("names are compared by their bytes")
    func bytes() throws {
        let grants = try #require(Grants([Grant(.read, to: .document(try name("\u{E9}")))]))
        #expect(grants.access(to: try name("\u{E9}")) == .read)
        #expect(grants.access(to: try name("e\u{301}")) == .none)
    }

    @Test("a token has at most `Grants.most` grants")
    func limit() {
        let grant = Grant(.read, to: .prefix("a"))
        #expect(Grants(Array(repeating: grant, count: Grants.most)) != nil)
        #expect(Grants(Array(repeating: grant, count: Grants.most + 1)) == nil)
    }

    @Test("the readable documents and prefixes are sorted and do not overlap")
    func readable() throws {
        let grants = try #require(
            Grants([
                Grant(.read, to: .prefix("b/c")), Grant(.write, to: .prefix("b/")),
                Grant(.read, to: .document(try name("b/d"))), Grant(.read, to: .document(try name("a"))),
                Grant(.read, to: .document(try name("a"))), Grant(.none, to: .prefix("c")),
                Grant(.read, to: .prefix("z")),
            ]))
        #expect(
            grants.readable(under: "") == [.document(try name("a")), .prefix("b/"), .prefix("z")])
        #expect(grants.readable(under: "b") == [.prefix("b/")])
        #expect(grants.readable(under: "b/d/e") == [.prefix("b/d/e")])
        #expect(grants.readable(under: "c") == [])
        #expect(Grants.all.readable(under: "x/") == [.prefix("x/")])
        #expect(grants.writable == [.prefix("b/")])
    }

    @Test(
        "the documents and prefixes cover exactly the readable names, each once",
        arguments: Seeds.first(100))
    func scopes(seed: UInt64) throws {
        var random = Seeded(seed)
        let parts = ["a", "ab", "b", "a/b", "a/", "ab/a", ""]
        let grants = try #require(
            Grants(
                try (0..<random.number(0...6)).map { _ in
                    let part = random.pick(parts)
                    let isName = random.chance(40) && (try? name(part)) != nil
                    return Grant(
                        random.pick(Access.allCases),
                        to: isName ? .document(try name(part)) : .prefix(ByteString(part)))
                }))
        let prefix = ByteString(random.pick(parts))
        let scopes = grants.readable(under: prefix)
        for text in ["a", "ab", "b", "a/b", "a/c", "ab/a", "abc", "b/a", "c"] {
            let name = try name(text)
            let holds = scopes.filter { $0.holds(name) }.count
            let isReadable = grants.access(to: name) >= .read && name.bytes.hasPrefix(prefix)
            #expect(holds == (isReadable ? 1 : 0))
        }
        #expect(scopes.map(\.start) == scopes.map(\.start).sorted())
    }
}
