/// What one server says on the bus and hears there, as a value without a connection.
///
/// Messages may be lost. But each has a number, and a server sends at least one in a while, so the others notice soon
/// that they have missed something.
package struct BusMember {
    package let id: NodeID
    /// A server sends at least one message in this time, in milliseconds.
    private let beat: Int64
    private var outbox = BusOutbox()
    private var neighbours: Neighbours
    /// The number of the last message.
    private var sent: Int64 = 0
    /// When the last message was sent; nil if none was sent over this connection.
    private var sentAt: Int64?
    /// The news whose messages are on their way, and the number of the last of these messages.
    private var underway: (news: [NodeNews], last: Int64)?

    package init(_ id: NodeID, beat: Int64 = Neighbours.beat, silence: Int64 = Neighbours.silence) {
        (self.id, self.beat) = (id, beat)
        neighbours = Neighbours(silence: silence)
    }

    // MARK: Saying

    /// Adds news for the next message. Returns whether they are the first that wait.
    ///
    /// Selections are not told while nobody is heard: a server that is found is told of all sessions. Departures are,
    /// because a server that is not heard for a moment may still show the session.
    package mutating func publish(_ news: [NodeNews]) -> Bool {
        let wasEmpty = outbox.isEmpty
        for one in news {
            if case .selected = one, neighbours.count == 0 { continue }
            outbox.add(one)
        }
        return wasEmpty && !outbox.isEmpty
    }

    /// When the next message must be sent at the latest.
    package var nextBeat: Int64 { sentAt.map { $0 + beat } ?? .min }

    /// The messages to send now: the waiting news, or an empty message if none was sent for long. The caller says with
    /// `ended` what became of them.
    package mutating func takeMessages(at now: Int64) -> [String] {
        if outbox.isEmpty, now < nextBeat { return [] }
        let (news, hasDropped) = outbox.take()
        // A hole in the numbers tells the others to look for changes themselves.
        if hasDropped { sent += 1 }
        var (rest, texts, last) = (news[...], [String](), sent)
        repeat {
            last += 1
            texts.append(BusMessage.take(from: &rest, sender: id, number: last))
        } while !rest.isEmpty
        underway = (news, last)
        return texts
    }

    /// The messages that were taken last were sent. If they were not, their news wait again.
    package mutating func ended(areSent: Bool, at now: Int64) {
        guard let (news, last) = underway.take() else { return }
        if areSent { (sent, sentAt) = (last, now) } else { outbox.putBack(news) }
    }

    // MARK: Hearing

    /// How many other servers are heard.
    package var neighbourCount: Int { neighbours.count }

    /// Reads messages of all servers, and notices which servers are silent. Returns how many messages were of others.
    package mutating func hear(_ texts: [String], at now: Int64) -> (count: Int, events: [NodeEvent]) {
        var (count, events): (Int, [NodeEvent]) = (0, [])
        for text in texts {
            guard let message = BusMessage(text), message.sender != id else { continue }
            count += 1
            events += neighbours.hear(message, at: now)
            if !message.news.isEmpty { events.append(.news(message.sender, message.news)) }
        }
        return (count, events + neighbours.forgetSilent(at: now))
    }

    /// The connection was lost, so messages may be missed from now on. The other servers must be found again.
    package mutating func disconnected(at now: Int64) {
        ended(areSent: false, at: now)
        sentAt = nil
        neighbours.forgetAll()
    }
}
