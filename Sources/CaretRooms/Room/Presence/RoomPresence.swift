import CaretCore
import CaretWire

/// Handling selections.
extension RoomState {
    mutating func select(_ select: Select, _ request: RequestID?, of id: SessionID) {
        guard let index = sessions.index(of: id), !sessions[index].isEnding else {
            return refuse(.select(id, select, request), .notOpen)
        }
        if let refusal = keep(select, of: index) {
            let head = refusal.code == .baseAhead ? log.position : nil
            reply(
                ErrorReport(refusal.code, refusal.message, document: select.document, head: head), request,
                to: id)
        }
    }

    /// Stores a session's selections, rebased to the head. Returns the refusal if the selections are refused.
    private mutating func keep(_ select: Select, of index: Int) -> RequestRefusal? {
        let (revision, unit) = (select.revision, sessions[index].unit)
        if revision > head {
            return RequestRefusal(
                .baseAhead, "revision \(revision.value) is beyond the head \(head.value)")
        }
        // A selection in a text that is no longer available is dropped without an error.
        guard revision >= sessions[index].stream.firstKnown, let text = log.window.text(at: revision),
            let missed = log.window.changes(after: revision)
        else { return nil }
        guard let selections = text.selections(select.selections, in: unit) else {
            let end = text.length.count(of: unit)
            return RequestRefusal(
                .badRange,
                "a selection ends past the text's length \(end) or inside a character, at revision \(revision.value)"
            )
        }
        let others = presence.selectionCount - sessions[index].presence.selections.count
        let count = others + selections.count
        if count > limits.roomSelections {
            return RequestRefusal(
                .tooLarge,
                "the document would have \(count) selections; at most \(limits.roomSelections) are allowed")
        }
        setSelections(moved(selections, over: missed), of: index)
        return nil
    }

    /// Selections of an earlier revision, moved over the changes since then.
    func moved(_ selections: [Selection], over missed: some Sequence<Committed>) -> [Selection] {
        var selections = selections
        for next in missed {
            for index in selections.indices {
                selections[index] = selections[index].mapped(through: next.change)
            }
        }
        return selections
    }

    mutating func setSelections(_ selections: [Selection], of index: Int) {
        presence.select(selections, by: &sessions[index])
        sweepPresenceIfNeeded()
    }

    /// Records that a session has left the room, so that other sessions are informed.
    mutating func forgetPresence(of session: RoomSession) {
        publishDeparture(of: session)
        presence.left(session.participant.name, session.presence)
        sweepPresenceIfNeeded()
    }

    mutating func sweepPresenceIfNeeded() { if presence.wantsSweep { sweepPresence() } }

    private mutating func sweepPresence() {
        // Disconnect the sessions for which more departures than the limit wait to be sent. Sessions that
        // receive departures quickly enough stay connected. These only wait for the tick.
        if let departure = presence.departure(before: limits.roomSelections) {
            let moment = min(departure, presence.lastFanOut)
            for index in sessions.indices
            where sessions[index].presence.introduced < moment && !sessions[index].stream.isDisconnecting {
                disconnect(index)
            }
        }
        let (sessions, remoteSessions) = (sessions, remoteSessions)
        let sentUntil = sessions.indices.reduce(presence.now) { sentUntil, index in
            sessions[index].stream.isDisconnecting
                ? sentUntil : min(sentUntil, sessions[index].presence.introduced)
        }
        presence.sweep { event in
            switch event.kind {
            case .left: event.moment > sentUntil
            case .selected(let id):
                sessions.index(of: id).map { sessions[$0].presence.selected == event.moment } ?? false
            case .remoteSelected(let name):
                remoteSessions.index(of: name).map { remoteSessions[$0].presence.selected == event.moment }
                    ?? false
            }
        }
    }

    // MARK: Sending

    /// Sends the sessions at the head the presence that they lack, if the tick allows it now.
    mutating func sendPresence() {
        switch presence.tick.decide(at: clock.now) {
        case .nothing: break
        case .wait(let time): clock.schedule(at: time)
        case .send:
            var shared = SharedBatches()
            var isSent = false
            for index in sessions.indices where canBeSentPresence(index) {
                let lines = missedPresence(of: index, &shared)
                sessions[index].presence.markSent(until: presence.now)
                if lines.isEmpty { continue }
                deliver(lines, to: index)
                isSent = true
            }
            presence.endFanOut()
            if publishSelections() { isSent = true }
            if isSent { presence.tick.sent(at: clock.now, every: limits.peerMilliseconds) }
        }
    }

