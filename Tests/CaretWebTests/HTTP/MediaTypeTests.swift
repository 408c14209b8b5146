import CaretWeb
import Testing

@Suite("The form of a document that a request prefers") struct MediaTypeTests {
    private static func preferred(_ values: [String]) throws -> MediaType? {
        let fields = values.map { "Accept: \($0)\r\n" }.joined()
        let head = Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
        return try head.withUnsafeBytes { input in
            var (input, reader) = (input, RequestReader())
            let head = try reader.next(of: &input)
            return MediaType.preferred(by: try #require(head).fields, among: [.text, .json])
        }
    }

    @Test(
        "text is preferred, unless JSON has a higher weight",
        arguments: [
            "", "*/*", "text/plain", "text/*", "text/plain, application/json", "application/json, text/plain",
            "application/json, */*;q=1", "application/*, text/*", "text/html, */*;q=0.1", "TEXT/PLAIN", ",",
            "application/json;q=0.5, text/plain;q=0.5", "application/json;q=0.5, text/*;q=0.501",
            "text/plain;charset=utf-8", "application/json;q=0, */*", "text/plain;q=2", "text/plain;q=x",
            "text/plain ; q=0.001", "text/plain;level=1;q=0.2", "text/plain; Q=0.3", "*/*;q=inf",
        ])
    func text(accept: String) throws {
        #expect(try Self.preferred([accept]) == .text)
    }

    @Test(
        "JSON is preferred if it has the higher weight",
        arguments: [
            "application/json", "application/*", "application/json, text/plain;q=0.999",
            "text/plain;q=0.1, */*", "text/plain;q=0, */*", "text/*;q=0.2, application/*;q=0.3",
            "*/*;q=0.1, application/json;q=0.2", "Application/JSON", "text/html, application/json;q=0.01",
            "text/plain;q=-1, application/json",
        ])
    func json(accept: String) throws {
        #expect(try Self.preferred([accept]) == .json)
    }

    @Test(
        "a request may accept neither form",
        arguments: [
            "text/html", "image/*", "*/*;q=0", "text/plain;q=0, application/json;q=0", "text", "plain/text",
            "text/plain;q=0", "application/json+x", ";q=1", "*/plain", "text/plain;q=0.0001",
            "text/plain;q=nan",
        ])
    func neither(accept: String) throws {
        #expect(try Self.preferred([accept]) == nil)
    }

    @Test("the most specific range decides, wherever it stands")
    func precision() throws {
        #expect(try Self.preferred(["text/plain;q=0.2, text/*;q=0.9, application/json;q=0.3"]) == .json)
        #expect(try Self.preferred(["text/*;q=0.9, application/json;q=0.3, text/plain;q=0.2"]) == .json)
        #expect(try Self.preferred(["*/*;q=0.9, application/*;q=0.1"]) == .text)
    }

    @Test("several `Accept` fields are read as one list")
    func fields() throws {
        #expect(try Self.preferred([]) == .text)
        #expect(try Self.preferred(["text/html", "application/json"]) == .json)
        #expect(try Self.preferred(["text/plain;q=0.5", "application/json"]) == .json)
    }

    @Test("the type of a body is read without its parameters")
    func sent() {
        for (value, type) in [
            ("text/plain", "text/plain"), ("Text/Plain ; charset=utf-8", "text/plain"), ("", ""),
            (";x", ""), ("\tapplication/json\t", "application/json"),
        ] {
            #expect(MediaType.sent(in: Array(value.utf8)) == type)
        }
    }
}
