import CaretWeb
import Testing

@Suite("The path and query of a request") struct RequestTargetTests {
    @Test("the path is decoded once, and a + in it stays a +")
    func path() throws {
        #expect(try RequestTarget("/docs/a%20b%2Fc+d").path == "/docs/a b/c+d")
        #expect(try RequestTarget("/%2541").path == "/%41")
        #expect(try RequestTarget("/%C3%A4?x=%2F").path == "/ä")
        #expect(try RequestTarget("*").path == "*")
    }

    @Test("parameters of the query are decoded, and a + becomes a space")
    func query() throws {
        let target = try RequestTarget("/docs?prefix=a+b%2B&limit=10&empty=&flag&a%3Db=c=d")
        #expect(target.names == ["prefix", "limit", "empty", "flag", "a=b"])
        #expect(target["prefix"] == "a b+" && target["limit"] == "10" && target["a=b"] == "c=d")
        #expect(target["empty"] == "" && target["flag"] == "" && target["missing"] == nil)
        #expect(try RequestTarget("/docs?").names == [] && RequestTarget("/docs?&&").names == [])
        #expect(try RequestTarget("/a?b?c=d")["b?c"] == "d")
    }

    @Test("a query has at most 32 parameters")
    func manyParameters() throws {
        let names = (0..<33).map { "a\($0)" }
        #expect(try RequestTarget("/?" + names.dropLast().joined(separator: "&")).names.count == 32)
        #expect(throws: RequestFault.self) { try RequestTarget("/?" + names.joined(separator: "&")) }
    }

    @Test(
        "a wrong escape, invalid UTF-8 and a repeated parameter are faults",
        arguments: [
            "/%", "/%4", "/%zz", "/%+1", "/%ff", "/%C3", "/?a=%C3%28", "/?%=1", "/?a=1&a=2", "/?a&a",
        ])
    func faults(target: String) {
        #expect(throws: RequestFault.self) { try RequestTarget(target) }
    }
}
