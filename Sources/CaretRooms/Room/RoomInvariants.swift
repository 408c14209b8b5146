package import CaretCore
import CaretLog
import CaretWire

extension RoomState {
    /// Throws the first invariant that does not hold. All hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("every action was returned to the caller", actions.isEmpty)
        try checkLog()
        try checkSessions()
        try checkPushes()
        try checkSegment()
        try checkStandstill()
        if over != nil { try checkEnd() }
    }

    private func checkLog() throws(BrokenInvariant) {
        try BrokenInvariant.check("the first kept revision is not after the head", start <= head)
        try BrokenInvariant.check(
            "the window is within its limit, or has only one revision",
            window.bytes <= window.mostBytes || window.isShortest)
    }

    private func checkSessions() throws(BrokenInvariant) {
        let ids = sessions.map(\.id)
        try BrokenInvariant.check(
            "sessions are sorted by id, without duplicates",
            zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        try BrokenInvariant.check(
            "no session is ahead of the head", sessions.allSatisfy { $0.position <= head })
        try BrokenInvariant.check(
            "no session acknowledged more bytes than it was sent", sessions.allSatisfy { $0.outstanding >= 0 }
        )
        try BrokenInvariant.check(
            "`selectionCount` is the number of all selections",
            selectionCount == sessions.reduce(0) { $0 + $1.selections.count })
        let end = Offset(text.length.utf16)
        try BrokenInvariant.check(
            "each selection lies within the text",
            sessions.allSatisfy { $0.selections.allSatisfy { $0.end <= end } })
        try BrokenInvariant.check(
            "the room keeps what it knows of each session's pusher",
            over != nil || sessions.allSatisfy { pushers.isHeld($0.pusher) })
        let dues = sessions.compactMap { session in session.due.map { (session.position, $0.revision) } }
        try BrokenInvariant.check(
            "each ack that is due lies between its session's position and the head",
            dues.allSatisfy { position, revision in position < revision && revision <= head })
    }

    private func checkPushes() throws(BrokenInvariant) {
        let beside = pending.compactMapValues { known in
            if case .working(let id, _) = known.stage { id } else { nil }
        }
        try BrokenInvariant.check(
            "`working` lists exactly the pushes that wait for background work",
            beside.count == working.count && beside.allSatisfy { working[$0.value] == $0.key })
        try BrokenInvariant.check(
            "`ready` lists each push that is ready",
            pending.allSatisfy { pusher, known in
                if case .ready = known.stage { ready.contains(pusher) } else { true }
            })
        try BrokenInvariant.check(
            "each pending push is filed under its pusher",
            pending.allSatisfy { $0.key == $0.value.push.pusher })
        try BrokenInvariant.check(
            "the room keeps what it knows of each pending push's pusher",
            pending.keys.allSatisfy { pushers.isHeld($0) })
        try BrokenInvariant.check(
            "each pending push is newer than its pusher's last commit",
            pending.allSatisfy { pusher, known in
                pushers.entry(of: pusher).map { $0.seq < known.push.seq } ?? true
            })
    }

    private func checkSegment() throws(BrokenInvariant) {
        let waiting = Set(
            pending.compactMap { pusher, known -> Pusher? in
                if case .inFlight = known.stage { pusher } else { nil }
            })
        guard let inFlight else {
            return try BrokenInvariant.check(
                "no push is in flight without an append", waiting.isEmpty)
        }
        try BrokenInvariant.check(
            "the append has each push that is in flight",
            waiting.isSubset(of: inFlight.draft.verdicts.map(\.pusher)))
        try BrokenInvariant.check(
            "the append follows the head, unless its outcome is unknown",
            inFlight.append.expected == head || inFlight.isUncertain)
    }

    private func checkStandstill() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "requests are held only during a standstill", held.isEmpty || !standstills.isEmpty)
        try BrokenInvariant.check(
            "the store works on a standstill only if there is one",
            standing == .waiting || !standstills.isEmpty)
        try BrokenInvariant.check("the number of unanswered store calls is not negative", storeCalls >= 0)
    }

    private func checkEnd() throws(BrokenInvariant) {
        try BrokenInvariant.check("a closed room has no sessions", sessions.isEmpty)
        try BrokenInvariant.check(
            "a closed room has no work left",
            pending.isEmpty && ready.isEmpty && working.isEmpty && inFlight == nil && repeats.isEmpty
                && held.isEmpty && standstills.isEmpty && pushers.isEmpty)
    }
}
