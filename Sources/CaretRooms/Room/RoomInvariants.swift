package import CaretCore
import CaretLog

extension RoomState {
    /// Throws the first invariant that does not hold. All invariants must hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("every action was returned to the caller", effects.actions.isEmpty)
        try log.checkInvariants()
        try queries.checkInvariants()
        try sessions.checkInvariants(at: head)
        try presence.checkInvariants(sessions.all, remoteSessions, in: text)
        try checkPresence()
        try pushes.checkInvariants(at: head)
        try BrokenInvariant.check(
            "no append is in flight while the room waits for more pushes",
            !sharing.isWaiting || !pushes.isAppending)
        try pause.checkInvariants()
        try checkPushers()
        try checkWaiting()
        if closedWith != nil { try checkEnd() }
    }

    private func checkPresence() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "presence waits for the tick if a session could be sent it",
            presence.tick.isWaiting || isGathering || !sessions.indices.contains { lacksPresence($0) })
        try BrokenInvariant.check(
            "if presence waits, the room wakes at the tick",
            !presence.tick.isWaiting || isGathering || closedWith != nil
                || clock.wakes(by: presence.tick.next))
    }

    private func checkPushers() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "the room remembers the pusher of each session",
            closedWith != nil || sessions.all.allSatisfy { pushers.isHeld($0.pusher) })
        try BrokenInvariant.check(
            "the room remembers the pusher of each pending push",
            pushes.pushers.allSatisfy { pushers.isHeld($0) })
        try BrokenInvariant.check(
            "each pending push is newer than its pusher's last commit",
            pushes.pushers.allSatisfy { pusher in
                guard let entry = pushers.entry(of: pusher), let known = pushes[pusher] else { return true }
                return entry.seq < known.push.seq
            })
    }

    /// Checks that each waiting session or push will get an answer. During a reload, waiting pushes need no
    /// store call of their own, because the reload resolves them.
    private func checkWaiting() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "each session that waits for history waits for a read under way",
            sessions.all.allSatisfy { session in
                session.stream.phase != .readingHistory || session.stream.isBarred
                    || queries.isWaiting(session.id, forRevisionsAfter: session.stream.position)
            })
        try BrokenInvariant.check(
            "each opening that waits for a long text waits for an encoding under way",
            longTexts.isIdle || longTexts.isEncoding)
        try BrokenInvariant.check(
            "the revisions after the head are being read while the room catches up",
            catchUp.phase != .reading || queries.isReading(after: head))
        if pause.awaits(.reload) { return }
        try BrokenInvariant.check(
            "each push that waits for the store has a call under way",
            pushes.pushers.allSatisfy { pusher in
                switch pushes[pusher]?.stage {
                case .needsText(let revision): queries.isReadingText(at: revision)
                case .needsHistory(_, let revision): queries.isReading(after: revision)
                case .computing, .ready, .inFlight, nil: true
                }
            })
    }

    private func checkEnd() throws(BrokenInvariant) {
        try BrokenInvariant.check("a closed room has no sessions", sessions.isEmpty)
        try BrokenInvariant.check("a closed room has no work left", isIdle && !pause.hasQueued)
    }
}
