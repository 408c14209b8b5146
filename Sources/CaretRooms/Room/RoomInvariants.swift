package import CaretCore
import CaretLog

extension RoomState {
    /// Throws the first invariant that does not hold. All hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("every action was returned to the caller", effects.actions.isEmpty)
        try log.checkInvariants()
        try queries.checkInvariants()
        try sessions.checkInvariants(at: head)
        try presence.checkInvariants(sessions.all, in: text)
        try pushes.checkInvariants(at: head)
        try pause.checkInvariants()
        try checkPushers()
        if closedWith != nil { try checkEnd() }
    }

    private func checkPushers() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "the room keeps what it knows of each session's pusher",
            closedWith != nil || sessions.all.allSatisfy { pushers.isHeld($0.pusher) })
        try BrokenInvariant.check(
            "the room keeps what it knows of each pending push's pusher",
            pushes.pushers.allSatisfy { pushers.isHeld($0) })
        try BrokenInvariant.check(
            "each pending push is newer than its pusher's last commit",
            pushes.pushers.allSatisfy { pusher in
                guard let entry = pushers.entry(of: pusher), let known = pushes[pusher] else { return true }
                return entry.seq < known.push.seq
            })
    }

    private func checkEnd() throws(BrokenInvariant) {
        try BrokenInvariant.check("a closed room has no sessions", sessions.isEmpty)
        try BrokenInvariant.check("a closed room has no work left", isIdle && !pause.hasQueued)
    }
}
