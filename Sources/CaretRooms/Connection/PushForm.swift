import CaretCore
package import CaretWire

/// The content of a push as bytes. Pushes with different contents have different bytes, so a push is a repeat
/// only if its bytes are the same.
///
/// The store keeps a digest of these bytes as long as it remembers the push, so this format must never
/// change. Numbers have eight bytes, the lowest first. A text comes after its length.
package struct PushForm {
    /// All bytes, except those of a whole text.
    private var bytes: [UInt8] = []
    /// The pushed whole text, which comes last. It is not copied, because it may be long.
    private var text: WireString?

    package init(_ push: Push) {
        switch push.content {
        case .edits(let edits):
            begin(0, push.epoch, push.base)
            append(edits.count)
            for edit in edits {
                append(edit.range.start)
                append(edit.range.end)
                append(edit.text)
            }
        case .text(let text):
            begin(1, push.epoch, push.base)
            append(text.utf8.count)
            self.text = text
        }
    }

    init(_ restore: Restore) { begin(2, restore.epoch, restore.revision) }

    /// Calls `body` with successive parts of the bytes.
    package func forEachPart(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes(body)
        text?.withBytes { body(UnsafeRawBufferPointer($0)) }
    }

    private mutating func begin(_ kind: UInt8, _ epoch: WireString?, _ revision: Revision) {
        bytes.append(kind)
        bytes.append(epoch == nil ? 0 : 1)
        if let epoch { append(epoch) }
        append(revision.value)
    }

    private mutating func append(_ number: Int) {
        withUnsafeBytes(of: Int64(number).littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: WireString) {
        append(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }
}
