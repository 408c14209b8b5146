import CaretCore
import CaretWeb
import CaretWire
import Testing

@Suite("A request's body as a part of a message") struct BodyFrameTests {
    private static let push = Push(
        document: "a \"quoted\" name", epoch: "k2v9.1", base: 7, seq: 3, content: .edits([]), wantsText: true,
        exact: true)

    /// The message for a body that arrives in pieces, cut at these places.
    private static func message(_ frame: BodyFrame, _ body: [UInt8], cutAt cuts: [Int]) -> [UInt8] {
        var (frame, message, start) = (frame, frame.start, 0)
        for end in cuts + [body.count] {
            body[start..<end].withUnsafeBytes { message += frame.bytes(for: $0) }
            start = end
        }
        return message + frame.end()
    }

    /// The message for the whole body. Expects the same message wherever the body is cut.
    private static func message(_ frame: BodyFrame, _ body: [UInt8]) -> [UInt8] {
        let whole = message(frame, body, cutAt: [])
        let cuts = body.indices.dropFirst().map { [$0] } + [Array(body.indices.dropFirst())]
        for cuts in cuts {
            #expect(message(frame, body, cutAt: cuts) == whole, "cut at \(cuts.prefix(3))")
        }
        return whole
    }

    /// The push in a message, or the code of its fault.
    private static func decoded(_ message: [UInt8]) throws -> Push {
        var decoder = MessageDecoder()
        let envelope = try decoder.clientMessage(message)
        guard case .push(let push) = envelope.message else {
            throw WireFault(.unknownType, "\(envelope.message)", byte: 0)
        }
        return push
    }

    private static let texts: [String] = [
        "", "agenda", "\"quoted\" \\ \"", "one\r\ntwo\rthree\n", "\r", "\r\n",
        "a\tb\u{8}\u{C}\u{1}\u{1F}\u{7F}",
        "a\0b", "\u{1F600} and \u{1F468}\u{200D}\u{1F469}", "e\u{301}\u{E9}", "\u{FEFF}", "\u{2028}\u{2029}",
        #"","text":"x"}"#, String(repeating: "\n\"", count: 50), #"\u0041"#,
    ]

