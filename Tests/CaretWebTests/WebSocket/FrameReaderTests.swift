import CaretWeb
import TestSupport
import Testing

@Suite("Reading frames of a WebSocket") struct FrameReaderTests {
    /// Reads the bytes in pieces that end at these places. Returns what was read, as words.
    private func reading(_ bytes: [UInt8], cutAt cuts: [Int] = []) -> [String] {
        var (reader, words, content) = (FrameReader(), [String](), [UInt8]())
        var start = 0
        do throws(FrameFault) {
            for end in cuts + [bytes.count] {
                var piece = Array(bytes[start..<end])[...]
                while true {
                    let (event, count) = try next(&reader, piece)
                    piece = piece.dropFirst(count)
                    guard let event else { break }
                    switch event {
                    case .content(let bytes): content += bytes
                    case .messageEnd:
                        words.append("message \(String(decoding: content, as: UTF8.self))")
                        content = []
                    case .ping(let bytes): words.append("ping \(String(decoding: bytes, as: UTF8.self))")
                    case .pong: words.append("pong")
                    case .close(let code): words.append("close \(code.map { "\($0.value)" } ?? "-")")
                    }
                }
                start = end
            }
        } catch {
            words.append("fault \(error.code.value)")
        }
        return words
    }

    private func next(
        _ reader: inout FrameReader, _ bytes: ArraySlice<UInt8>
    ) throws(FrameFault) -> (FrameReader.Event?, Int) {
        let result = bytes.withUnsafeBytes { input in
            var rest = input
            do throws(FrameFault) {
                let event = try reader.next(of: &rest)
                return Result<_, FrameFault>.success((event, input.count - rest.count))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static let hello = Array("Hello".utf8)
    private static let long = [UInt8](repeating: 0x61, count: 126)

    /// Each row has a name, the bytes of its frames, and what the reader returns. A fault has its close code.
    fileprivate static let table: [(String, [UInt8], [String])] = [
        ("a message", ClientFrames.message("Hello"), ["message Hello"]),
        ("an empty message", ClientFrames.message(""), ["message "]),
        ("a message of 125 bytes", ClientFrames.message(text(125)), ["message \(text(125))"]),
        ("a message of 126 bytes", ClientFrames.message(text(126)), ["message \(text(126))"]),
        ("a message of 65,535 bytes", ClientFrames.message(text(65_535)), ["message \(text(65_535))"]),
        ("a message of 65,536 bytes", ClientFrames.message(text(65_536)), ["message \(text(65_536))"]),
        (
            "a message of three frames",
            frame("He", first: 1) + frame("l", first: 0) + frame("lo", first: 0x80), ["message Hello"]
        ),
        (
            "a ping between the frames of a message",
            frame("He", first: 1) + frame("x", first: 0x89) + frame("llo", first: 0x80),
            ["ping x", "message Hello"]
        ),
        (
            "a character cut by a frame",
            ClientFrames.frame(1, [0xC3], first: 1) + ClientFrames.frame(0, [0xA4], first: 0x80),
            ["message ä"]
        ),
        ("a pong that nobody asked for", ClientFrames.frame(ClientFrames.pong, hello), ["pong"]),
        ("a ping of 125 bytes", frame(text(125), first: 0x89), ["ping \(text(125))"]),
        ("a close frame without content", ClientFrames.frame(8, []), ["close -"]),
        ("nothing after a close frame", ClientFrames.closing(1000) + [0xFF, 0xFF], ["close 1000"]),
        ("no mask", [0x81, 5] + hello, ["fault 1002"]),
        ("reserved bit 1", frame("x", first: 0xC1), ["fault 1002"]),
        ("reserved bit 2", frame("x", first: 0xA1), ["fault 1002"]),
        ("reserved bit 3", frame("x", first: 0x91), ["fault 1002"]),
        ("a binary message", frame("x", first: 0x82), ["fault 1003"]),
        ("opcode 3", frame("x", first: 0x83), ["fault 1002"]),
        ("opcode 7", frame("x", first: 0x87), ["fault 1002"]),
        ("opcode 11", frame("x", first: 0x8B), ["fault 1002"]),
        ("opcode 15", frame("x", first: 0x8F), ["fault 1002"]),
        ("a continuation of nothing", frame("x", first: 0x80), ["fault 1002"]),
        ("a message inside a message", frame("x", first: 1) + frame("y", first: 0x81), ["fault 1002"]),
        ("a ping in two frames", frame("x", first: 0x09), ["fault 1002"]),
        ("a close frame in two frames", frame("x", first: 0x08), ["fault 1002"]),
        ("a ping of 126 bytes", frame(text(126), first: 0x89), ["fault 1002"]),
        ("a short length in two bytes", [0x81, 0xFE, 0, 125, 1, 2, 3, 4], ["fault 1002"]),
        ("a short length in eight bytes", header([0, 0, 0, 0, 0, 0, 0xFF, 0xFF]), ["fault 1002"]),
        ("a length that begins with a 1 bit", header([0x80, 0, 0, 0, 0, 1, 0, 0]), ["fault 1002"]),
        ("text that is not UTF-8", ClientFrames.frame(1, [0x61, 0xFF]), ["fault 1007"]),
        ("text that ends inside a character", ClientFrames.frame(1, [0xC3]), ["fault 1007"]),
        ("a surrogate in UTF-8", ClientFrames.frame(1, [0xED, 0xA0, 0x80]), ["fault 1007"]),
        ("a close frame of one byte", ClientFrames.frame(8, [3]), ["fault 1002"]),
        (
            "a reason that is not UTF-8", ClientFrames.frame(8, [3, 0xE8, 0xFF]), ["fault 1007"]
        ),
        (
            "a reason that ends inside a character", ClientFrames.frame(8, [3, 0xE8, 0xC3]), ["fault 1007"]
        ),
        (
            "1,024 frames in a message",
            frame("x", first: 1) + (0..<1_022).flatMap { _ in frame("", first: 0) } + frame("", first: 0x80),
            ["message x"]
        ),
        (
            "1,025 frames in a message",
            frame("x", first: 1) + (0..<1_024).flatMap { _ in frame("", first: 0) }, ["fault 1009"]
        ),
    ]

    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }
    private static func frame(_ text: String, first: UInt8) -> [UInt8] {
        ClientFrames.frame(0, Array(text.utf8), first: first)
    }
    /// The header of a message with its length in eight bytes.
    private static func header(_ length: [UInt8]) -> [UInt8] { [0x81, 0xFF] + length + [1, 2, 3, 4] }

    @Test(
        "frames and faults do not depend on where the bytes are split",
        arguments: FrameReaderTests.table.indices)
    func frames(index: Int) {
        let (name, bytes, expected) = Self.table[index]
        // Long contents repeat one letter, so a sample of places is enough.
        let step = max(1, bytes.count / 100)
        let places = stride(from: 1, to: bytes.count, by: step) + Array(bytes.indices.dropFirst().prefix(20))
        for cuts in [[], Array(bytes.indices.dropFirst())] + places.map({ [$0] }) {
            #expect(reading(bytes, cutAt: cuts) == expected, "\(name), cut at \(cuts.prefix(3))")
        }
    }

    @Test("a close code is accepted only if a peer may send it")
    func closeCodes() {
        for code in 0...5_100 {
            let isValid =
                1000...1003 ~= code || 1007...1014 ~= code || 3000...4999 ~= code
            let expected = isValid ? "close \(code)" : "fault 1002"
            #expect(reading(ClientFrames.closing(code, "why")) == [expected])
        }
    }

    @Test("text is valid exactly if Swift's strings accept its bytes")
    func validity() {
        var random = Seeded(17)
        let bytes: [UInt8] = [
            0x00, 0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
            0xED,
            0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for first in bytes {
            for second in bytes {
                for third in bytes {
                    let text = [first, second, third, random.pick(bytes), random.pick(bytes)]
                    for length in 1...text.count { check(Array(text.prefix(length))) }
                }
            }
        }
    }

    private func check(_ text: [UInt8]) {
        let expected =
            String(validating: text, as: UTF8.self).map { "message \($0)" } ?? "fault 1007"
        let frame = ClientFrames.frame(1, text)
        #expect(reading(frame) == [expected], "\(text)")
        #expect(reading(frame, cutAt: Array(frame.indices.dropFirst())) == [expected], "\(text)")
    }

    @Test("random messages in random frames and pieces are read whole")
    func random() {
        var random = Seeded(29)
        for _ in 0..<200 {
            var (bytes, expected) = ([UInt8](), [String]())
            for _ in 0...random.number(0...4) {
                let text = String(
                    (0..<random.number(0...300)).map { _ in random.pick(["a", "ä", "字", "😀"]) }.joined())
                bytes += frames(of: Array(text.utf8), &random)
                expected.append("message \(text)")
            }
            let cuts = Set((0..<random.number(0...20)).map { _ in random.number(0...bytes.count) }).sorted()
            #expect(reading(bytes, cutAt: cuts) == expected)
        }
    }

    private func frames(of text: [UInt8], _ random: inout Seeded) -> [UInt8] {
        let cuts = (0..<random.number(0...3)).map { _ in random.number(0...text.count) }.sorted()
        let bounds = [0] + cuts + [text.count]
        return zip(bounds, bounds.dropFirst()).enumerated().flatMap { index, piece in
            let isLast = index == cuts.count
            let first: UInt8 = (isLast ? 0x80 : 0) | (index == 0 ? 1 : 0)
            let mask = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            return ClientFrames.frame(0, Array(text[piece.0..<piece.1]), first: first, mask: mask)
        }
    }
}
