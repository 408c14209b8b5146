import Foundation
import Testing

/// Another client of the document that the tutorial's clients edit. It inserts letters at the start, all
/// different.
struct LetterWriter {
    static let document = "notes"

    private var client: LineClient
    private var epoch = ""
    /// The revision of the last ack. The base of a later push must not be lower.
    private var base = 0
    private var seq = 1
    private var unused: ArraySlice<Unicode.Scalar> = LetterWriter.letters(from: "ꀀ", 100)[...]
    private(set) var acked: [Unicode.Scalar] = []

    /// `count` different letters, in order.
    static func letters(from first: Unicode.Scalar, _ count: Int) -> [Unicode.Scalar] {
        (0..<UInt32(count)).compactMap { Unicode.Scalar(first.value + $0) }
    }

    init(_ server: LiveServer, creating text: String) throws {
        client = try LineClient(server)
        try client.greet(as: "letter-writer")
        try client.send(
            #"{"type":"push","doc":"\#(Self.document)","base":0,"seq":1,"text":"\#(text)","create":true}"#)
        base = try #require(try answer("ack")["rev"] as? Int)
        try open()
    }

    /// Pushes one letter, and waits for the ack.
    mutating func type() throws { try resume(with: send()) }

    /// Pushes the next letter, and does not wait for the ack. Returns the line.
    mutating func send() throws -> String {
        let letter = try #require(unused.first)
        seq += 1
        let line =
            #"{"type":"push","doc":"\#(Self.document)","epoch":"\#(epoch)","base":\#(base),"seq":\#(seq),"#
            + #""edits":[{"range":[0,0],"text":"\#(letter)"}]}"#
        try client.send(line)
        return line
    }

    /// Connects to the new server, and sends the unanswered push again.
    mutating func resume(on server: LiveServer, with line: String) throws {
        client = try LineClient(server)
        try client.greet(as: "letter-writer")
        try open()
        try client.send(line)
        try resume(with: line)
    }

    private mutating func resume(with line: String) throws {
        let ack = try answer("ack")
        try #require(ack["seq"] as? Int == seq, "\(line)")
        base = try #require(ack["rev"] as? Int)
        acked.append(unused.removeFirst())
    }

    private mutating func open() throws {
        try client.send(#"{"type":"open","doc":"\#(Self.document)"}"#)
        epoch = try #require(try answer("opened")["epoch"] as? String)
    }

    /// The committed text and its revision.
    mutating func read() throws -> (text: String, revision: Int) {
        try client.send(#"{"type":"read","doc":"\#(Self.document)"}"#)
        let read = try answer("text")
        return (try #require(read["text"] as? String), try #require(read["rev"] as? Int))
    }

    /// The next message of a type. Skips messages about other clients before it.
    private func answer(_ type: String) throws -> [String: Any] {
        while let line = try client.next() {
            let message = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if message?["type"] as? String == type { return message ?? [:] }
            if message?["type"] as? String == "error" { throw Unexpected(line) }
        }
        throw Unexpected("the server is gone")
    }
}
