import TestSupport
import Testing

@Suite("Answers that nobody reads", .onOwnThread) struct UnreadTests {
    /// Bytes of the text. In JSON, each of them takes six.
    private static let length = 2 << 20
    private static let readers = 30

    enum Way: CaseIterable {
        case lines, webSocket, http
    }

    @Test(
        "long texts for clients that read nothing take bounded memory, and wait until others are gone",
        arguments: Way.allCases)
    func longTexts(way: Way) throws {
        let server = try LiveServer(["--limit-output-budget": "16 MiB"])
        let writer = try server.openConnection()
        let text = String(repeating: "\u{1}", count: Self.length)
        try #require(try writer.fetch("PUT /docs/a", "If-None-Match: *", body: text).status == 201)
        for _ in 1..<Self.readers {
            try #require(try writer.fetch("POST /append/a", body: "x").status == 200)
        }
        let before = try server.program.kilobytes("VmHWM")
        // The server encodes each revision for itself.
        var readers = try (1...Self.readers).map { try ask(server, for: $0, over: way) }
        while try !writer.fetch("GET /metrics").body.contains(/caret_waits_for_output_total [1-9]/) {}
        let grown = try server.program.kilobytes("VmHWM") - before
        // Together the answers have 420 MiB. A sanitizer keeps memory that was freed.
        if !Seeds.isSanitized { #expect(grown < 150 << 10) }
        withExtendedLifetime(readers) {}
        readers = []
        // Until the server has noticed that they are gone, it may refuse to read one more text.
        var response = try writer.fetch("GET /docs/a?rev=1", "Accept: application/json")
        while response.code == "overloaded" {
            response = try writer.fetch("GET /docs/a?rev=1", "Accept: application/json")
        }
        #expect(response.status == 200 && response.bytes.count > 6 * Self.length)
    }

    /// A client that has asked for the text of a revision.
    private func ask(_ server: LiveServer, for revision: Int, over way: Way) throws -> AnyObject {
        if way == .http {
            let client = try server.openConnection()
            try client.send("GET /docs/a?rev=\(revision)", ["Accept: application/json"], body: "")
            return client
        }
        let client = try server.connect(over: way == .lines ? .lines : .webSocket)
        try client.greet(as: "reader-\(revision)")
        try client.send(#"{"type":"read","doc":"a","rev":\#(revision)}"#)
        return client
    }
}
