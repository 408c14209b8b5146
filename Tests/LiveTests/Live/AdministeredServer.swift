import Foundation
import Testing

/// A server with two clients: one sends the requests of an administrator, and Ann writes.
final class AdministeredServer {
    let live: LiveServer
    let admin: any MessageClient
    let ann: any MessageClient

    convenience init(over transport: Transport) throws { try self.init(LiveServer(over: transport)) }

    init(_ server: LiveServer) throws {
        live = server
        admin = try server.connect()
        try admin.greet(as: "the-admin")
        ann = try server.connect()
        try ann.greet(as: "ann-client")
    }

    func ask(_ line: String) throws -> String {
        try admin.send(line)
        return try #require(try admin.next())
    }

    /// All counters by name. The value of a latency is the number of its measurements.
    func counted() throws -> [String: Int] {
        let line = try ask(#"{"type":"counters"}"#)
        try #require(line.hasPrefix(#"{"type":"counted","since":"#), "\(line)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        var result: [String: Int] = [:]
        for (key, value) in [("counters", "value"), ("latencies", "count")] {
            for row in try #require(object[key] as? [[String: Any]]) {
                result[try #require(row["name"] as? String)] = try #require(row[value] as? Int)
            }
        }
        return result
    }

    /// Reads all counters, again and again until `isSo` is true for them. The server may send a message
    /// before it counts that message.
    func counted(until isSo: ([String: Int]) -> Bool) throws -> [String: Int] {
        var counts = try counted()
        for _ in 0..<10_000 where !isSo(counts) { counts = try counted() }
        return counts
    }

    /// Creates a document with these texts, one per revision.
    func write(_ name: String, _ texts: String...) throws {
        try ann.send(#"{"type":"open","doc":"\#(name)","create":true}"#)
        let opened = try #require(try ann.next())
        let parts = try #require(Pattern(#"{"type":"opened","doc":"…","epoch":"⟨epoch⟩",…"#).matches(opened))
        for (index, text) in texts.enumerated() {
            try ann.send(
                #"{"type":"push","doc":"\#(name)","epoch":"\#(parts["epoch"] ?? "")","base":\#(index),"seq":\#(index + 1),"text":"\#(text)"}"#
            )
            try ann.expect(#"{"type":"ack","doc":"\#(name)","seq":\#(index + 1),"rev":\#(index + 1),…"#)
        }
    }

    func epoch(of name: String) throws -> String {
        let text = try ask(#"{"type":"read","doc":"\#(name)"}"#)
        let parts = Pattern(#"{"type":"text","doc":"\#(name)","epoch":"⟨epoch⟩",…"#).matches(text)
        return try #require(parts?["epoch"])
    }
}
