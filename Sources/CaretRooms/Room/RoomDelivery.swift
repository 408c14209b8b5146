import CaretCore
import CaretLog
import CaretWire

/// Revisions as one line, for all who are handed the same.
struct SquashedLines: Sendable {
    let from: Revision
    let revision: Revision
    let edits: [LoggedEdit]
    var lines = UnitLines()
}

/// The stream of each session, which is a cursor in the room's log.
extension RoomState {
    /// Hands to everybody what there is.
    mutating func deliver() {
        while streamsWait {
            streamsWait = false
            for place in sessions.indices { advance(place) }
            endClosed()
        }
        window.runs = PerUnit()
    }

    /// Hands a session what is behind its position, as far as its credit goes.
    mutating func advance(_ place: Int) {
        if sessions[place].isBarred { return }
        while sessions[place].outstanding < limits.creditBytes, !sessions[place].isCut {
            if let reason = sessions[place].resync {
                if !resync(place, reason) { break }
            } else if sessions[place].position == head {
                if sessions[place].isSlow { caughtUp(place) }
                tellPresence(to: place)
                tellCheck(to: place)
                return
            } else if !window.contains(sessions[place].position.next) {
                fallBack(place)
                break
            } else if sessions[place].squashes, head.value - sessions[place].position.value > 1 {
                squash(place)
            } else if !handRun(place) {
                handNext(place)
            }
        }
        if sessions[place].told < presence.now { sessions[place].isBehind = true }
    }

    /// Hands a session the revision behind its position, which is in the window.
    mutating func handNext(_ place: Int) {
        if let line = takeNext(place) { hand(line, at: place) }
    }

    /// The line of the revision behind a session's position, which counts as handed to it from now on; nil where that
    /// is not in the window.
    mutating func takeNext(_ place: Int) -> [UInt8]? {
        let revision = sessions[place].position.next
        if window.isMade(revision, by: sessions[place].pusher, sessions[place].mark) {
            return window[revision].map { takeOwn($0.logged, at: revision, of: place) }
        }
        guard let line = line(of: revision, in: sessions[place].unit) else { return nil }
        notes.deliveries += 1
        sessions[place].position = revision
        return line
    }

    /// A revision of the window as others than who made it are told of it.
    mutating func line(of revision: Revision, in unit: CodeUnit) -> [UInt8]? {
        if let line = window.line(of: revision, in: unit) { return line }
        guard let committed = window[revision] else { return nil }
        let line = changeLine(committed.logged, by: committed.client, at: revision, in: unit)
        window.keep(line, of: revision, in: unit)
        return line
    }

    /// Whoever pushed a revision is told of it by an ack.
    private mutating func takeOwn(
        _ logged: LoggedChange, at revision: Revision, of place: Int
    ) -> [UInt8] {
        let unit = sessions[place].unit
        sessions[place].position = revision
        guard let due = sessions[place].due, due.revision == revision else {
            return ackLine(logged, at: revision, in: unit)
        }
        sessions[place].due = nil
        if sessions[place].closing != nil { streamsWait = true }
        return ackLine(due, in: unit)
    }

    /// All revisions behind a session's position as one change, and then everybody's selections anew.
    private mutating func squash(_ place: Int) {
        let (from, unit) = (sessions[place].position, sessions[place].unit)
        if squashed?.from != from || squashed?.revision != head {
            squashed = SquashedLines(from: from, revision: head, edits: squashedEdits(after: from))
        }
        if let line = squashed?.lines[unit] {
            hand(line, at: place)
        } else if let edits = squashed?.edits {
            let line = line(
                WireChange(
                    document: name, revision: head, origin: .squashed(from: from),
                    edits: edits.map { WireEdit($0, in: unit) }))
            squashed?.lines[unit] = line
            hand(line, at: place)
        }
        notes.deliveries += 1
        sessions[place].position = head
        sessions[place].told = 0
    }

