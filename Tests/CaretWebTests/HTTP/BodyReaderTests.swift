import CaretWeb
import Testing

@Suite("Reading the body of a request") struct BodyReaderTests {
    @Test(
        "a chunked body gives the same result wherever its bytes are split",
        arguments: try HTTPFixture.all(in: "bodies.txt"))
    func chunked(fixture: HTTPFixture) {
        for cuts in fixture.allCuts {
            #expect(result(of: fixture, cutAt: cuts) == fixture.result, "cut at \(cuts.prefix(3))")
        }
    }

    private func result(of fixture: HTTPFixture, cutAt cuts: [Int]) -> String {
        var (reader, content) = (BodyReader(.chunked), [UInt8]())
        do {
            let isComplete = try fixture.read(cutAt: cuts) { input in
                try reader.read(&input) { content += $0 }
                return reader.isAtEnd ? true : nil
            }
            guard isComplete == true else { return "incomplete" }
            return content.isEmpty ? "ok" : "ok " + String(decoding: content, as: UTF8.self)
        } catch let fault as RequestFault {
            return "\(fault.status.rawValue)"
        } catch { return "\(error)" }
    }

    @Test("a wrong field after a chunked body is refused with the exact reason")
    func trailerFaults() {
        for (line, message) in [
            (" a: b", "a field must not continue on the next line"),
            ("\ta: b", "a field must not continue on the next line"),
            ("ab", "a field needs a colon after its name"),
            ("a : b", "the name of a field must be one word, directly before the colon"),
            (": b", "the name of a field must be one word, directly before the colon"),
            ("a:\u{1}", "the value of a field contains a control character"),
        ] {
            var reader = BodyReader(.chunked)
            var found: String?
            do {
                try Array("0\r\n\(line)\r\n\r\n".utf8).withUnsafeBytes { input in
                    var input = input
                    try reader.read(&input) { _ in }
                }
            } catch { found = (error as? RequestFault)?.message }
            #expect(found == message, "\(line)")
        }
    }

    @Test("the reader stops at the given length of a body")
    func length() throws {
        var (reader, content) = (BodyReader(.bytes(5)), [UInt8]())
        #expect(!reader.isAtEnd)
        for piece in ["ab", "", "cdefg"] {
            try Array(piece.utf8).withUnsafeBytes { input in
                var input = input
                try reader.read(&input) { content += $0 }
                #expect(String(decoding: input, as: UTF8.self) == (piece == "cdefg" ? "fg" : ""))
            }
        }
        #expect(reader.isAtEnd && content == Array("abcde".utf8))
    }

    @Test("a request without a body, or with length 0, is complete at once")
    func empty() {
        #expect(BodyReader(.none).isAtEnd && BodyReader(.bytes(0)).isAtEnd)
    }
}
