import CaretCore
import CaretLog
import CaretWire

/// Sending the sessions what they have not received yet.
extension RoomState {
    /// Sends each session what is new for it.
    mutating func deliverStreams() {
        while sessions.takeDeliveryNeed() {
            for index in sessions.indices { advance(index) }
            endClosed()
        }
        log.forgetRuns()
    }

    /// Sends a session the revisions after its position, as far as its credit allows. At the head it gets
    /// checks, and its presence waits for the tick.
    mutating func advance(_ index: Int) {
        if sessions[index].stream.isBarred { return }
        while sessions[index].stream.outstanding < limits.creditBytes, !sessions[index].stream.isDisconnecting
        {
            let position = sessions[index].stream.position
            if case .needsText(let reason) = sessions[index].stream.phase {
                if !sendText(to: index, reason) { break }
            } else if position == head {
                if sessions[index].stream.isSlow { noteCaughtUp(index) }
                if lacksPresence(index) { presence.tick.wait() }
                if sessions[index].owesNoted { sendNoted(to: index) }
                return sendCheck(to: index)
            } else if !log.window.contains(position.next) {
                fallBack(index)
                break
            } else if sessions[index].squashes, head.value - position.value > 1 {
                squash(index)
            } else if !sendRun(to: index) {
                sendNext(to: index)
            }
        }
    }

    /// Sends a session the revision after its position, which is in the window.
    mutating func sendNext(to index: Int) {
        if let line = takeNext(index) { deliver(line, to: index) }
    }

    /// Returns the line of the revision after a session's position, and moves the position to that revision.
    /// Returns nil if the window does not have this revision.
    mutating func takeNext(_ index: Int) -> [UInt8]? {
        let revision = sessions[index].stream.position.next
        if log.window.isMade(revision, by: sessions[index].pusher, sessions[index].pusherHash) {
            return log.window[revision].map { takeOwn($0.logged, at: revision, of: index) }
        }
        guard let line = line(of: revision, in: sessions[index].unit) else { return nil }
        effects.notes.deliveries += 1
        sessions[index].stream.moved(to: revision)
        return line
    }

    /// The line of a revision in the window, for sessions of other pushers.
    mutating func line(of revision: Revision, in unit: CodeUnit) -> [UInt8]? {
        if let line = log.window.line(of: revision, in: unit) { return line }
        guard let committed = log.window[revision] else { return nil }
        let line = changeLine(committed.logged, by: committed.client, at: revision, in: unit)
        log.keep(line, of: revision, in: unit)
        return line
    }

    /// Returns the ack that a session gets instead of its own change, and moves its position.
    private mutating func takeOwn(
        _ logged: LoggedChange, at revision: Revision, of index: Int
    ) -> [UInt8] {
        let unit = sessions[index].unit
        sessions[index].stream.moved(to: revision)
        guard sessions[index].stream.pendingAck?.revision == revision,
            let due = sessions[index].stream.takePendingAck()
        else { return ackLine(logged, at: revision, in: unit) }
        if sessions[index].isEnding { sessions.needDelivery() }
        return ackLine(due, in: unit)
    }

    /// Sends all revisions after a session's position as one change. After the change, all selections are
    /// sent again.
    private mutating func squash(_ index: Int) {
        let (from, unit) = (sessions[index].stream.position, sessions[index].unit)
        let squashed =
            log.squashed(from: from)
            ?? SquashedLines(from: from, revision: head, edits: squashedEdits(after: from))
        let line = squashed.lines[unit] ?? squashedLine(squashed, in: unit)
        log.keep(squashed, line, in: unit)
        deliver(line, to: index)
        effects.notes.deliveries += 1
        sessions[index].stream.moved(to: head)
        sessions[index].presence.forgetSent()
    }

    private mutating func squashedLine(_ squashed: SquashedLines, in unit: CodeUnit) -> [UInt8] {
        effects.line(
            WireChange(
                document: log.name, revision: squashed.revision, origin: .squashed(from: squashed.from),
                edits: squashed.edits.map { WireEdit($0, in: unit) }))
    }

    private func squashedEdits(after revision: Revision) -> [LoggedEdit] {
        guard let missed = log.window.changes(after: revision), let old = log.window.text(at: revision) else {
            preconditionFailure(
                "the revisions after \(revision.value) must be squashed, but are not in the window")
        }
        var change = Change()
        for next in missed {
            guard let composed = try? change.composed(with: next.change) else {
                preconditionFailure(
                    "revision \(next.revision.value) does not fit the text of the revision before")
            }
            change = composed
        }
        return change.joined(making: text, toBytes: limits.announced.serverList).logged(in: old)
    }

    // MARK: Notes

