import CaretLog

/// A connection whose next request waits until its pushes are resolved. The hub answers that request, not the
/// room.
package struct AwaitedPushes: Equatable, Sendable {
    let pusher: Pusher
    let connection: ConnectionID
}

/// Informing the hub when all pushes of a connection are resolved.
extension RoomState {
    /// The room answers with `pushesResolved`, once every earlier push of this pusher is committed or
    /// refused.
    mutating func awaitPushes(of pusher: Pusher, for connection: ConnectionID) {
        awaited.append(AwaitedPushes(pusher: pusher, connection: connection))
    }

    /// Answers the connections whose pushes are all resolved.
    mutating func answerAwaiting() {
        if awaited.isEmpty { return }
        let resolved = awaited.filter { !hasPush(of: $0.pusher) }
        awaited.removeAll { resolved.contains($0) }
        for one in resolved { effects.add(.notifyHub(.pushesResolved(one.connection))) }
    }

    private func hasPush(of pusher: Pusher) -> Bool {
        pushes[pusher] != nil || pushers.holdsPush(of: pusher) || pause.holdsPush(of: pusher)
    }
}
