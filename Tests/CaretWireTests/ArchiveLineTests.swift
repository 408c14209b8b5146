import CaretCore
import CaretWire
import Testing

@Suite("Lines of an archive") struct ArchiveLineTests {
    private func read(_ text: String) throws(WireFault) -> ArchiveLine {
        var decoder = MessageDecoder()
        let bytes = Array(text.utf8)
        return try bytes.span.withUnsafeBytes { raw throws(WireFault) in try decoder.archiveLine(raw) }
    }

    private func line(_ message: some WireMessage) -> String {
        var writer = JSONWriter()
        message.encode(into: &writer)
        return String(decoding: writer.bytes.dropLast(), as: UTF8.self)
    }

    @Test("every line type survives a round trip")
    func roundTrip() throws {
        let head = ArchiveHead(made: 7, server: "caret/1")
        #expect(try read(line(head)) == .head(head))
        for (start, text, deleted) in [(0, nil, nil), (3, "a\u{0}é😀", 9)] as [(Int, WireString?, Int?)] {
            let document = ArchivedDocument(
                document: "notes/today", epoch: "e1", revision: 5, start: .init(start), text: text,
                newline: .crlf, updated: 8, deleted: deleted,
                tags: start == 0 ? [] : [.init(name: "v1", revision: 4, user: "ann", time: 9)])
            #expect(try read(line(document)) == .document(document))
        }
        let revision = ArchivedRevision(
            revision: 4, author: .init(user: "ann", client: "p-1", time: 6),
            edits: [.init(.init(0, 2), "\n"), .init(.init(5, 5), "x")])
        #expect(try read(line(revision)) == .revision(revision))
        let check = Check(document: "a", revision: 4, length: 7, crc32: 0x0012_ABCD)
        #expect(try read(line(check)) == .check(check))
        let end = ArchiveEnd(documents: 1, revisions: 5, sum: "00ff")
        #expect(try read(line(end)) == .end(end))
    }

    @Test(
        "missing or inconsistent fields are refused with the field's name",
        arguments: [
            (#"{"type":"change"}"#, "there is no line type \"change\""),
            (
                #"{"type":"document","doc":"a","epoch":"e","rev":1,"start":2,"text":"","newline":"lf","updated":1}"#,
                "document: start is 2, after rev 1, at byte 57"
            ),
            (
                #"{"type":"document","doc":"a","epoch":"e","rev":3,"start":2,"newline":"lf","updated":1}"#,
                "document: text must be given if start is above 0, and must be missing if start is 0, at byte 0"
            ),
            (
                #"{"type":"revision","rev":3,"user":"a","client":"p","time":1}"#,
                "revision: edits is missing, at byte 0"
            ),
        ])
    func faults(text: String, message: String) {
        #expect(throws: WireFault.self) { try read(text) }
        do throws(WireFault) { _ = try read(text) } catch { #expect(error.message == message) }
    }

    @Test("the error for an unknown type points to the type")
    func unknownType() {
        let fault = #expect(throws: WireFault.self) { try read(#"{"type":"change"}"#) }
        #expect(fault?.code == .unknownType && fault?.byte == 8)
    }
}
