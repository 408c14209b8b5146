import CaretConfig
import TestSupport
import Testing

@Suite("The reader of JSON5") struct JSON5Tests {
    @Test(
        "valid JSON5 is parsed",
        arguments: [
            ("{}", "{}"), (" [ ] ", "[]"), ("null", "null"), ("[true,false,]", "[true,false]"),
            ("{a:1,}", #"{"a":1}"#), ("{'a b':1,\"c\":2}", #"{"a b":1,"c":2}"#),
            ("{$_ä1\u{200D}:1, null:2, true:3}", "{\"$_ä1\\u200d\":1,\"null\":2,\"true\":3}"),
            (#"{\u0061b:1}"#, #"{"ab":1}"#), ("{'':1}", #"{"":1}"#),
            ("// no\n[1 /* one */,\r\n2]//", "[1,2]"), ("/**/1/* * / **/", "1"), ("1// to the end", "1"),
            ("\u{FEFF}\u{A0}\u{2003}\u{B}\u{C}1\u{2028}", "1"), ("//\u{2028}1", "1"),
            (
                "[+1,-1,.5,5.,0x1F,0XfF,-0x10,1e3,1.5E+1,25e-1,0,-0]",
                "[1,-1,.5?,5,31,255,-16,1000,15,25e-1?,0,0]"
            ),
            ("[Infinity,-Infinity,+NaN,1e999]", "[Infinity?,-Infinity?,+NaN?,1e999?]"),
            ("9007199254740991", "9007199254740991"), ("9007199254740993", "9007199254740993?"),
            (#"'a"b'"#, #""a\"b""#), (#""a'b""#, #""a'b""#), ("'\t'", #""\t""#),
            (#"'\b\f\n\r\t\v\0\x41\u00e4\'\"\\\/\q'"#, #""\u0008\u000c\n\r\t\u000b\u0000Aä'\"\\/q""#),
            (#"'\ud83d\ude00'"#, #""😀""#), ("'a\\\nb\\\r\nc\\\u{2029}d'", #""abcd""#),
            ("'\u{2028}'", #""\u2028""#),
        ])
    func accepted(text: String, value: String) throws {
        #expect(try JSON5Reader.read(Array(text.utf8)).written == value)
    }

    @Test(
        "invalid JSON5 is refused with a position and a message",
        arguments: [
            ("", "1:1: the text ends, expected a value"),
            ("// no\n", "2:1: the text ends, expected a value"),
            ("{a:1", "1:1: the object that begins here is not closed"),
            ("[[1],\n [", "2:2: the array that begins here is not closed"),
            ("{a", "1:3: the text ends, expected ':'"),
            ("{a:", "1:4: the text ends, expected a value"),
            ("1 /* no", "1:3: the comment that begins here is not closed"),
            ("{a:'b}", "1:4: the string that begins here is not closed"),
            ("'a\\", "1:1: the string that begins here is not closed"),
            ("'a\nb'", "1:3: a string must not contain a line break; write \\n instead"),
            ("{a:1 b:2}", "1:6: found 'b', expected ',' or '}'"),
            ("[1 2]", "1:4: found '2', expected ',' or ']'"),
            ("[1,,2]", "1:4: found ',', expected a value"), ("[,]", "1:2: found ',', expected a value"),
            ("{,}", "1:2: found ',', expected a key"), ("{1:1}", "1:2: found '1', expected a key"),
            ("{a-b:1}", "1:3: found '-', expected ':'"), ("{a 1}", "1:4: found '1', expected ':'"),
            ("{} {}", "1:4: found '{', expected the end of the text"),
            ("1 1", "1:3: found '1', expected the end of the text"),
            ("[\0]", "1:2: found U+0000, expected a value"),
            ("[\u{202E}]", "1:2: found U+202E, expected a value"),
            ("[\u{1F600}]", "1:2: found '😀', expected a value"), ("#", "1:1: found '#', expected a value"),
            ("\r\n\r/", "3:1: found '/', expected a value"),
            ("{a: yes}", "1:5: found \"yes\", expected a value; a string needs quotes"),
            ("True", "1:1: found \"True\", expected a value; a string needs quotes"),
            ("{a:1,\n 'b':2,\n \"a\":3}", "3:2: the key \"a\" exists already, at 1:2"),
            (#"{a:{b:1,\u0062:2}}"#, "1:9: the key \"b\" exists already, at 1:5"),
            (#"'\u12'"#, "1:2: unknown escape; write \\\\ for a backslash"),
            (#"'\xg0'"#, "1:2: unknown escape; write \\\\ for a backslash"),
            (#"'\1'"#, "1:2: unknown escape; write \\\\ for a backslash"),
            (#"'\01'"#, "1:2: unknown escape; write \\\\ for a backslash"),
            (#"{\x61:1}"#, "1:2: unknown escape; write \\\\ for a backslash"),
            (#"{\u0031:1}"#, "1:2: unknown escape; write \\\\ for a backslash"),
            (#"{\"#, "1:2: unknown escape; write \\\\ for a backslash"),
            (#"'\ud800'"#, "1:2: half of a surrogate pair is not a character"),
            (#"'\ud800\u0041'"#, "1:2: half of a surrogate pair is not a character"),
            (#"'\udc00'"#, "1:2: half of a surrogate pair is not a character"),
            ("010", "1:1: \"010\" is not a number"), ("[.]", "1:2: \".\" is not a number"),
            ("+ 1", "1:1: \"+\" is not a number"), ("--1", "1:1: \"-\" is not a number"),
            ("1e", "1:1: \"1e\" is not a number"), ("1.2.3", "1:1: \"1.2.3\" is not a number"),
            ("0x", "1:1: \"0x\" is not a number"), ("0xg", "1:1: \"0xg\" is not a number"),
            ("1_000", "1:1: \"1_000\" is not a number"), ("25MiB", "1:1: \"25MiB\" is not a number"),
            ("1e5.5", "1:1: \"1e5.5\" is not a number"), ("-infinity", "1:1: \"-infinity\" is not a number"),
            ("\u{661}", "1:1: found '\u{661}', expected a value"),
            ("1\u{661}", "1:1: \"1\u{661}\" is not a number"),
        ])
    func refused(text: String, sentence: String) {
        #expect(fault(Array(text.utf8)) == sentence)
    }

    @Test("invalid UTF-8 is refused at its first byte")
    func notUTF8() {
        for bad: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            #expect(
                fault(Array("{\n 'ä".utf8) + bad + Array("'}".utf8)) == "2:4: this byte is not valid UTF-8")
        }
    }

    @Test("texts are accepted up to the limits of depth and length, not beyond")
    func bounds() {
        let deep = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(fault(Array(deep.utf8)) == nil)
        #expect(fault(Array("[\(deep)]".utf8)) == "1:17: there are more than 16 levels of arrays and objects")
        #expect(
            fault(Array(String(repeating: "{a:[", count: 50_000).utf8))
                == "1:33: there are more than 16 levels of arrays and objects")
        let long = [UInt8](repeating: UInt8(ascii: " "), count: JSON5Reader.longest - 1) + [UInt8(ascii: "1")]
        #expect(fault(long) == nil)
        #expect(fault([32] + long) == "1:1: the text has 262145 bytes; at most 262144 are allowed")
    }

    @Test(
        "the longest allowed text is parsed quickly",
        arguments: ["'", "\\", "1", "a", "/*", "[", "{a:"])
    func longTexts(piece: String) {
        let count = JSON5Reader.longest / piece.utf8.count - 2
        let clock = ContinuousClock()
        let time = clock.measure {
            _ = fault(Array("[".utf8) + Array(String(repeating: piece, count: count).utf8))
        }
        #expect(time < .seconds(5))
    }

    @Test("a truncated text or a changed byte never crashes the reader")
    func mutated() {
        let text = Array(
            #"{a:[+1,0x1F,.5e3,{'ä\u00e4\ud83d\ude00':"b\"\x41"}],/*c*/$:null,//d"# + "\n b:-Infinity,}")
        let bytes = text.flatMap { Array(String($0).utf8) }
        #expect(fault(bytes) == nil)
        var answers = 0
        for index in bytes.indices {
            _ = fault(Array(bytes[..<index]))
            _ = fault(Array(bytes[..<index] + bytes[(index + 1)...]))
            _ = fault(Array(bytes[...index] + bytes[index...]))
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = byte
                _ = fault(changed)
                answers += 1
            }
        }
        #expect(answers == bytes.count * 256)
    }

    @Test("random valid JSON5 has the same value as its compact form")
    func pieces() throws {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "'", "\"", "\\", "a", "b", "1", "+", "0x", ".", "e", "null", "true",
            "\n", "//",
            "/*", "*/", " ", "'x'", "a:", "{a:1}", "[1,]", "\\u00e4", "\u{FEFF}", "😀",
        ]
        var read = 0
        for seed in Seeds.first(Seeds.share(of: 200_000, everyCommit: 20_000)) {
            var random = Seeded(seed)
            let text = (0..<random.number(1...8)).map { _ in random.pick(pieces) }.joined()
            guard let value = try? JSON5Reader.read(Array(text.utf8)) else { continue }
            read += 1
            let compact = value.written
            if compact.contains("?") { continue }
            #expect(
                try JSON5Reader.read(Array(compact.utf8)).written == compact,
                "\(Seeds.replay(seed, of: "pieces"))")
        }
        #expect(read > Seeds.slowed(100))
    }

    private func fault(_ bytes: [UInt8]) -> String? {
        do {
            _ = try JSON5Reader.read(bytes)
            return nil
        } catch {
            return "\(error.position): \(error)"
        }
    }
}

extension JSON5Value {
    /// The value as compact JSON. A number that is not whole is shown as it was written, followed by a
    /// question mark.
    fileprivate var written: String {
        switch kind {
        case .null: "null"
        case .boolean(let claim): "\(claim)"
        case .number(let number): number.whole.map(String.init) ?? number.written + "?"
        case .string(let text): text.quoted
        case .array(let items): "[\(items.map(\.written).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { $0.key.quoted + ":" + $0.value.written }.joined(separator: ","))}"
        }
    }
}
