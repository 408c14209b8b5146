import CaretCore
import CaretLog
import CaretWire

/// An ack that the room still has to send.
package struct PendingAck: Sendable {
    private(set) var id: RequestID?
    let committed: Committed
    /// Whether the committed edits equal those that this session sent. If so, the ack leaves them out.
    let isLiteral: Bool
    private(set) var wantsText: Bool
    /// Whether the ack names the epoch, because the push did not.
    let namesEpoch: Bool
    /// The session that pushed.
    let session: SessionID

    package init(_ pending: PendingPush, as committed: Committed) {
        let push = pending.push
        id = push.id
        self.committed = committed
        wantsText = push.wantsText
        session = push.session
        namesEpoch = push.epoch == nil
        isLiteral =
            !pending.hasMoved
            && (push.edits.map { committed.logged.hasEdits(equalTo: $0, in: push.participant.unit) } ?? false)
    }

    var revision: Revision { committed.revision }

    /// The same session sent the push again. The ack answers the repeat too, so it takes the repeat's id.
    mutating func answer(_ repeated: RoomPush) {
        id = repeated.id
        wantsText = repeated.wantsText
    }
}
