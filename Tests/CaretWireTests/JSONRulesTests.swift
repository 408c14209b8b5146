import CaretWire
import Testing

/// If a line is valid JSON but not a message, the error is another one than `bad_json`. So these tests count
/// every line with another error as accepted JSON.
@Suite("The rules of JSON") struct JSONRulesTests {
    @Test("each example in json.txt is accepted or refused as the file says")
    func rules() throws {
        let cases = try WireFixture.lines(of: "json.txt").map { try #require(JSONCase($0)) }
        #expect(cases.count > 200)
        for one in cases {
            #expect(one.answer == one.expected, "\(one.text)")
        }
    }

    @Test("if two keys of an object are equal, the error names the second one")
    func duplicatesAmongMany() {
        for count in [2, 15, 16, 17, 18, 31, 32, 33, 100, 1000] {
            let keys = (0..<count).map { "k\($0)" }
            #expect(fault(of: object(keys)) == nil)
            for (first, second) in [(0, count - 1), (count / 2, count - 1), (count - 2, count - 1)] {
                guard first < second else { continue }
                var twice = keys
                twice[second] = twice[first]
                #expect(fault(of: object(twice)) == place(of: second, in: twice), "\(count) keys")
                twice[second] = "\\u006b" + twice[first].dropFirst()
                #expect(fault(of: object(twice)) == place(of: second, in: twice), "\(count) keys, escaped")
            }
        }
    }

    @Test("a duplicate key is found among a million keys in one object")
    func millionKeys() {
        var keys = (0..<1_000_000).map { String($0, radix: 36) }
        let apart = #"{"skipped":"# + object(keys) + "}"
        #expect(fault(of: apart) == nil)
        keys[999_999] = keys[3]
        let shift = #"{"skipped":"#.utf8.count
        let together = #"{"skipped":"# + object(keys) + "}"
        #expect(fault(of: together) == place(of: 999_999, in: keys) + shift)
    }

    @Test("a duplicate key is found among a hundred thousand escaped keys")
    func escapedKeys() {
        var keys = (0..<100_000).map { "\\u0061\($0)" }
        #expect(fault(of: object(keys)) == nil)
        keys[99_999] = "a7"
        #expect(fault(of: object(keys)) == place(of: 99_999, in: keys))
    }

    @Test("keys are compared within each object only")
    func manyObjects() {
        let inner = object((0..<40).map { "k\($0)" })
        let line = object((0..<2000).map { "o\($0)" }, values: inner)
        #expect(fault(of: line) == nil)
    }

    @Test("a string is decoded with escapes at any index")
    func escapesAnywhere() {
        let escapes = [
            (#"\n"#, "\n"), (#"\""#, "\""), (#"\/"#, "/"), (#"\u00e9"#, "é"), (#"\ud83d\ude00"#, "😀"),
        ]
        for length in 0...70 {
            for index in 0...length {
                let (escape, character) = escapes[(length + index) % escapes.count]
                let (start, end) = (letters(index), letters(length - index))
                let written = start + escape + end + escape
                let text = WireString(start + character + end + character)
                // The text is the longest string of the line, or another string is longer.
                for other in ["", String(repeating: "-", count: 99)] {
                    let line =
                        #"{"type":"push","doc":"a","base":0,"seq":1,"text":"\#(written)","other":"\#(other)"}"#
                    #expect(pushedText(line) == text, "\(line)")
                }
            }
        }
    }

    private func pushedText(_ line: String) -> WireString? {
        guard case .push(let push)? = decoded(line).value?.message, case .text(let text) = push.content else {
            return nil
        }
        return text
    }

    /// Letters of one and of two bytes.
    private func letters(_ count: Int) -> String {
        (0..<count).map { index in index % 7 == 3 ? "é" : "a" }.joined()
    }

    @Test("a fault shows any byte as printable ASCII")
    func faultsAreReadable() {
        let found = (0...UInt8.max).map { JSONCase.fault(of: [0x7B, $0])?.message ?? "" }
        #expect(found[0x21] == "byte 1: expected a key in quotes, found '!'")
        #expect(found[0x01] == "byte 1: expected a key in quotes, found the byte 0x01")
        #expect(found[0x7F] == "byte 1: expected a key in quotes, found the byte 0x7F")
        #expect(found[0x80] == "byte 1: the bytes are not UTF-8")
        #expect(found.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } })
    }

    private func object(_ keys: [String], values: String = "0") -> String {
        "{" + keys.map { "\"\($0)\":\(values)" }.joined(separator: ",") + "}"
    }

    /// Where the key with this index begins in the line, in an object with short values.
    private func place(of number: Int, in keys: [String]) -> Int {
        2 + keys[..<number].reduce(0) { $0 + $1.utf8.count + 5 }
    }

    /// The byte of the fault; nil if the line is JSON.
    private func fault(of line: String) -> Int? {
        JSONCase.fault(of: Array(line.utf8)).map { fault in
            #expect(fault.message == "byte \(fault.byte): this key occurs twice in its object")
            return fault.byte
        }
    }
}

/// A line of `json.txt`.
private struct JSONCase {
    enum Answer: Equatable {
        case accepted
        case refused(byte: Int, reason: String)
    }

    let text: String
    let expected: Answer
    private let line: [UInt8]

    init?(_ text: String) {
        self.text = text
        guard let blanks = text.firstRange(of: "  ") else { return nil }
        line = WireFixture.bytes(text[blanks.upperBound...])
        let words = text[..<blanks.lowerBound].split(separator: " ")
        switch (words.first, words.count) {
        case ("accept", 1): expected = .accepted
        case ("refuse", 3):
            guard let byte = Int(words[1]) else { return nil }
            expected = .refused(byte: byte, reason: String(words[2]))
        default: return nil
        }
    }

    var answer: Answer {
        guard let fault = JSONCase.fault(of: line) else { return .accepted }
        return .refused(byte: fault.byte, reason: JSONCase.reason(of: fault))
    }

    static func fault(of line: [UInt8]) -> WireFault? {
        guard let fault = decoded(line).fault, fault.code == .badJSON else { return nil }
        return fault
    }

    /// The name of the reason, derived from words of the error message.
    private static func reason(of fault: WireFault) -> String {
        let reasons = [
            "expected": "wanted", "not UTF-8": "notUTF8", "byte order mark": "byteOrderMark",
            "must be escaped": "controlCharacter", "does not define this escape": "badEscape",
            "not part of a pair": "loneSurrogate", "leading zeros": "leadingZero",
            "an integer must": "integerOutOfRange", "a number must lie": "numberOutOfRange",
            "more than 32 levels": "tooDeep", "occurs twice": "duplicateKey",
        ]
        return reasons.first { fault.message.contains($0.key) }?.value ?? fault.message
    }
}
