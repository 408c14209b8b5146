import CaretReplica
import CaretWire

/// One event of a replica: the replica before and after it, and the actions it returned.
struct ReplicaTransition {
    enum Cause {
        case received(ServerMessage)
        case disconnected
        /// The user undid or redid something.
        case undone
        case other
    }

    let cause: Cause
    let before: Replica
    var replica: Replica
    var actions: [ReplicaAction]
}

extension ReplicaTransition.Cause {
    var isUndo: Bool {
        switch self {
        case .undone: true
        case .received, .disconnected, .other: false
        }
    }

    /// Whether the event brings a whole text.
    var bringsText: Bool {
        switch self {
        case .received(.opened), .received(.resync): true
        case .received, .disconnected, .undone, .other: false
        }
    }

    /// The seq of the client's newest push that the received whole text contains; nil if the replica does not
    /// apply the text.
    func pushInText(for replica: Replica) -> Seq? {
        switch self {
        case .received(.opened(let opened)) where replica.link == .opening:
            ServerMessage.opened(opened).pushInText
        case .received(.resync(let resync)) where replica.link == .open:
            ServerMessage.resync(resync).pushInText
        case .received, .disconnected, .undone, .other: nil
        }
    }

    /// Whether the replica may close the document to open it again, if the server follows the protocol.
    /// `inFlight` is the seq of the push in flight before the event.
    func mayReopen(inFlight: Seq?) -> Bool {
        guard case .received(let message) = self else { return true }
        return switch message {
        // If the user has discarded a push, the replica no longer has its edits, and the ack may come without
        // edits.
        case .ack(let ack): !ack.duplicate && !ack.unchanged && inFlight?.value != Int64(ack.seq)
        case .opened, .change, .check, .peer, .resync, .gone, .bye: false
        case .error, .rights, .welcome, .authenticated, .closed, .listed, .document, .text, .revisions,
            .blamed, .deleted, .tags, .notes, .noted, .done, .ping, .pong, .admin:
            true
        }
    }
}

extension ServerMessage {
    /// The seq of the client's newest push that a whole text contains.
    var pushInText: Seq? {
        let own: OwnPush? =
            switch self {
            case .opened(let opened) where opened.content != .resumed: opened.own
            case .resync(let resync): resync.own
            default: nil
            }
        return own.map { Seq(Int64($0.seq)) }
    }
}