    private func squashedEdits(after revision: Revision) -> [LoggedEdit] {
        guard let missed = window.changes(after: revision), let old = window.text(at: revision) else {
            preconditionFailure("what is squashed behind \(revision.value) is not in the window")
        }
        var change = Change()
        for next in missed {
            guard let composed = try? change.composed(with: next.change) else {
                preconditionFailure("revision \(next.revision.value) does not follow the one before it")
            }
            change = composed
        }
        return change.joined(making: text, toBytes: limits.announced.serverList).logged(in: old)
    }

    // MARK: Behind the window

    /// Lets a session be served by the store, or, where that would cost more than the text, be handed that.
    private mutating func fallBack(_ place: Int) {
        noteSlowness(of: place)
        let behind = head.value - max(sessions[place].position, sessions[place].joined).value
        if behind > limits.sessionBehind {
            sessions[place].resync = .tooSlow
            streamsWait = true
        } else if clock.now < storeRests {
            clock.needs(at: storeRests)
        } else if standstills.isEmpty, !sessions[place].isReading {
            sessions[place].isReading = true
            read(after: sessions[place].position)
        }
    }

    /// A session that came with an old position is not slow before it has been brought to the head once.
    private mutating func noteSlowness(of place: Int) {
        if sessions[place].isSlow || sessions[place].position < sessions[place].joined { return }
        sessions[place].isSlow = true
        notes.slowSessions.append(sessions[place].id)
    }

    private mutating func caughtUp(_ place: Int) {
        sessions[place].isSlow = false
        notes.caughtUp.append(sessions[place].id)
    }

    /// Hands out revisions that are no longer in the window.
    mutating func serve(from revision: Revision, _ result: Result<Reading, HistoryRefusal>) {
        var lines: [UnitLines] = []
        for place in sessions.indices
        where sessions[place].isReading && sessions[place].position == revision && !sessions[place].isBarred {
            sessions[place].isReading = false
            switch result {
            case .success(let reading): serve(place, reading, &lines)
            case .failure(.trimmed), .failure(.ahead), .failure(.wrongText):
                sessions[place].resync = .trimmed
            case .failure(.refused): break
            }
            streamsWait = true
        }
    }

    /// Hands a session what of a reading its credit allows. The lines are made once for all who are handed the same.
    private mutating func serve(_ place: Int, _ reading: Reading, _ lines: inout [UnitLines]) {
        let unit = sessions[place].unit
        for (index, logged) in reading.segment.changes.enumerated() {
            if sessions[place].outstanding >= limits.creditBytes || sessions[place].isCut { return }
            let revision = Revision(reading.segment.first.value + index)
            // What the store has behind the head the room has yet to take in.
            if revision > head { return }
            if !logged.fits(limits.announced.serverList) {
                sessions[place].resync = .tooSlow
                return
            }
            if logged.pusher == sessions[place].pusher {
                hand(takeOwn(logged, at: revision, of: place), at: place)
                continue
            }
            while lines.count <= index { lines.append(UnitLines()) }
            let line = lines[index][unit] ?? changeLine(logged, at: revision, in: unit)
            lines[index][unit] = line
            hand(line, at: place)
            notes.deliveries += 1
            sessions[place].position = revision
        }
    }

    /// Hands a session the whole text, where its position is no more; false where what its pusher has pushed has to
    /// be looked up first.
    private mutating func resync(_ place: Int, _ reason: ResyncReason) -> Bool {
        let pusher = sessions[place].pusher
        guard pushers.isKnown(pusher) else {
            if clock.now < storeRests {
                clock.needs(at: storeRests)
            } else if standstills.isEmpty, pushers.ask(for: pusher) {
                ask(.lookUp(pusher))
            }
            return false
        }
        sessions[place].resync = nil
        sessions[place].isReading = false
        // What it says is `own` counts as acked.
        sessions[place].due = nil
        sessions[place].position = head
        sessions[place].opened = head
        sessions[place].checked = head
        sessions[place].wantsCheck = false
        sessions[place].told = 0
        if sessions[place].closing != nil { streamsWait = true }
        let resync = Resync(
            document: name, epoch: epochName, revision: head, text: wireText, reason: reason,
            own: own(of: pusher))
        hand(line(resync), at: place)
        return true
    }
}
