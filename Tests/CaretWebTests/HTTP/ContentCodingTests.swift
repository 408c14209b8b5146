import CaretWeb
import Testing

@Suite("The compression that a request accepts") struct ContentCodingTests {
    private static func acceptsGzip(_ values: [String]) throws -> Bool {
        let fields = values.map { "Accept-Encoding: \($0)\r\n" }.joined()
        let head = Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
        return try head.withUnsafeBytes { input in
            var (input, reader) = (input, RequestReader())
            let head = try reader.next(of: &input)
            return ContentCoding.acceptsGzip(try #require(head).fields)
        }
    }

    @Test(
        "gzip is accepted by its name or by *, with a weight above 0",
        arguments: [
            "gzip", "GZip", "gzip, deflate, br, zstd", "br, gzip", "gzip;q=0.001", "gzip ; q=1", "*",
            "*;q=0.1",
            "identity, gzip", "identity;q=0.5, gzip;q=0.5", "identity;q=0, *", "br;q=1, gzip;q=0.2",
            "*;q=0, gzip", "gzip;q=x",
        ])
    func accepted(value: String) throws {
        #expect(try Self.acceptsGzip([value]))
    }

    @Test(
        "gzip is not accepted with the weight 0, or if no compression is preferred",
        arguments: [
            "", ",", "identity", "br, deflate", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *", "gzipped",
            "identity, gzip;q=0.9", "identity;q=0.5, *;q=0.4", "gzip;q=nan", "gzip;q=-1",
        ])
    func refused(value: String) throws {
        #expect(try !Self.acceptsGzip([value]))
    }

    @Test("several fields are read as one list, and no field accepts nothing")
    func fields() throws {
        #expect(try Self.acceptsGzip(["br", "gzip"]))
        #expect(try !Self.acceptsGzip(["*", "gzip;q=0"]))
        #expect(try !Self.acceptsGzip([]))
    }
}
