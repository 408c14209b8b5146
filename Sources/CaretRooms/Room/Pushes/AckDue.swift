import CaretCore
import CaretLog
import CaretWire

/// A committed push of whose ack its session has not been handed yet.
package struct AckDue: Sendable {
    private(set) var id: RequestID?
    let committed: Committed
    /// What was committed is what was sent, and sent on this connection.
    let isLiteral: Bool
    private(set) var wantsText: Bool
    /// The session that pushed.
    let session: SessionID

    package init(_ pending: PendingPush, as committed: Committed) {
        let push = pending.push
        id = push.id
        self.committed = committed
        wantsText = push.wantsText
        session = push.session
        isLiteral =
            !pending.hasMoved
            && (push.edits.map { committed.logged.isSaid(by: $0, in: push.participant.unit) } ?? false)
    }

    var revision: Revision { committed.revision }

    /// Answers a repeat from the same session, which needs no answer of its own.
    mutating func answer(_ repeated: RoomPush) {
        id = repeated.id
        wantsText = repeated.wantsText
    }
}
