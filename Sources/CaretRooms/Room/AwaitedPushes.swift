package import CaretLog

/// That a connection's pushes are waited for, by a request of its own that the room does not answer.
struct AwaitedPushes: Equatable, Sendable {
    let pusher: Pusher
    let connection: ConnectionID
}

/// What others may ask about pushes.
extension RoomState {
    /// Answered by `pushesSettled`, once every push of this pusher that came before is committed or refused.
    package mutating func awaitPushes(of pusher: Pusher, for connection: ConnectionID) -> [RoomAction] {
        awaited.append(AwaitedPushes(pusher: pusher, connection: connection))
        return finished()
    }

    /// Answers those whose pushes are all settled.
    mutating func tellSettled() {
        if awaited.isEmpty { return }
        let settled = awaited.filter { !hasPush(of: $0.pusher) }
        awaited.removeAll { settled.contains($0) }
        for one in settled { actions.append(.pushesSettled(one.connection)) }
    }

    private func hasPush(of pusher: Pusher) -> Bool {
        pending[pusher] != nil || pushers.holdsPush(of: pusher) || held.holdsPush(of: pusher)
    }
}
