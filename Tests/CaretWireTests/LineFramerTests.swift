import CaretWire
import TestSupport
import Testing

@Suite("Splitting received bytes into lines") struct LineFramerTests {
    @Test(
        "a line ends with LF or CR LF, and empty lines are ignored",
        arguments: [
            ("", []), ("\n", []), ("\r\n\n\r\n", []), ("a\n", ["a"]), ("a\r\nb\n", ["a", "b"]), ("a", []),
            ("a\rb\n", ["a\rb"]), ("a\r\r\n", ["a\r"]), ("\r\r\n", ["\r"]), (" \n", [" "]), ("é\n", ["é"]),
            ("a\n\nb\r\n\r\nc", ["a", "b"]), ("\ra\n", ["\ra"]),
        ] as [(String, [String])])
    func lines(text: String, lines: [String]) {
        let bytes = Array(text.utf8)
        for size in 1...max(1, bytes.count) {
            let heard = Heard(bytes, limit: 100, pieces: size)
            #expect(heard.lines == lines.map { Array($0.utf8) }, "in pieces of \(size)")
            #expect(heard.excess == nil)
        }
    }

    @Test("a line may have at most `limit` bytes, in one or several pieces")
    func limit() {
        for end in ["\n", "\r\n"] {
            for size in [1, 2, 3, 7, 100] {
                let fits = Heard(Array(("12345678" + end + "ab\n").utf8), limit: 8, pieces: size)
                #expect(fits.lines.count == 2 && fits.excess == nil)
                let over = Heard(Array(("ab\n123456789" + end + "cd\n").utf8), limit: 8, pieces: size)
                #expect(over.lines == [Array("ab".utf8)])
                #expect(over.excess ?? 0 >= 9)
            }
        }
    }

    @Test("a line over the limit is detected at the first excess byte")
    func excessIsKnownAtOnce() {
        var framer = LineFramer(limit: 4)
        #expect(framer.feed("1234") == .incomplete)
        #expect(framer.incompleteBytes == 4)
        // This byte may still be the CR of the line end.
        #expect(framer.feed("\r") == .incomplete)
        #expect(framer.feed("5") == .tooLong(6, limit: 4))
        #expect(framer.incompleteBytes == 0)
        #expect(framer.feed("\nab\n") == .tooLong(6, limit: 4))
    }

    @Test("the limit can be raised between two lines that arrive together")
    func raisedLimit() {
        var framer = LineFramer(limit: 5)
        let bytes = Array("hello\na longer line\n".utf8)
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            #expect(Outcome(framer.next(of: &rest, Array.init)) == .line(Array("hello".utf8)))
            framer.limit = 13
            #expect(Outcome(framer.next(of: &rest, Array.init)) == .line(Array("a longer line".utf8)))
            #expect(Outcome(framer.next(of: &rest, Array.init)) == .incomplete)
        }
    }

    @Test("a line that arrives in one piece is not copied")
    func wholeLineIsNotCopied() {
        var framer = LineFramer(limit: 100)
        Array("one\ntwo\r\nthr".utf8).withUnsafeBytes { bytes in
            var rest = bytes
            for start in [0, 4] {
                let frame = framer.next(of: &rest) { $0.baseAddress == bytes.baseAddress.map { $0 + start } }
                if case .line(let isInPlace) = frame { #expect(isInPlace) } else { Issue.record("no line") }
            }
            _ = framer.next(of: &rest) { _ in }
            #expect(framer.incompleteBytes == 3)
        }
    }

    @Test("bytes in random pieces give the same lines as all bytes at once")
    func randomPieces() {
        for seed in Seeds.first(Seeds.share(of: 100_000, everyCommit: 2000)) {
            var random = Seeded(seed)
            let bytes = (0..<random.number(0...200)).map { _ in random.pick(Array("ab\r\n\n\u{0}".utf8)) }
            let heard = Heard(bytes, limit: 1000) { random.number(1...20) }
            let replay = Seeds.replay(seed, of: "randomPieces")
            #expect(heard.lines == plainLines(bytes), "\(replay)")
        }
    }

    private func plainLines(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            .map { Array($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0) }.filter { !$0.isEmpty }
    }
}

/// The lines that a framer returns for bytes that arrive in pieces.
private struct Heard {
    private(set) var lines: [[UInt8]] = []
    private(set) var excess: Int?

    init(_ bytes: [UInt8], limit: Int, pieces size: Int) { self.init(bytes, limit: limit) { size } }

    init(_ bytes: [UInt8], limit: Int, nextSize: () -> Int) {
        var framer = LineFramer(limit: limit)
        var start = 0
        while start < bytes.count {
            let end = min(start + nextSize(), bytes.count)
            bytes[start..<end].withUnsafeBytes { piece in
                var rest = piece
                while case .line(let line) = note(framer.next(of: &rest, Array.init)) { lines.append(line) }
            }
            start = end
        }
    }

    private mutating func note(_ frame: LineFramer.Frame<[UInt8]>) -> LineFramer.Frame<[UInt8]> {
        if case .tooLong(let bytes, _) = frame { excess = bytes }
        return frame
    }
}

private enum Outcome: Equatable {
    case line([UInt8])
    case incomplete
    case tooLong(Int, limit: Int)

    init(_ frame: LineFramer.Frame<[UInt8]>) {
        switch frame {
        case .line(let line): self = .line(line)
        case .incomplete: self = .incomplete
        case .tooLong(let bytes, let limit): self = .tooLong(bytes, limit: limit)
        }
    }
}

extension LineFramer {
    fileprivate mutating func feed(_ text: String) -> Outcome {
        Array(text.utf8).withUnsafeBytes { bytes in
            var rest = bytes
            return Outcome(next(of: &rest, Array.init))
        }
    }
}
