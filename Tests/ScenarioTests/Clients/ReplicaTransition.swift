import CaretReplica
import CaretWire

/// One event of a replica: the replica before and after it, and the actions it returned.
struct ReplicaTransition {
    enum Cause {
        case received(ServerMessage)
        case cutOff
        /// The owner undid or redid something.
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
        case .received, .cutOff, .other: false
        }
    }

    /// A whole text comes.
    var bringsText: Bool {
        switch self {
        case .received(.opened), .received(.resync): true
        case .received, .cutOff, .undone, .other: false
        }
    }

    /// The number of the client's last push that a whole text holds, where the replica applies the text.
    func pushInText(for replica: Replica) -> Seq? {
        switch self {
        case .received(.opened(let opened)) where replica.link == .opening:
            ServerMessage.opened(opened).pushInText
        case .received(.resync(let resync)) where replica.link == .open:
            ServerMessage.resync(resync).pushInText
        case .received, .cutOff, .undone, .other: nil
        }
    }

    /// Whether the replica may close the document to open it again, where the server keeps the protocol.
    /// `inFlight` is the number of the push in flight before the event.
    func mayReopen(inFlight: Seq?) -> Bool {
        guard case .received(let message) = self else { return true }
        return switch message {
        // A push that the owner has given up may be acked without its edits.
        case .ack(let ack): !ack.duplicate && !ack.unchanged && inFlight?.value != Int64(ack.seq)
        case .opened, .change, .check, .peer, .resync, .gone, .bye: false
        case .error, .rights, .welcome, .closed, .listed, .document, .text, .revisions, .done, .ping, .pong,
            .admin:
            true
        }
    }
}

extension ServerMessage {
    /// The number of the client's last push that a whole text holds.
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
