import CaretCore
import CaretLog
import Testing

@Suite("The canonical form of a revision") struct CanonicalFormTests {
    @Test("in canonical form, numbers have 8 bytes, and lengths precede strings")
    func layout() throws {
        let (start, removed) = (
            TextLength(utf8: 7, utf16: 6, scalars: 5), TextLength(utf8: 4, utf16: 2, scalars: 1)
        )
        let edits = [try LoggedEdit(start: start, removed: removed, text: "é")]
        let change = LoggedChange(
            pusher: Pusher(user: ByteString("ann"), client: ByteString("c")), seq: 9, time: -1, edits: edits)
        var form = CanonicalForm()
        // `write` must remove the bytes of the previous revision.
        form.write(LoggedChange(pusher: change.pusher, seq: 1, time: 1, edits: []), at: 1)
        form.write(change, at: 0x0102)
        let bytes: [[UInt8]] = [
            [2, 1, 0, 0, 0, 0, 0, 0], [UInt8](repeating: 255, count: 8),
            number(3), Array("ann".utf8), number(1), Array("c".utf8), number(9), number(1),
            number(7), number(6), number(5), number(4), number(2), number(1), number(2), Array("é".utf8),
        ]
        #expect(form.bytes == bytes.flatMap(\.self))
    }

    private func number(_ value: UInt8) -> [UInt8] { [value] + [UInt8](repeating: 0, count: 7) }
}
