import CaretWire

/// Whether anybody needs a room.
enum Idleness: Equatable, Sendable {
    case needed
    /// Nobody has needed it since then.
    case idle(since: Int64)
    /// It asked the hub to drop it.
    case unloading
}

/// Work that becomes due as time passes.
extension RoomState {
    /// Does what is due. Work that is not due yet sets its time again.
    mutating func timeCame() {
        if closedWith != nil { return }
        askAgain()
        sessions.needDelivery()
    }

    /// Nothing more is sent to a session; its connection is to be closed.
    mutating func cut(_ index: Int) {
        sessions[index].stream.cut()
        effects.add(.cut(sessions[index].id))
    }

    private mutating func askAgain() {
        if clock.now < queries.restsUntil { return clock.needs(at: queries.restsUntil) }
        if catchUp.phase == .resting { readOn() }
        pause.endRest()
    }

    /// The store could not answer a call whose answer is needed. It is repeated after a while.
    mutating func backOff() {
        queries.rest(until: clock.now + Int64(limits.retryMilliseconds))
        clock.needs(at: queries.restsUntil)
    }

    /// Asks to be dropped after nobody has needed the room for a while.
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
        let end = closedWith == nil ? since + Int64(limits.idleRoomSeconds) * 1_000 : since
        if clock.now < end { return clock.needs(at: end) }
        effects.add(.notifyHub(.unloadOffered))
        idleness = .unloading
    }
}