    /// Whether a session lacks presence that it could be sent.
    func lacksPresence(_ index: Int) -> Bool {
        canBeSentPresence(index) && sessions[index].presence.sentUntil < presence.now
    }

    /// Presence counts in the text at the head, so only sessions at the head can be sent presence.
    private func canBeSentPresence(_ index: Int) -> Bool {
        sessions[index].stream.position == head && sessions[index].stream.phase == .live
            && sessions[index].stream.outstanding < limits.creditBytes
            && !sessions[index].stream.isBarred && !sessions[index].stream.isDisconnecting
    }

    /// The presence that a session lacks, without its own.
    private mutating func missedPresence(of index: Int, _ shared: inout SharedBatches) -> [UInt8] {
        let since = sessions[index].presence.sentUntil
        let selected = sessions[index].presence.selected
        let batch = batch(after: since, sessions[index].presence.introduced, sessions[index].unit, &shared)
        return selected > since ? batch.lines(without: selected) : batch.lines
    }

    private mutating func batch(
        after moment: Int, _ introduced: Int, _ unit: CodeUnit, _ shared: inout SharedBatches
    ) -> PresenceBatch {
        let isWhole = moment != introduced
        if introduced != presence.lastFanOut || (isWhole && moment != 0) {
            return batch(after: moment, introducedAt: introduced, in: unit)
        }
        if let batch = shared[unit, isWhole: isWhole] { return batch }
        let batch = batch(after: moment, introducedAt: introduced, in: unit)
        shared[unit, isWhole: isWhole] = batch
        return batch
    }

    /// The lines of the presence events after a moment. The receivers were sent the introductions up to
    /// `introduced`.
    private mutating func batch(
        after moment: Int, introducedAt introduced: Int, in unit: CodeUnit
    ) -> PresenceBatch {
        var batch = PresenceBatch()
        for event in presence.events(after: moment) {
            switch event.kind {
            case .left(let name, let known):
                if known > introduced || event.moment <= introduced { continue }
                let left = PeerChange(document: log.name, session: name, news: .left)
                batch.append(effects.line(left), at: event.moment)
            case .selected(let id):
                guard let index = sessions.index(of: id),
                    sessions[index].presence.selected == event.moment
                else { continue }
                let line = peerLine(
                    of: sessions[index].participant.name, sessions[index].participant.introduction,
                    sessions[index].presence, in: unit, since: introduced)
                sessions[index].presence.keep(line, at: head, in: unit, since: introduced)
                batch.append(line, at: event.moment)
            case .remoteSelected(let name):
                guard let index = remoteSessions.index(of: name),
                    remoteSessions[index].presence.selected == event.moment
                else { continue }
                let line = peerLine(
                    of: name, remoteSessions[index].introduction, remoteSessions[index].presence, in: unit,
                    since: introduced)
                remoteSessions[index].presence.keep(line, at: head, in: unit, since: introduced)
                batch.append(line, at: event.moment)
            }
        }
        return batch
    }

    /// The line about a session, with its introduction if receivers do not know the session yet.
    private mutating func peerLine(
        of name: WireString, _ introduction: Introduction, _ peer: SessionPresence, in unit: CodeUnit,
        since introduced: Int
    ) -> [UInt8] {
        if let line = peer.line(at: head, in: unit, since: introduced) { return line }
        let news = PeerChange.News.selected(
            revision: head, selections: text.wire(peer.selections, in: unit),
            introduction: peer.isNew(since: introduced) ? introduction : nil)
        return effects.line(PeerChange(document: log.name, session: name, news: news))
    }

    /// The introduced sessions, as a session receives them when it opens the document. A session that resumes
    /// receives the selections later, when it has reached the head.
    func peers(in unit: CodeUnit, resumed: Bool) -> [Peer] {
        let here = sessions.all.map { ($0.participant.name, $0.participant.introduction, $0.presence) }
        let elsewhere = remoteSessions.all.map { ($0.name, $0.introduction, $0.presence) }
        return (here + elsewhere).compactMap { name, introduction, presence in
            if presence.known == nil { return nil }
            return Peer(
                session: name, introduction: introduction,
                selections: resumed ? [] : text.wire(presence.selections, in: unit))
        }
    }
}
