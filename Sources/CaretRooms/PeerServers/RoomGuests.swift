import CaretCore
package import CaretLog
import CaretWire

/// What a room hears of the sessions at other servers.
package enum GuestEvent: Equatable, Sendable {
    case selected(NodeID, GuestNews)
    /// The session with this public id has left.
    case left(ByteString)
    /// Another server asks who has the document open.
    case rosterAsked
    /// Another server is heard, and may not know of the sessions here.
    case found
    /// Messages of other servers were lost.
    case missed
    /// A run of a server has ended.
    case gone(NodeID)
}

/// The sessions at other servers, and what this room tells those servers of its own.
extension RoomState {
    mutating func heard(_ event: GuestEvent) {
        // A room without sessions shows nobody anything. It asks when its first session opens.
        if closedWith != nil || sessions.isEmpty { return }
        switch event {
        case .selected(let node, let news): heard(news, from: node)
        case .left(let session):
            guests.forgetEarly(session)
            if let index = guests.index(of: WireString(session.string)) { removeGuest(at: index) }
        case .rosterAsked, .found: tellAllPresence()
        case .missed:
            guests.beginConfirmation(at: clock.now)
            askForGuests()
            // The others may have asked in a message that was lost.
            tellAllPresence()
            scheduleGuestWork()
        case .gone(let node):
            guests.forgetEarly(of: node)
            removeGuests { $0.node == node }
        }
    }

    private mutating func heard(_ news: GuestNews, from node: NodeID) {
        guard news.epoch == log.epoch.document, !isHere(news) else { return }
        if news.revision > head {
            guests.keepEarly(news, from: node)
            catchUp.noteHint(news.revision)
            return followHint()
        }
        show(news, from: node)
    }

    /// Whether the client has moved to this server.
    private func isHere(_ news: GuestNews) -> Bool {
        sessions.all.contains { session in
            let introduction = session.participant.introduction
            return introduction.client.string == news.client.string
                && introduction.user.string == news.user.string
        }
    }

    /// Shows the news that came before their revision.
    mutating func showEarlyGuests() {
        if !guests.hasEarly { return }
        for (node, news) in guests.takeEarly(upTo: head) where news.epoch == log.epoch.document {
            show(news, from: node)
        }
    }

    private mutating func show(_ news: GuestNews, from node: NodeID) {
        guests.forgetEarly(news.session)
        let known = guests.index(of: WireString(news.session.string))
        if known == nil, guests.count >= limits.roomSelections { return }
        let index = known ?? guests.add(news, from: node)
        guests[index].lostSince = nil
        if news.moment <= guests[index].moment { return }
        guard let selections = selections(of: news) else {
            // Its server is behind this room, so the selections are asked for again.
            if known == nil { select([], ofGuest: index) }
            guests.askAgain(at: clock.now + GuestList.askAgainTime)
            return scheduleGuestWork()
        }
        guests[index].moment = news.moment
        let others = presence.selectionCount - guests[index].presence.selections.count
        let isAllowed = others + selections.count <= limits.roomSelections
        select(isAllowed ? selections : [], ofGuest: index)
    }

    /// The selections in the text at the head; nil if the text that they count in is no longer available.
    private func selections(of news: GuestNews) -> [Selection]? {
        if news.selections.isEmpty { return [] }
        guard let text = log.window.text(at: news.revision),
            let missed = log.window.changes(after: news.revision)
        else { return nil }
        let said = news.selections.map { WireSelection($0.anchor.value, $0.head.value) }
        guard var selections = text.selections(said, in: .utf16) else { return [] }
        for next in missed {
            for index in selections.indices {
                selections[index] = selections[index].mapped(through: next.change)
            }
        }
        return selections
    }

    mutating func select(_ selections: [Selection], ofGuest index: Int) {
        presence.select(selections, by: &guests[index])
        sweepPresenceIfNeeded()
    }

    private mutating func removeGuest(at index: Int) {
        let guest = guests.remove(at: index)
        presence.left(guest)
        sweepPresenceIfNeeded()
    }

    private mutating func removeGuests(_ isGone: (GuestList.Guest) -> Bool) {
        for index in guests.indices.reversed() where isGone(guests[index]) { removeGuest(at: index) }
    }

    /// Removes the guests of whom their servers have not told again in time, and asks again for selections that could not
    /// be shown.
    mutating func doGuestWork() {
        let last = clock.now - GuestList.confirmationTime
        removeGuests { $0.lostSince ?? .max <= last }
        if guests.takeAsking(at: clock.now) { askForGuests() }
        scheduleGuestWork()
    }

    private mutating func scheduleGuestWork() {
        if let time = guests.workTime { clock.schedule(at: time) }
    }

    /// The last session has left, so nobody sees the guests.
    mutating func forgetGuests() {
        presence.forget(guests)
        guests = GuestList()
    }

    /// The client of a session that opens the document may have been at another server before.
    mutating func welcome(_ participant: Participant) {
        if !sharesStore { return }
        if sessions.isEmpty { return askForGuests() }
        removeGuests {
            $0.introduction.client == participant.introduction.client
                && $0.introduction.user == participant.introduction.user
        }
    }

    private mutating func askForGuests() { effects.add(.tell(.roster(log.document))) }

    // MARK: What other servers are told

    private mutating func tellAllPresence() {
        for index in sessions.indices where sessions[index].presence.known != nil { tell(index) }
    }

    /// Tells other servers of the sessions that have selected something since they were last told. Returns whether
    /// there were any.
    mutating func tellPresence() -> Bool {
        if !sharesStore { return false }
        let told = presence.toldUntil
        let changed = sessions.indices.filter { sessions[$0].presence.selected > told }
        for index in changed { tell(index) }
        presence.markTold()
        return !changed.isEmpty
    }

    private mutating func tell(_ index: Int) {
        let (session, introduction) = (sessions[index], sessions[index].participant.introduction)
        effects.add(
            .tell(
                .selected(
                    GuestNews(
                        document: log.document, epoch: log.epoch.document, revision: head,
                        session: ByteString(session.participant.name.string),
                        user: ByteString(introduction.user.string),
                        client: ByteString(introduction.client.string),
                        info: introduction.info.map { ByteString(utf8: $0.json) },
                        moment: session.presence.selected,
                        selections: Array(session.presence.selections.prefix(GuestNews.mostSelections))))))
    }

    mutating func tellDeparture(of session: RoomSession) {
        if !sharesStore || session.presence.known == nil { return }
        effects.add(.tell(.left(log.document, ByteString(session.participant.name.string))))
    }
}
