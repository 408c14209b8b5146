import CaretCore
import CaretWire
import FoundationEssentials
import TestSupport

/// A message in Caret's own types, and in types for Foundation's coders.
struct WireSample {
    let name: String
    /// The line without its line break.
    let line: [UInt8]
    let encode: (inout JSONWriter) -> Void
    let decode: ([UInt8], inout MessageDecoder) -> Void
    let decodeWithFoundation: (Data) -> Void
    let encodeWithFoundation: () -> Void

    init<Plain: Codable>(
        _ name: String, plain: Plain.Type, encode: @escaping (inout JSONWriter) -> Void,
        decode: @escaping ([UInt8], inout MessageDecoder) -> Void
    ) {
        self.name = name
        self.encode = encode
        self.decode = decode
        var writer = JSONWriter()
        encode(&writer)
        line = writer.bytes.dropLast()
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        encoder.outputFormatting = .withoutEscapingSlashes
        decodeWithFoundation = { data in consume(mustSucceed { try decoder.decode(Plain.self, from: data) }) }
        let message = mustSucceed { try decoder.decode(Plain.self, from: Data(writer.bytes)) }
        encodeWithFoundation = { consume(mustSucceed { try encoder.encode(message) }) }
    }

    /// A message from a client, which the server decodes.
    static func client<Plain: Codable>(
        _ name: String, _ message: ClientMessage, id: RequestID? = nil, plain: Plain.Type
    ) -> WireSample {
        WireSample(name, plain: plain) {
            message.encode(id: id, into: &$0)
        } decode: { line, decoder in
            consume(mustSucceed { try decoder.clientMessage(line) })
        }
    }

    /// A message from the server, which a client decodes.
    static func server<Plain: Codable>(
        _ name: String, _ message: ServerMessage, id: RequestID? = nil, plain: Plain.Type
    ) -> WireSample {
        WireSample(name, plain: plain) {
            message.encode(id: id, into: &$0)
        } decode: { line, decoder in
            consume(mustSucceed { try decoder.serverMessage(line) })
        }
    }

    static var all: [WireSample] {
        [push, wholeText(.ascii), wholeText(.letters), select, ack, change, peer, ping]
    }

    static var push: WireSample {
        let edit = WireEdit(WireRange(1012, 1015), "abcdefg")
        return client(
            "push, one edit",
            .push(
                Push(
                    document: "notes/today", epoch: "e7", base: 1050, seq: 4, content: .edits([edit]))),
            id: .number(2), plain: PlainPush.self)
    }

    private enum Script {
        case ascii, letters
    }

    private static func wholeText(_ script: Script) -> WireSample {
        var random = Seeded(1)
        var text = SampleText.lines(bytes: 100_000, &random)
        if script == .letters {
            text = String(text.map { $0 == "a" ? "é" : $0 == "e" ? "日" : $0 }.prefix(90_000))
        }
        return client(
            script == .ascii ? "push, whole text" : "push, whole text, not ASCII",
            .push(
                Push(
                    document: "notes/today", epoch: "e7", base: 1050, seq: 4,
                    content: .text(WireString(text)))),
            id: .number(3), plain: PlainPush.self)
    }

    private static var select: WireSample {
        client(
            "select",
            .select(
                Select(document: "notes/today", revision: 1051, selections: [WireSelection(5, 9)])),
            plain: PlainSelect.self)
    }

    private static var ack: WireSample {
        server(
            "ack", .ack(Ack(document: "notes/today", seq: 4, revision: 1053)), id: .number(2),
            plain: PlainAck.self)
    }

    private static var change: WireSample {
        server(
            "change",
            .change(
                WireChange(
                    document: "notes/today", revision: 1051,
                    origin: .one(
                        WireChange.Author(user: "bob", client: "p-81c2", time: 1_790_000_000_000)),
                    edits: [WireEdit(WireRange(12, 15), "abc")])),
            plain: PlainChange.self)
    }

    private static var peer: WireSample {
        server(
            "peer",
            .peer(
                PeerChange(
                    document: "notes/today", session: "s9",
                    news: .selected(
                        revision: 1053, selections: [WireSelection(7, 11)], introduction: nil))),
            plain: PlainPeer.self)
    }

    private static var ping: WireSample {
        client("ping", .ping(Ping()), id: .number(9), plain: PlainPing.self)
    }
}

/// The same messages as types for Foundation's coders.
private struct PlainEdit: Codable {
    let range: [Int]
    let text: String
}

private struct PlainPush: Codable {
    let type: String
    let id: Int?
    let doc: String
    let epoch: String?
    let base: Int
    let seq: Int
    let edits: [PlainEdit]?
    let text: String?
}

private struct PlainSelect: Codable {
    let type: String
    let doc: String
    let rev: Int
    let selections: [[Int]]
}

private struct PlainAck: Codable {
    let type: String
    let id: Int?
    let doc: String
    let seq: Int
    let rev: Int
}

private struct PlainChange: Codable {
    let type: String
    let doc: String
    let rev: Int
    let edits: [PlainEdit]
    let user: String
    let client: String
    let time: Int
}

private struct PlainPeer: Codable {
    let type: String
    let doc: String
    let session: String
    let rev: Int
    let selections: [[Int]]
}

private struct PlainPing: Codable {
    let type: String
    let id: Int?
}