    /// Notes of the document have changed. Sessions that want it are sent `noted` when they are at the head.
    mutating func notesChanged() {
        for index in sessions.indices { sessions[index].notesChanged() }
        sessions.needDelivery()
    }

    private mutating func sendNoted(to index: Int) {
        sessions[index].sentNoted()
        deliver(effects.line(Noted(document: log.name)), to: index)
    }

    // MARK: Outside the window

    /// Serves a session from the store, or sends it the whole text if that is cheaper.
    private mutating func fallBack(_ index: Int) {
        let stream = sessions[index].stream
        if sessions[index].stream.becameSlow() { effects.notes.slowSessions.append(sessions[index].id) }
        if isTooFarBehind(stream.position) {
            sessions.needText(index, .tooSlow)
        } else if clock.now < queries.retryTime {
            clock.schedule(at: queries.retryTime)
        } else if pause.isOver, stream.phase != .readingHistory {
            sessions[index].stream.waitForHistory()
            read(after: stream.position)
            queries.wait(sessions[index].id, forRevisionsAfter: stream.position)
        }
    }

    /// Whether sending the text costs less than sending the revisions after this one, which the window does not have.
    func isTooFarBehind(_ revision: Revision) -> Bool {
        !log.window.contains(revision.next) && head.value - revision.value > limits.sessionBehind
    }

    private mutating func noteCaughtUp(_ index: Int) {
        sessions[index].stream.caughtUp()
        effects.notes.caughtUp.append(sessions[index].id)
    }

    /// Sends waiting sessions the revisions that were read from the store, because the window no longer has
    /// them.
    mutating func serve(
        _ waiting: [SessionID], from revision: Revision, _ result: Result<HistorySlice, HistoryRefusal>
    ) {
        var lines: [UnitLines] = []
        for id in waiting {
            guard let index = sessions.index(of: id), sessions[index].stream.phase == .readingHistory,
                sessions[index].stream.position == revision, !sessions[index].stream.isBarred
            else { continue }
            sessions[index].stream.endHistoryWait()
            switch result {
            case .success(let reading): serve(index, reading, &lines)
            case .failure(.trimmed), .failure(.ahead), .failure(.wrongText):
                sessions.needText(index, .trimmed)
            case .failure(.refused): break
            }
            sessions.needDelivery()
        }
    }

    /// Sends a session as many revisions of a read as its credit allows. Sessions that need the same line
    /// share it.
    private mutating func serve(_ index: Int, _ reading: HistorySlice, _ lines: inout [UnitLines]) {
        let unit = sessions[index].unit
        for (offset, logged) in reading.segment.changes.enumerated() {
            if sessions[index].stream.outstanding >= limits.creditBytes
                || sessions[index].stream.isDisconnecting
            {
                return
            }
            let revision = Revision(reading.segment.first.value + offset)
            // The store has revisions that the room has not applied yet, so they are not sent now.
            if revision > head { return }
            if !logged.fits(limits.announced.serverList) { return sessions.needText(index, .tooSlow) }
            if logged.pusher == sessions[index].pusher {
                deliver(takeOwn(logged, at: revision, of: index), to: index)
                continue
            }
            while lines.count <= offset { lines.append(UnitLines()) }
            let line = lines[offset][unit] ?? changeLine(logged, at: revision, in: unit)
            lines[offset][unit] = line
            deliver(line, to: index)
            effects.notes.deliveries += 1
            sessions[index].stream.moved(to: revision)
        }
    }

    /// Sends a session the whole text. Returns false if the room must look up the session's pusher or encode the text
    /// first.
    private mutating func sendText(to index: Int, _ reason: ResyncReason) -> Bool {
        let pusher = sessions[index].pusher
        guard pushers.isKnown(pusher) else {
            if clock.now < queries.retryTime {
                clock.schedule(at: queries.retryTime)
            } else if pause.isOver, pushers.beginLookup(of: pusher) {
                lookUp(pusher)
            }
            return false
        }
        guard let text = wholeText(for: pusher) else { return false }
        switch text {
        case .short(let text):
            let resync = self.resync(to: index, at: head, text, reason)
            deliver(effects.line(resync), to: index)
        case .long(let text, let revision):
            let resync = self.resync(to: index, at: revision, "", reason)
            deliver(TextLine(.resync(resync), text), to: index)
        }
        return true
    }

    private mutating func resync(
        to index: Int, at revision: Revision, _ text: WireString, _ reason: ResyncReason
    ) -> Resync {
        sessions[index].stream.restarted(at: revision)
        sessions[index].presence.forgetSent()
        if sessions[index].isEnding { sessions.needDelivery() }
        return Resync(
            document: log.name, epoch: log.epochName, revision: revision, text: text, reason: reason,
            own: own(of: sessions[index].pusher))
    }
}
