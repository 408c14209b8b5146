import CaretConfig
import CaretLog
import CaretRooms
import CaretServer
import CaretWeb
import CaretWire
import TestSupport
import Testing

/// The texts of these reads are encoded beside the loops.
@Suite("Reads of a long text") struct LongReadTests {
    private static let count = 70_000
    private static let text = String(repeating: "a\u{1}", count: count / 2)
    private static let line =
        #"{"type":"text","id":2,"doc":"a","epoch":"1.1","rev":1,"text":""#
        + String(repeating: #"a\u0001"#, count: count / 2) + #"","newline":"lf"}"#

    @Test("lines, WebSocket and HTTP get the whole text")
    func transports() async throws {
        let server = try Server(
            ServerSettings(name: "caret/test", loops: 2, roomQueues: 2), store: MemoryStore(),
            in: "/tmp", authenticator: OneIdentity(identity: .admin), counters: CounterBoard(),
            log: LogWriter(format: .json, level: .error, descriptor: -1))
        let address = try await server.listen(
            at: Running.anyPort, speaking: { ListenerProtocols(web: .tcp) }, as: { .address($0) })
        try readOverLines(Client(to: address))
        try readOverWebSocket(Client(to: address))
        try readEvents(Client(to: address))
        for accept in ["text/plain", "application/json", "text/plain"] {
            try readOverHTTP(Client(to: address), accept)
        }
        try append(Client(to: address))
        await server.stop(within: .seconds(1))
    }

    /// The next line, without its line end.
    private func line(from client: Client) throws -> String {
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") { bytes += try client.receive(1) }
        return String(decoding: bytes.filter { $0 != 10 && $0 != 13 }, as: UTF8.self)
    }

    private func readOverLines(_ client: Client) throws {
        try client.send(#"{"type":"hello","protocol":1,"client":"client-of-test"}"# + "\n")
        _ = try line(from: client)
        let text = String(repeating: #"a\u0001"#, count: Self.count / 2)
        try client.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"\#(text)","create":true}"# + "\n")
        #expect(try line(from: client).contains(#""type":"ack""#))
        for _ in 0..<2 {
            try client.send(#"{"type":"read","id":2,"doc":"a"}"# + "\n")
            #expect(try line(from: client) == Self.line)
        }
        try client.send(#"{"type":"open","doc":"a","mode":"watch"}"# + "\n")
        let opened = try line(from: client)
        #expect(opened.hasPrefix(#"{"type":"opened","doc":"a","epoch":"1.1","rev":1,"text":""# + text + "\""))
        try client.send(#"{"type":"close","doc":"a","id":3}"# + "\n")
        #expect(try line(from: client).contains(#""type":"closed""#))
    }

    private func readEvents(_ client: Client) throws {
        try client.send("GET /events/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while try line(from: client) != "" {}
        while try line(from: client) != "id: 1.1/1" {}
        let text = String(repeating: #"a\u0001"#, count: Self.count / 2)
        let event = try line(from: client)
        #expect(
            event.hasPrefix(
                #"data: {"type":"opened","doc":"a","epoch":"1.1","rev":1,"text":""# + text + "\","))
        #expect(event.hasSuffix("}"))
        #expect(try line(from: client) == "")
    }

    private func readOverWebSocket(_ client: Client) throws {
        try client.send(
            "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
        while try line(from: client) != "" {}
        // The mask is 0.
        func send(_ message: String) throws {
            try client.send([0x81, 0x80 | UInt8(message.utf8.count), 0, 0, 0, 0] + Array(message.utf8))
        }
        try send(#"{"type":"hello","protocol":1,"client":"other-client"}"#)
        let header = try client.receive(4)
        _ = try client.receive(Int(header[2]) << 8 | Int(header[3]))
        try send(#"{"type":"read","id":2,"doc":"a"}"#)
        let long = try client.receive(10)
        #expect(long[0] == 0x81 && long[1] == 127)
        #expect(long[2...].reduce(0) { $0 << 8 | Int($1) } == Self.line.utf8.count)
        #expect(try client.receive(text: Self.line.utf8.count) == Self.line)
        // The connection goes on.
        try send(#"{"type":"ping","id":1}"#)
        #expect(try client.receive(text: 24).contains("pong"))
    }

    private func readOverHTTP(_ client: Client, _ accept: String) throws {
        let isText = accept == "text/plain"
        let expected = isText ? Self.text : Self.line.replacing(#""id":2,"#, with: "") + "\n"
        #expect(try response(to: "GET /docs/a", "Accept: \(accept)\r\n\r\n", client) == expected)
    }

    /// The text to append comes after the long one, on a line of its own.
    private func append(_ client: Client) throws {
        let fields = "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\nmore"
        #expect(try response(to: "POST /append/a", fields, client).hasPrefix(#"{"type":"ack""#))
        let text = try response(to: "GET /docs/a", "Accept: text/plain\r\n\r\n", client)
        #expect(text == Self.text + "\nmore")
    }

    /// The body of a response. `rest` has the further fields of the request, and what follows them.
    private func response(to request: String, _ rest: String, _ client: Client) throws -> String {
        try client.send("\(request) HTTP/1.1\r\nHost: localhost\r\n\(rest)")
        var length = 0
        while true {
            let field = try line(from: client)
            if field.hasPrefix("Content-Length: ") { length = Int(field.dropFirst(16)) ?? 0 }
            if field == "" { break }
        }
        return try client.receive(text: length)
    }
}
