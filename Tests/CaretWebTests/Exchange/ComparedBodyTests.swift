import CaretCore
import CaretWeb
import CaretWire
import Testing

@Suite("A body that is compared with texts") struct ComparedBodyTests {
    @Test(
        "a body is equal to a text, or differs, wherever it is cut",
        arguments: [
            ("one\ntwo", "one\ntwo", true), ("one\r\ntwo", "one\ntwo", true), ("one\rtwo", "one\ntwo", true),
            ("one", "one\ntwo", false), ("one\ntwo", "one", false), ("one\n\ntwo", "one\ntwo", false),
            ("onE", "one", false), ("", "", true), ("", "one", false), ("one", "", false),
        ])
    func compared(body: String, text: String, isEqual: Bool) {
        let bytes = Array(body.utf8)
        for cut in 0...bytes.count {
            var frame = BodyFrame(comparing: [Array("other".utf8), Array(text.utf8)])
            for piece in [Array(bytes[..<cut]), Array(bytes[cut...])] {
                // A body that is only compared produces no bytes of a message.
                #expect(piece.withUnsafeBytes { frame.bytes(for: $0) }.isEmpty)
            }
            #expect(frame.isEqual == isEqual && frame.start.isEmpty && frame.end().isEmpty)
        }
    }

    @Test("a body differs as soon as no text begins with it")
    func different() {
        var frame = BodyFrame(comparing: [Array("one".utf8), Array("on\ntwo".utf8)])
        for (piece, isDifferent) in [("o", false), ("n", false), ("\r", false), ("\nx", true), ("two", true)]
        {
            _ = Array(piece.utf8).withUnsafeBytes { frame.bytes(for: $0) }
            #expect(frame.isDifferent == isDifferent, "after \(piece)")
        }
        let text = BodyFrame(text: Push(document: "a", epoch: nil, base: 0, seq: 1, content: .text("")))
        #expect(!text.isDifferent)
    }

    @Test("a body differs from every text if there is no text to compare with")
    func noText() {
        #expect(!BodyFrame(comparing: []).isEqual)
    }
}