    /// The push in a message whose other bytes are a text.
    private static func pushed(_ frame: BodyFrame, _ body: [UInt8]) throws -> (push: Push, text: String) {
        let (message, head) = (message(frame, body), try #require(frame.head))
        return (try decoded(Array(message[..<head])), String(decoding: message[head...], as: UTF8.self))
    }

    @Test("a text as body becomes the text of the push", arguments: texts)
    func text(text: String) throws {
        var expected = Self.push
        expected.content = .text("")
        #expect(try Self.pushed(BodyFrame(text: Self.push), Array(text.utf8)) == (expected, text))
    }

    @Test(
        "text to insert gets LF for every line break",
        arguments: [
            ("", ""), ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("\r\r\n\n\r", "\n\n\n\n"), ("\"\\\0", "\"\\\0"),
            ("\r\n\r\n", "\n\n"), ("\u{1F600}\r", "\u{1F600}\n"),
        ])
    func insertion(text: String, inserted: String) throws {
        for opening in ["", "\n"] {
            let frame = BodyFrame(inserting: Self.push, at: 12, after: opening)
            var expected = Self.push
            expected.content = .edits([WireEdit(WireRange(12, 12), "")])
            #expect(try Self.pushed(frame, Array(text.utf8)) == (expected, opening + inserted))
        }
    }

    @Test(
        "bytes that are not UTF-8 are refused",
        arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]])
    func notUTF8(bytes: [UInt8]) throws {
        let body = Array("{\"".utf8) + bytes + Array("\":1}".utf8)
        #expect(throws: WireFault.self) { try Self.decoded(Self.message(BodyFrame(edits: Self.push), body)) }
        for frame in [BodyFrame(text: Self.push), BodyFrame(inserting: Self.push, at: 0, after: "")] {
            var frame = frame
            _ = body.withUnsafeBytes { frame.bytes(for: $0) }
            #expect(frame.wrongByte(isAtEnd: true) != nil)
        }
    }

    private static let edit = #"{"range":[0,1],"text":"x}"}"#
    private static let blanks = String(repeating: " ", count: 50)

    @Test(
        "the fields of an object in the body become fields of the push",
        arguments: [
            #"{"edits":[\#(edit)]}"#, " \r\n\t{ \"edits\" : [\(edit)] } \r\n",
            #"{"other":{},"edits":[\#(edit)]}"#,
            #"{"edits":[\#(edit)]}\#(blanks)"#, #"{"edits":[\#(edit)],"other":"}    {"}"#,
            #"{"other":[{},{"a":{}}],"edits":[\#(edit)]\#(blanks)}"#,
        ])
    func object(body: String) throws {
        let message = Self.message(BodyFrame(edits: Self.push), Array(body.utf8))
        var expected = Self.push
        expected.content = .edits([WireEdit(WireRange(0, 1), "x}")])
        #expect(try Self.decoded(message) == expected)
    }

    @Test(
        "a body that is not one object with edits is refused",
        arguments: [
            ("", "bad_json"), (" \n", "bad_json"), ("{}", "bad_message"), ("{ }", "bad_message"),
            ("{", "bad_json"), ("}", "bad_json"), ("{{}", "bad_json"), ("{}}", "bad_json"),
            ("[]", "bad_json"),
            ("[{}]", "bad_json"), ("null", "bad_json"), ("\u{FEFF}{}", "bad_json"),
            (#"{"edits":[]"#, "bad_json"), (#"{"edits":[],}"#, "bad_json"), (#"{"edits":[]}{}"#, "bad_json"),
            (#"{"edits":[]} {"edits":[]}"#, "bad_json"), (#"{"edits":[]}x"#, "bad_json"),
            (#"{"edits":[],"doc":"b"}"#, "bad_json"), (#"{"type":"push","edits":[]}"#, "bad_json"),
            (#"{"edits":[],"type":"delete"}"#, "bad_json"), (#"{"edits":[],"seq":9}"#, "bad_json"),
            (#"{"edits":[],"epoch":"k","base":1}"#, "bad_json"),
            (#"{"edits":[],"d\u006fc":"b"}"#, "bad_json"),
            (#"{"edits":[],"text":"x"}"#, "bad_message"), (#"{"edits":{}}"#, "bad_message"),
            (#"{"edits":[],"a":"}"#, "bad_json"), (#"{"edits":[],"a":{}"#, "bad_json"),
            (#"{"edits":[],"a":"{}"#, "bad_json"), (#"{"a{}"#, "bad_json"), (#"{"a":"\}"#, "bad_json"),
            // More blanks than these could be the end of an object inside the body.
            (#"{"edits":[]}"# + String(repeating: " ", count: 1_000), "bad_message"),
        ])
    func badObject(body: String, code: String) throws {
        let message = Self.message(BodyFrame(edits: Self.push), Array(body.utf8))
        let fault = try #require(throws: WireFault.self) { try Self.decoded(message) }
        #expect(fault.code.rawValue == code, "\(fault.message)")
    }

    @Test("the end of a body cannot change the fields that the server adds")
    func endings() throws {
        // Whatever comes before the last `}`, the message is this push, or no message at all.
        for start in [
            #"{"edits":[]"#, #"{"edits":[],"a":"#, #"{"edits":[],"a":""#, #"{"a":[{"#, "{", "{{", "[",
        ] {
            for end in ["", ",", "\"", "\\", "{", "[", ":", " ", "\"a\":", "\\u", "1"] {
                let message = Self.message(BodyFrame(edits: Self.push), Array((start + end + "}").utf8))
                guard var push = try? Self.decoded(message) else { continue }
                push.content = Self.push.content
                #expect(push == Self.push, "\(start)\(end)}")
            }
        }
    }
}
