import CaretCore
import CaretLog
import CaretWire

extension RoomState {
    /// Fails where a law is broken that holds behind every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("all actions were handed out", actions.isEmpty)
        try checkLog()
        try checkSessions()
        try checkPushes()
        try checkSegment()
        try checkStandstill()
        if over != nil { try checkEnd() }
    }

    private func checkLog() throws(BrokenInvariant) {
        try BrokenInvariant.check("no revision is before the start", start <= head)
        try BrokenInvariant.check(
            "the window is in its bound", window.bytes <= window.mostBytes || window.isShortest)
    }

    private func checkSessions() throws(BrokenInvariant) {
        let ids = sessions.map(\.id)
        try BrokenInvariant.check(
            "sessions stand in the order of their ids, each once",
            zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        try BrokenInvariant.check(
            "nobody was handed what is not in the log", sessions.allSatisfy { $0.position <= head })
        try BrokenInvariant.check(
            "no session owes bytes", sessions.allSatisfy { $0.outstanding >= 0 })
        try BrokenInvariant.check(
            "the selections are counted", selectionCount == sessions.reduce(0) { $0 + $1.selections.count })
        let end = Offset(text.length.utf16)
        try BrokenInvariant.check(
            "selections lie in the text",
            sessions.allSatisfy { $0.selections.allSatisfy { $0.end <= end } })
        try BrokenInvariant.check(
            "what is known of every session's pusher is kept",
            over != nil || sessions.allSatisfy { pushers.isHeld($0.pusher) })
        let dues = sessions.compactMap { session in session.due.map { (session.position, $0.revision) } }
        try BrokenInvariant.check(
            "an ack is due that was not handed out, of a revision in the log",
            dues.allSatisfy { position, revision in position < revision && revision <= head })
    }

    private func checkPushes() throws(BrokenInvariant) {
        let beside = pending.compactMapValues { known in
            if case .working(let id, _) = known.stage { id } else { nil }
        }
        try BrokenInvariant.check(
            "work beside the room is that of a push that waits for it, and the reverse",
            beside.count == working.count && beside.allSatisfy { working[$0.value] == $0.key })
        try BrokenInvariant.check(
            "every push that is ready stands in the list",
            pending.allSatisfy { pusher, known in
                if case .ready = known.stage { ready.contains(pusher) } else { true }
            })
        try BrokenInvariant.check(
            "a push stands with its pusher", pending.allSatisfy { $0.key == $0.value.push.pusher })
        try BrokenInvariant.check(
            "what is known of the pusher of every push is kept",
            pending.keys.allSatisfy { pushers.isHeld($0) })
        try BrokenInvariant.check(
            "no push that waits is one that was committed",
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
                "no push waits for an append that is not in flight", waiting.isEmpty)
        }
        try BrokenInvariant.check(
            "the pushes that wait for the append are in it",
            waiting.isSubset(of: inFlight.draft.verdicts.map(\.pusher)))
        try BrokenInvariant.check(
            "an append follows the head, unless it may be on disk already",
            inFlight.append.expected == head || inFlight.isUncertain)
    }

    private func checkStandstill() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "requests are held only while the room stands still", held.isEmpty || !standstills.isEmpty)
        try BrokenInvariant.check(
            "the store is asked only for a standstill", standing == .waiting || !standstills.isEmpty)
        try BrokenInvariant.check("no more was answered than asked", storeCalls >= 0)
    }

    private func checkEnd() throws(BrokenInvariant) {
        try BrokenInvariant.check("nobody is left in a closed room", sessions.isEmpty)
        try BrokenInvariant.check(
            "nothing waits in a closed room",
            pending.isEmpty && ready.isEmpty && working.isEmpty && inFlight == nil && repeats.isEmpty
                && held.isEmpty && standstills.isEmpty && pushers.isEmpty)
    }
}
