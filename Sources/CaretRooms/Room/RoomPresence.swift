import CaretCore
import CaretWire

/// Who has selected what.
extension RoomState {
    mutating func selected(_ id: SessionID, _ select: Select, _ request: RequestID?) {
        guard let place = sessions.place(of: id), !sessions[place].isEnding else {
            return refuse(.select(id, select, request), .notOpen)
        }
        if let refusal = keep(select, of: place) {
            let head = refusal.code == .baseAhead ? position : nil
            send(
                ErrorReport(refusal.code, refusal.message, document: select.document, head: head), request,
                to: id)
        }
    }

    /// Keeps a selection, as one at the head; or why not.
    private mutating func keep(_ select: Select, of place: Int) -> RequestRefusal? {
        let (revision, unit) = (select.revision, sessions[place].unit)
        if revision > head {
            return RequestRefusal(
                .baseAhead, "revision \(revision.value) is beyond the head \(head.value)")
        }
        // What was selected in a text that nobody has any more is not worth an error.
        guard revision >= sessions[place].opened, let text = window.text(at: revision),
            let missed = window.changes(after: revision)
        else { return nil }
        guard var selections = text.selections(select.selections, in: unit) else {
            let end = text.length.count(of: unit)
            return RequestRefusal(
                .badRange, "a selection has no place in the text of \(end) at revision \(revision.value)")
        }
        let count = selectionCount - sessions[place].selections.count + selections.count
        if count > limits.roomSelections {
            return RequestRefusal(
                .tooLarge,
                "there would be \(count) selections here, and \(limits.roomSelections) are allowed")
        }
        for next in missed {
            for index in selections.indices {
                selections[index] = selections[index].mapped(through: next.change)
            }
        }
        setSelections(selections, of: place)
        return nil
    }

    mutating func setSelections(_ selections: [Selection], of place: Int) {
        selectionCount += selections.count - sessions[place].selections.count
        sessions[place].selections = selections
        sessions[place].peerLines = PeerLines()
        sessions[place].selected = presence.add(.selected(sessions[place].id))
        if sessions[place].known == 0 { sessions[place].known = sessions[place].selected }
        streamsWait = true
        if presence.wantsSweep { sweepPresence() }
    }

    /// A session is gone from the room.
    mutating func forgetPresence(of session: RoomSession) {
        selectionCount -= session.selections.count
        if session.known == 0 { return }
        _ = presence.add(.left(session.participant.name, known: session.known))
        streamsWait = true
        if presence.wantsSweep { sweepPresence() }
    }

    private mutating func sweepPresence() {
        // Who reads so slowly that more have left meanwhile than a room has places is not waited for.
        if presence.departures > limits.roomSelections {
            for place in sessions.indices where sessions[place].told < presence.now && !sessions[place].isCut
            {
                cut(place)
            }
        }
        let told = sessions.reduce(presence.now) { $1.isCut ? $0 : min($0, $1.introduced) }
        let sessions = sessions
        presence.sweep { news in
            switch news.what {
            case .left: news.moment > told
            case .selected(let id):
                sessions.place(of: id).map { sessions[$0].selected == news.moment } ?? false
            }
        }
    }

    // MARK: Telling

    /// Tells a session that has been brought to the head what the others have selected since it was told last.
    mutating func tellPresence(to place: Int) {
        if sessions[place].told == presence.now { return }
        let next = sessions[place].toldAt + Int64(limits.peerMilliseconds)
        if sessions[place].isBehind, clock.now < next { return clock.needs(at: next) }
        let introduced = sessions[place].introduced
        for news in presence.news(after: sessions[place].told) {
            switch news.what {
            case .left(let name, let known):
                if known > introduced || news.moment <= introduced { continue }
                hand(line(PeerChange(document: self.name, session: name, news: .left)), at: place)
            case .selected(let id):
                guard let other = sessions.place(of: id), other != place,
                    sessions[other].selected == news.moment
                else { continue }
                hand(peerLine(of: other, in: sessions[place].unit, introducedAt: introduced), at: place)
            }
        }
        sessions[place].told = presence.now
        sessions[place].introduced = presence.now
        sessions[place].toldAt = clock.now
        sessions[place].isBehind = false
    }

    private mutating func peerLine(of other: Int, in unit: CodeUnit, introducedAt: Int) -> [UInt8] {
        sessions[other].peerLines.turn(to: head)
        let introduces = sessions[other].known > introducedAt
        let known =
            introduces
            ? sessions[other].peerLines.introducing[unit] : sessions[other].peerLines.plain[unit]
        if let known { return known }
        let participant = sessions[other].participant
        let news = PeerChange.News.selected(
            revision: head, selections: text.wire(sessions[other].selections, in: unit),
            introduction: introduces ? participant.introduction : nil)
        let line = line(PeerChange(document: name, session: participant.name, news: news))
        if introduces {
            sessions[other].peerLines.introducing[unit] = line
        } else {
            sessions[other].peerLines.plain[unit] = line
        }
        return line
    }

    /// The sessions that have made themselves known, as whoever opens the document is told. Who resumes is told
    /// where they are once he has been brought to the head.
    func peers(in unit: CodeUnit, resumed: Bool) -> [Peer] {
        sessions.compactMap { session in
            if session.known == 0 { return nil }
            return Peer(
                session: session.participant.name, introduction: session.participant.introduction,
                selections: resumed ? [] : text.wire(session.selections, in: unit))
        }
    }
}
