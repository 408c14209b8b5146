import CaretWire

/// Whether a room is still needed.
enum Idleness: Equatable, Sendable {
    case needed
    /// The room has been idle since this time.
    case idle(since: Int64)
    /// The room has asked the hub to drop it.
    case unloading
}

/// Work that becomes due as time passes.
extension RoomState {
    /// Does the work that is due. For work that is due later, it requests another wake.
    mutating func runDueWork() {
        if closedWith != nil { return }
        retryStore()
        doRemoteWork()
        sessions.needDelivery()
    }

    /// Stops sending to a session, and orders its connection to close.
    mutating func disconnect(_ index: Int) {
        sessions[index].stream.disconnect()
        effects.add(.disconnect(sessions[index].id))
    }

    private mutating func retryStore() {
        if clock.now < queries.retryTime { return clock.schedule(at: queries.retryTime) }
        if catchUp.phase == .backingOff { forceReadAfterHead() }
        pause.endBackOff()
    }

    /// Schedules a retry after the store could not answer a call.
    mutating func backOff() {
        queries.backOff(until: clock.now + Int64(limits.retryMilliseconds))
        clock.schedule(at: queries.retryTime)
    }

    /// Records whether the room is idle. After it has been idle for a while, it asks the hub to drop it.
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
        if clock.now < end { return clock.schedule(at: end) }
        effects.add(.notifyHub(.unloadOffered))
        idleness = .unloading
    }
}
