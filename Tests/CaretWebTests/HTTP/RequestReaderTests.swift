import CaretWeb
import Testing

@Suite("Reading the head of a request") struct RequestReaderTests {
    @Test(
        "a head gives the same result wherever its bytes are split",
        arguments: try HTTPFixture.all(in: "heads.txt"))
    func heads(fixture: HTTPFixture) {
        for cuts in fixture.allCuts {
            #expect(result(of: fixture, cutAt: cuts) == fixture.result, "cut at \(cuts.prefix(3))")
        }
    }

    private func result(of fixture: HTTPFixture, cutAt cuts: [Int]) -> String {
        var reader = RequestReader()
        do {
            let head = try fixture.read(cutAt: cuts) { input in try reader.next(of: &input) }
            guard let head else { return "incomplete" }
            return "ok \(head.method) \(head.target) \(words(for: head.body))"
        } catch let fault as RequestFault {
            return "\(fault.status.rawValue)"
        } catch { return "\(error)" }
    }

    private func words(for body: RequestHead.Body) -> String {
        switch body {
        case .none: "-"
        case .bytes(let count): "\(count)"
        case .chunked: "chunked"
        }
    }

    @Test("the fixture has at least 60 heads, most of them hostile")
    func size() throws {
        let heads = try HTTPFixture.all(in: "heads.txt")
        #expect(heads.count >= 60 && heads.count { !$0.result.hasPrefix("ok") } > 50)
    }

    @Test("the reader stops after a head, and then reads the next head")
    func pipelined() throws {
        let bytes = Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: b\r\n\r\nrest".utf8)
        try bytes.withUnsafeBytes { input in
            var (input, reader) = (input, RequestReader())
            let first = try reader.next(of: &input)
            #expect(first?.target == "/a" && !reader.hasBegun)
            let second = try reader.next(of: &input)
            #expect(second?.target == "/b")
            #expect(String(decoding: input, as: UTF8.self) == "rest")
        }
    }

    @Test("`hasBegun` is true from the first byte of a head, not for empty lines")
    func begun() throws {
        var reader = RequestReader()
        func read(_ text: String) throws {
            try Array(text.utf8).withUnsafeBytes { input in
                var input = input
                let head = try reader.next(of: &input)
                #expect(head == nil)
            }
        }
        try read("\r\n")
        #expect(!reader.hasBegun)
        try read("G")
        #expect(reader.hasBegun)
        try read("ET / HTTP/1.1\r\n")
        #expect(reader.hasBegun)
    }

    @Test("names of fields and words in lists are found in upper or lower case")
    func fields() throws {
        let head = try head("Connection: keep-alive , Close\r\nX: 1\r\nx: 2\r\n")
        #expect(head.fields["x"] == [Array("1".utf8), Array("2".utf8)] && head.fields["y"] == [])
        #expect(
            head.fields.hasItem("close", inList: "connection")
                && !head.fields.hasItem("lose", inList: "connection"))
    }

    @Test("only HTTP/1.1 without `Connection: close` keeps the connection open")
    func keepsAlive() throws {
        #expect(try head("").keepsAlive)
        #expect(try !head("Connection: close\r\n").keepsAlive)
        #expect(try !head("Connection: keep-alive\r\n", version: "1.0").keepsAlive)
    }

    private func head(_ fields: String, version: String = "1.1") throws -> RequestHead {
        let text = "GET / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n"
        return try Array(text.utf8).withUnsafeBytes { input in
            var (input, reader) = (input, RequestReader())
            let head = try reader.next(of: &input)
            return try #require(head)
        }
    }
}
