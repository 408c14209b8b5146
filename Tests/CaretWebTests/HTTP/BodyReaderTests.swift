import CaretWeb
import Testing

@Suite("Reading the body of a request") struct BodyReaderTests {
    @Test(
        "a chunked body has the same result wherever its bytes are cut",
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

    @Test("a body of a given length ends there, and the next bytes are not read")
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
