import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

/// Another version of Caret must be able to read the rows of this one. Another program computed the digests
/// and the bytes here, as docs/storage.md describes.
@Suite("The stored form of rows") struct StoredRowTests {
    private static let chainBefore = "380B980886B7A3E726B5C2776160D7842B8F139EAEA1E6ACF7442CDF890E6287"
    private static let chainAfter = "713A3946D06F59173EB2BF7A7CF1636A0F2F06601FDE523DFD14856EE97787D2"
    private static let body =
        "01000306000302020001060201040102010600011001000104D20F100D0400020407"
        + "1000040201000106010201050101010002020101030701010961C3A9F09F98807879"

    @Test("the rows of a fixed history have the same bytes in every version")
    func fixedHistory() throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let database = try DataFolder(scratch.path).openForWriting()
        var writer = HistoryWriter(database: database, generation: Generation(1))
        let empty = DocumentImport(
            name: try DocumentName("notes"), start: Snapshot(revision: 0, text: TextBuffer()),
            lineBreak: .crlf, updated: 7)
        let changes = try changes()
        let outcome = try database.transaction(
            { () throws(StoreFault) -> AppendOutcome in
                let entry = try writer.beginImport(empty, epoch: 0x0102_0304_0506_0708)
                let outcome = try writer.append(
                    Append(document: entry.id, epoch: entry.epoch, expected: 0, changes: changes))
                _ = try writer.publish([Publication(entry.id, deleted: 12)])
                return outcome
            }, orFault: StoreFault.database)
        #expect(outcome == .committed(head: 3))
        func rows(_ columns: String, of table: String) throws -> [String] {
            let line = columns.replacing(", ", with: " || ' ' || ")
            return try database.all("SELECT \(line) FROM \(table) ORDER BY 1") {
                String(decoding: $0.bytes(0), as: UTF8.self)
            }
        }
        let documents = try rows("head, updated, loose, behind, deleted, hex(chain), sum", of: "document")
        #expect(documents == ["3 1002 1 233 12 \(Self.chainAfter) 3128053777060813722"])
        let segments = try rows("first, last, time, hex(before), hex(after), hex(body)", of: "segment")
        #expect(segments == ["1 3 1009 \(Self.chainBefore) \(Self.chainAfter) \(Self.body)"])
        let pushers = try rows("author, seq, revision, used, sum", of: "pusher")
        #expect(pushers == ["1 2 3 1002 9095644795559969422", "2 9 2 1009 -2768895568424577592"])
    }

    /// An insertion, a change of two edits by another pusher, and a removal.
    private func changes() throws -> [PushedChange] {
        let steps: [(pusher: Pusher, seq: Int64, edits: [Edit])] = [
            (SampleLog.ann, 1, [SampleChange.edit(0, 0, "aé😀")]),
            (SampleLog.bob, 9, [SampleChange.edit(1, 2, "x"), SampleChange.edit(4, 4, "y")]),
            (SampleLog.ann, 2, [SampleChange.edit(0, 1, "")]),
        ]
        var (text, changes) = (TextBuffer(), [PushedChange]())
        for step in steps {
            let change = SampleChange.change(step.edits)
            changes.append(try SampleLog.pushed(change, in: text, by: step.pusher, seq: step.seq))
            try text.apply(change)
        }
        return changes
    }
}
