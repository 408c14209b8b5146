/// What a server sends to the other servers and reads from them, as a value without a connection.
///
/// Messages may be lost. But each has a number, and every server sends at least one message per `beat`. So the others
/// soon notice that they have missed one.
package struct BusEndpoint {
    package private(set) var id: NodeID
    /// The longest time without a message, in milliseconds.
    private let beat: Int64
    private var outbox = BusOutbox()
    private var peers: PeerServers
    /// The number of the last message.
    private var number: Int64 = 0
    /// When the last message was sent; nil if none was sent over this connection.
    private var sentAt: Int64?
    /// The notifications that `takeMessages` has returned, until `ended` is called.
    private var underway: [PeerNotification]?
    /// When the oldest notification of the outbox came, and of `underway`; nil if there is none.
    private var oldest: Int64?
    private var oldestUnderway: Int64?

    package init(_ id: NodeID, beat: Int64 = PeerServers.beat, silence: Int64 = PeerServers.silence) {
        (self.id, self.beat) = (id, beat)
        peers = PeerServers(silence: silence)
    }

    // MARK: Sending

    /// Adds notifications to the next message, at this time in milliseconds. Returns true if no others were waiting.
    ///
    /// While this server knows no other one, selections are left out: when a server is found, the rooms publish all of their
    /// selections again. Departures are kept, because another server may still show the session.
    package mutating func publish(_ notifications: [PeerNotification], at now: Int64) -> Bool {
        let wasEmpty = outbox.isEmpty
        for one in notifications {
            if case .selected = one, peers.count == 0 { continue }
            outbox.add(one)
        }
        if oldest == nil, !outbox.isEmpty { oldest = now }
        return wasEmpty && !outbox.isEmpty
    }

    /// For how many milliseconds the oldest unsent notification has waited; 0 if all are sent. They are sent when `ended`
    /// says so.
    package func unsentAge(at now: Int64) -> Int64 { (oldestUnderway ?? oldest).map { now - $0 } ?? 0 }

    /// When the next message must be sent at the latest.
    package var nextBeat: Int64 { sentAt.map { $0 + beat } ?? 0 }

    /// The messages to send now: all notifications, or one empty message if `nextBeat` has come. The caller must then call
    /// `ended`.
    package mutating func takeMessages(at now: Int64) -> [String] {
        if outbox.isEmpty, now < nextBeat { return [] }
        let (notifications, hasDropped) = outbox.take()
        // A missing number tells the others to look for changes themselves.
        if hasDropped { number += 1 }
        var (rest, texts) = (notifications[...], [String]())
        repeat {
            number += 1
            texts.append(BusMessage.take(from: &rest, sender: id, number: number))
        } while !rest.isEmpty
        (underway, oldestUnderway, oldest) = (notifications, oldest, nil)
        return texts
    }

    /// The messages of `takeMessages` were sent, or may not have been. Then their notifications wait again. Their numbers
    /// are not used again, because the messages may have arrived. Returns how many notifications were sent.
    @discardableResult
    package mutating func ended(areSent: Bool, at now: Int64) -> Int {
        guard let notifications = underway.take() else { return 0 }
        let since = oldestUnderway.take()
        if areSent {
            sentAt = now
            return notifications.count
        }
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
            guard let message = BusMessage(text), message.sender != id else { continue }
            count += 1
            events += peers.received(message, at: now)
            if message.notifications.isEmpty { continue }
            events.append(.received(message.sender, message.notifications))
        }
        return (count, events + peers.forgetSilent(at: now))
    }

    /// The connection was lost. Messages may be missed from now on, so the other servers must be found again.
    package mutating func disconnected(at now: Int64) {
        ended(areSent: false, at: now)
        sentAt = nil
        peers.forgetAll()
    }

    /// This server goes on under another name, so the others take it for another server.
    package mutating func become(_ new: NodeID, at now: Int64) {
        disconnected(at: now)
        id = new
    }
}
