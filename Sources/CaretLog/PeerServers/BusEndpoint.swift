import CaretCore

/// A message for the other servers.
package struct BusLetter: Equatable, Sendable {
    /// The number of the server to which alone it is sent; nil if it is sent to all.
    package let recipient: Int64?
    package let text: String

    package init(recipient: Int64? = nil, text: String) { (self.recipient, self.text) = (recipient, text) }
}

/// What a server sends to the other servers and reads from them, as a value without a connection.
///
/// Messages may be lost. But each has a number, and every server sends at least one message to all per `beat`. So the
/// others soon notice that they have missed one.
///
/// The news of a document are sent only to servers that need them. Each server tells the others which documents it has
/// open: at once if it opens another one, and all of them with each beat. News from before a server was known to
/// need them are sent to it afterwards. So a server may read a document first, and tell the others then.
package struct BusEndpoint {
    package private(set) var id: NodeID
    /// The time between two beats, in milliseconds. A beat is a message to all that says what this server needs.
    private let beat: Int64
    private var outbox = BusOutbox()
    private var peers: PeerServers
    private var recent: RecentNotifications
    /// What this server needs.
    private var needs = BusNeeds()
    /// The number of the last message to all.
    private var number: Int64 = 0
    /// When the last beat was sent; nil if none was sent over this connection.
    private var beatAt: Int64?
    /// Another server has asked what this one needs.
    private var isAsked = false
    /// The notifications that `takeLetters` has returned, until `ended` is called.
    private var underway: [PeerNotification]?
    /// When the oldest notification of the outbox came, and of `underway`; nil if there is none.
    private var oldest: Int64?
    private var oldestUnderway: Int64?

    /// How long news are kept for servers that open their document then, in milliseconds. Some are kept twice as long. A
    /// server that could not tell what it needs counts as gone before that, so it never misses what is no longer kept.
    package static let keeping = PeerServers.silence + PeerServers.beat

    package init(
        _ id: NodeID, beat: Int64 = PeerServers.beat, silence: Int64 = PeerServers.silence,
        keeping: Int64 = BusEndpoint.keeping
    ) {
        (self.id, self.beat) = (id, beat)
        peers = PeerServers(silence: silence)
        recent = RecentNotifications(period: keeping)
    }

    // MARK: Needs

    /// This server has opened a document, and needs its news. Returns true if the others must be told.
    package mutating func opened(_ document: DocumentID) -> Bool { needs.opened(document) }

    /// This server has closed a document. The next beat tells the others.
    package mutating func closed(_ document: DocumentID) { needs.closed(document) }

    /// This server needs the news of all documents, or no longer. Returns true if the others must be told.
    package mutating func needAll(_ all: Bool) -> Bool { needs.needAll(all) }

    // MARK: Sending

    /// Adds notifications to the next messages, at this time in milliseconds. Returns true if no others were waiting.
    ///
    /// Those that nobody needs are not sent. A departure may matter later: another server may still show the session.
    /// Selections do not: a room that opens asks for them, and if a server is found, the rooms publish all of them again.
    package mutating func publish(_ notifications: [PeerNotification], at now: Int64) -> Bool {
        let wasEmpty = outbox.isEmpty
        for one in notifications {
            guard let slice = one.slice, !peers.isNeeded(slice), !outbox.contains(one.subject) else {
                outbox.add(one)
                continue
            }
            recent.add(one, in: slice, at: now)
        }
        noteOldest(at: now)
        return wasEmpty && !outbox.isEmpty
    }

    private mutating func noteOldest(at now: Int64) { if oldest == nil, !outbox.isEmpty { oldest = now } }

    /// For how many milliseconds the oldest unsent notification has waited; 0 if all are sent. They are sent when `ended`
    /// says so.
    package func unsentAge(at now: Int64) -> Int64 { (oldestUnderway ?? oldest).map { now - $0 } ?? 0 }

    /// When the next beat must be sent.
    package var nextBeat: Int64 { isAsked ? 0 : beatAt.map { $0 + beat } ?? 0 }

    /// Whether there is something to send before the next beat.
    package var hasLetters: Bool { !outbox.isEmpty || needs.hasNew || isAsked }

    /// The messages to send now: all notifications, and what this server needs if `nextBeat` has come. The caller must
    /// then call `ended`.
    package mutating func takeLetters(at now: Int64) -> [BusLetter] {
        let isBeat = now >= nextBeat
        if !hasLetters, !isBeat { return [] }
        let (notifications, hasDropped) = outbox.take()
        var (toAll, toOne) = ([BusMessage.Word](), [NodeID: [BusMessage.Word]]())
        for one in notifications { sort(one, &toAll, &toOne, at: now) }
        var letters: [BusLetter] = []
        for (node, words) in toOne.sorted(by: { $0.key < $1.key }) {
            letters += self.letters(words, to: node)
        }
        // A missing number tells the others to look for changes themselves.
        if hasDropped { number += 1 }
        if isBeat || hasDropped || needs.hasNew || !toAll.isEmpty {
            letters += self.letters(
                needs.words(isBeat: isBeat, asks: beatAt == nil) + peers.takeCounts() + toAll)
        }
        if isBeat { (isAsked, beatAt) = (false, now) }
        (underway, oldestUnderway, oldest) = (notifications, oldest, nil)
        return letters
    }

    private mutating func sort(
        _ one: PeerNotification, _ toAll: inout [BusMessage.Word], _ toOne: inout [NodeID: [BusMessage.Word]],
        at now: Int64
    ) {
        guard let slice = one.slice else { return toAll.append(.notification(one)) }
        switch peers.readers(of: slice) {
        case .everybody: toAll.append(.notification(one))
        case .some(let nodes): for node in nodes { toOne[node, default: []].append(.notification(one)) }
        case .nobody: break
        }
        // Others may need it soon.
        recent.add(one, in: slice, at: now)
    }

    private mutating func letters(_ words: [BusMessage.Word], to node: NodeID? = nil) -> [BusLetter] {
        var (rest, letters) = (words[...], [BusLetter]())
        repeat {
            let next: Int64
            if let node {
                next = peers.nextNumber(to: node)
            } else {
                number += 1
                next = number
            }
            let text = BusMessage.take(from: &rest, sender: id, number: next, to: node?.run)
            letters.append(BusLetter(recipient: node?.node, text: text))
        } while !rest.isEmpty
        return letters
    }

    /// The messages of `takeLetters` were sent, or may not have been. Then their notifications wait again. Their numbers
    /// are not used again, because the messages may have arrived. Returns how many notifications were sent.
    @discardableResult
    package mutating func ended(areSent: Bool) -> Int {
        guard let notifications = underway.take() else { return 0 }
        let since = oldestUnderway.take()
        if areSent { return notifications.count }
        outbox.putBack(notifications)
        oldest = since ?? oldest
        return 0
    }

    // MARK: Receiving

    /// The number of other servers that send messages to this one.
    package var peerCount: Int { peers.count }

    /// Reads messages, and finds out which servers are silent. Returns how many messages came from other servers.
    package mutating func receive(_ texts: [String], at now: Int64) -> (count: Int, events: [BusEvent]) {
        var (count, events): (Int, [BusEvent]) = (0, [])
        for text in texts {
            guard let message = BusMessage(text), message.sender != id, message.recipient ?? id.run == id.run
            else { continue }
            count += 1
            events += peers.received(message, by: id, at: now)
            if message.words.contains(.asksForNeeds) { isAsked = true }
            let notifications = message.notifications
            if !notifications.isEmpty { events.append(.received(message.sender, notifications)) }
        }
        events += peers.forgetSilent(at: now)
        recent.forgetOld(at: now)
        if let slices = peers.takeNewNeeds() {
            outbox.putBack(recent.notifications(in: slices))
            noteOldest(at: now)
        }
        return (count, events)
    }

    /// The connection was lost. Messages may be missed from now on, so the other servers must be found again.
    package mutating func disconnected() {
        ended(areSent: false)
        beatAt = nil
        peers.forgetAll()
    }

    /// This server goes on under another name, so the others take it for another server.
    package mutating func become(_ new: NodeID) {
        disconnected()
        peers.beginNewRun()
        id = new
    }
}

extension PeerNotification {
    /// The slice of documents whose news this is; nil if all servers need it.
    fileprivate var slice: Int? { document.map { DocumentSlices.slice(of: $0) } }
}
