import CaretCore
package import CaretLog
package import CaretWire

/// A push that creates its document. What it makes of the empty text is computed before the document exists: so a
/// push that is refused creates nothing, and a document is created and filled by one commit.
package struct FirstPush: Equatable, Sendable {
    private let push: RoomPush
    private let limits: Limits.Announced
    /// Nil if the pushed text is empty: then the document is created without a revision.
    package let history: InitialHistory?

    /// `time` is the earliest one of the new document.
    package init(_ push: RoomPush, at time: Int64, limits: Limits.Announced) throws(RequestRefusal) {
        guard case .text(let sent) = push.content else { throw .notOpen }
        if push.base > 0 { throw .ahead("base \(push.base.value)", of: 0) }
        (self.push, self.limits) = (push, limits)
        let whole = NormalText(sent)
        var plan = SegmentPlan(Snapshot(revision: 0, text: TextBuffer()), time: time, limits: limits)
        plan.add(
            SegmentPlan.Member(push: push, intent: .change(FirstPush.insertion(of: whole.text)), whole: whole)
        )
        let draft = plan.draft(after: [])
        if case .tooLarge(let bytes)? = draft.outcomes.first?.outcome {
            throw .tooLarge(bytes, allowed: limits.document)
        }
        history = draft.changes.isEmpty ? nil : InitialHistory(draft.changes, lineBreak: draft.lineBreak)
    }

    private static func insertion(of text: TextBuffer) -> Change {
        guard let edit = try? Edit(0..<0, text.string), let change = try? Change([edit]) else {
            preconditionFailure("a text without a carriage return cannot be inserted")
        }
        return change
    }

    /// The ack, after the store has created the document.
    func ack(in entry: DocumentEntry) -> Ack {
        let edits = history?.changes.first?.logged.wireEdits(in: push.participant.unit)
        let text = push.wantsText ? edits?.first?.text ?? "" : nil
        var ack = Ack(
            document: push.document, seq: Int(push.seq), epoch: entry.epoch.wire,
            revision: history == nil ? 0 : 1, edits: edits, text: text, unchanged: history == nil)
        if text != nil, !hasRoom(for: ack, entry.length.utf8) { ack.edits = nil }
        return ack
    }

    /// Whether a line has room for the text and the edits of an ack.
    private func hasRoom(for ack: Ack, _ bytes: Int) -> Bool {
        let room = limits.serverLine - FirstPush.otherBytes
        // Each byte becomes an escape sequence of at most six bytes.
        if 12 * bytes <= room { return true }
        var writer = JSONWriter()
        ack.encode(into: &writer)
        return writer.bytes.count <= room
    }

    /// More bytes than the id and the other members of an ack have.
    private static let otherBytes = 8 << 10
}
