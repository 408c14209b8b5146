import CaretWeb
import Testing

@Suite("The head of a response") struct ResponseTests {
    @Test("a field's value cannot end its line, whatever characters it contains")
    func controlCharacters() {
        let type = "text/plain\r\nX-Evil: 1\u{0}\u{7F}\t\u{1F}é"
        let recipient = Response.Recipient(isHead: false, closes: false)
        let head = String(decoding: Response(.ok, type, []).bytes(at: 0, to: recipient), as: UTF8.self)
        #expect(head.contains("\r\nContent-Type: text/plain  X-Evil: 1    é\r\n"))
        #expect(head.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0D || $0 == 0x0A })
    }
}
