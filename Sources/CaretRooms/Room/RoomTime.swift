import CaretWire

/// Whether somebody needs a room.
enum Idleness: Equatable, Sendable {
    case needed
    /// Nobody has needed it since.
    case idle(since: Int64)
    /// It asked to be dropped.
    case unloading
}

// What becomes due as time passes.
extension RoomState {
    /// It is this late. Whoever runs the room says so in front of every other event, and when it asked to be woken.
    package mutating func timePassed(_ now: Int64) -> [RoomAction] {
        guard clock.passed(to: now) else { return [] }
        // Whatever is not due yet says again when it is.
        if over == nil {
            askAgain()
            streamsWait = true
        }
        return finished()
    }

    /// Nothing more is handed to a session; its connection is to be closed.
    mutating func cut(_ place: Int) {
        sessions[place].isCut = true
        actions.append(.cut(sessions[place].id))
    }

    private mutating func askAgain() {
        if clock.now < storeRests { return clock.needs(at: storeRests) }
        if catchUp == .resting { readOn() }
        if standing == .resting { standing = .waiting }
    }

    /// The store could not tell something that is needed: it is asked again after a while.
    mutating func letStoreRest() {
        storeRests = clock.now + Int64(limits.retryMilliseconds)
        clock.needs(at: storeRests)
    }

    mutating func noteIdleness() {
        guard isIdle else {
            idleness = .needed
            return
        }
        switch idleness {
        case .unloading: return
        case .needed: idleness = .idle(since: clock.now)
        case .idle: break
        }
        guard case .idle(let since) = idleness else { return }
        let end = over == nil ? since + Int64(limits.idleRoomSeconds) * 1_000 : since
        if clock.now < end { return clock.needs(at: end) }
        actions.append(.unload)
        idleness = .unloading
    }
}
