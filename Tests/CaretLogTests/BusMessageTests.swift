import CaretCore
import CaretLog
import TestSupport
import Testing

/// What servers over one PostgreSQL database send each other, without a connection.
@Suite("Messages between servers") struct BusMessageTests {
    private let sender = NodeID(node: 3, run: 36)

    private func messages(_ notifications: [PeerNotification]) throws -> [BusMessage] {
        var (rest, messages): (ArraySlice<PeerNotification>, [BusMessage]) = (notifications[...], [])
        repeat {
            let text = BusMessage.take(from: &rest, sender: sender, number: Int64(messages.count + 1))
            #expect(text.utf8.count <= BusMessage.mostBytes)
            messages.append(try #require(BusMessage(text)))
        } while !rest.isEmpty
        return messages
    }

    @Test("a message is text that a person can read")
    func text() {
        var notifications: ArraySlice<PeerNotification> = [
            .head(DocumentID(5), 120), .changed(DocumentID(6)), .revoked(TokenID(7)), .signedOut,
            .joined(PublicPusher(user: "ann", client: "p-\u{e9}"), at: 8),
        ]
        let text = BusMessage.take(from: &notifications, sender: sender, number: 9)
        #expect(text == "3.10.9 h5.120 c6 t7 o j616e6e.702dc3a9.8" && notifications.isEmpty)
    }

    @Test("every message is read as it was written, and many notifications take several messages")
    func roundTrip() throws {
        var random = Seeded(7)
        for _ in 0..<200 {
            let notifications = (0..<random.pick([0, 1, 3, 1_000])).map { _ -> PeerNotification in
                let number = random.pick([0, 1, Int64(random.number(0...1 << 40)), .max, .min])
                switch random.number(0...6) {
                case 3:
                    return .selected(
                        PublishedSession(
                            document: DocumentID(number), epoch: random.next(),
                            revision: Revision(random.number(0...1 << 50)), session: "s-1",
                            user: ByteString(SampleText.make(upTo: 9, tricky: 50, &random)), client: "p-1",
                            info: random.chance(50) ? #"{"color":"blue"}"# : nil,
                            moment: random.number(0...99),
                            selections: (0..<random.pick([0, 1, 5])).map { _ in
                                Selection(
                                    anchor: Offset(random.number(0...1 << 40)),
                                    head: Offset(random.number(0...9)))
                            }))
                case 4: return .left(DocumentID(number), "s-1")
                case 5: return .roster(DocumentID(number))
                case 0: return .head(DocumentID(number), Revision(random.number(0...1 << 50)))
                case 1: return .changed(DocumentID(number))
                case 2: return random.chance(50) ? .revoked(TokenID(number)) : .signedOut
                default:
                    let user = ByteString(SampleText.make(upTo: 9, tricky: 50, &random))
                    let client = ByteString(
                        utf8: (0..<random.number(0...64)).map { _ in UInt8(random.number(0...255)) })
                    return .joined(PublicPusher(user: user, client: client), at: number)
                }
            }
            let messages = try messages(notifications)
            #expect(messages.flatMap(\.notifications) == notifications)
            #expect(messages.allSatisfy { $0.sender == sender })
            #expect(messages.map(\.number) == (1...Int64(messages.count)).map(\.self))
        }
    }

    @Test("notifications that fit into no message are left out, and the others are sent")
    func longWord() throws {
        let long = PeerNotification.joined(
            PublicPusher(user: ByteString(String(repeating: "a", count: 4_000)), client: ""), at: 1)
        #expect(
            try messages([.changed(DocumentID(1)), long, .changed(DocumentID(2))]).flatMap(\.notifications)
                == [.changed(DocumentID(1)), .changed(DocumentID(2))])
    }

    @Test("other texts are no messages, and unknown words are left out")
    func garbage() {
        for text in [
            "", " ", "1", "1.2", "1.2.", ".2.3", "1.-.3", "x.2.3", "1.2.3.4", "1.2.9223372036854775808",
        ] {
            #expect(BusMessage(text) == nil, "\(text)")
        }
        let text = "1.2.3 c1 x9 h1 h1.-2 h.1 hx.1 c t9223372036854775808 j1.2 j0.00.1 jx0.00.1  c2"
        #expect(BusMessage(text)?.notifications == [.changed(DocumentID(1)), .changed(DocumentID(2))])
    }

    // MARK: Lost messages

    /// Reads messages of servers.
    private struct Receiving {
        var peers = PeerServers()

        /// What a message of the run `run` of a server shows about earlier ones.
        mutating func receives(_ node: Int64, _ run: UInt64, _ number: Int64, at now: Int64 = 0) -> [BusEvent]
        {
            BusMessage("\(node).\(run).\(number)").map { peers.received($0, at: now) } ?? []
        }
    }

    @Test("a hole in the numbers, another run and silence mean that something was missed")
    func missed() {
        var receiving = Receiving()
        // The server had sent earlier messages before it was found.
        var events = receiving.receives(1, 1, 7)
        #expect(events == [.found(NodeID(node: 1, run: 1))])
        events = receiving.receives(1, 1, 8)
        // A message that arrives twice, or late, is no loss.
        events +=
            receiving.receives(1, 1, 8) + receiving.receives(1, 1, 2) + receiving.receives(2, 1, 1)
            + receiving.receives(1, 1, 9)
        #expect(events == [.found(NodeID(node: 2, run: 1))])
        events = receiving.receives(1, 1, 11)
        #expect(events == [.missed])
        events = receiving.receives(1, 2, 1)
        #expect(events == [.gone(NodeID(node: 1, run: 1)), .missed, .found(NodeID(node: 1, run: 2))])
        events = receiving.receives(1, 2, 2, at: 2_000)
        #expect(events == [])
        // The second server was silent for long enough, and the first one was not.
        let silence = PeerServers.silence
        events = receiving.peers.forgetSilent(at: silence - 1)
        #expect(events == [])
        events = receiving.peers.forgetSilent(at: silence)
        #expect(events == [.gone(NodeID(node: 2, run: 1)), .missed])
        events = receiving.peers.forgetSilent(at: silence + 1) + receiving.receives(1, 2, 3, at: silence + 1)
        #expect(events == [])
    }

    @Test("two servers with one name are told apart after one alarm")
    func oneName() {
        var receiving = Receiving()
        let (first, second) = (NodeID(node: 1, run: 1), NodeID(node: 1, run: 2))
        var events = receiving.receives(1, 1, 1)
        #expect(events == [.found(first)])
        // The second one looks like the first one after a start.
        events = receiving.receives(1, 2, 1)
        #expect(events == [.gone(first), .missed, .found(second)] && receiving.peers.count == 1)
        events = receiving.receives(1, 1, 2)
        #expect(events == [.missed, .found(first)] && receiving.peers.count == 2)
        for number in 2..<20 as Range<Int64> {
            events =
                receiving.receives(1, 2, number, at: 1_000) + receiving.receives(1, 1, number + 1, at: 1_000)
            #expect(events == [])
        }
        events = receiving.receives(1, 2, 20, at: 2_000) + receiving.peers.forgetSilent(at: 4_000)
        #expect(events == [.gone(first), .missed] && receiving.peers.count == 1)
    }

    @Test("a run that was replaced falls silent without a second alarm")
    func replaced() {
        var receiving = Receiving()
        var events = receiving.receives(1, 1, 1) + receiving.receives(1, 2, 1, at: 2_000)
        #expect(events.last == .found(NodeID(node: 1, run: 2)))
        events = receiving.peers.forgetSilent(at: 4_000)
        #expect(events == [] && receiving.peers.count == 1)
    }

    // MARK: Waiting notifications

    @Test("newer notifications replace older ones, and more than the limit are dropped")
    func outbox() {
        var outbox = BusOutbox()
        #expect(outbox.isEmpty)
        let ann = PublicPusher(user: "ann", client: "p-1")
        for notification in [
            .head(DocumentID(1), 5), .head(DocumentID(1), 7), .head(DocumentID(1), 6),
            .changed(DocumentID(2)),
            .changed(DocumentID(2)), .joined(ann, at: 9), .joined(ann, at: 8),
        ] as [PeerNotification] {
            outbox.add(notification)
        }
        let taken = outbox.take()
        #expect(
            Set(taken.notifications) == [
                .head(DocumentID(1), 7), .changed(DocumentID(2)), .joined(ann, at: 9),
            ])
        #expect(taken.notifications.count == 3 && !taken.hasDropped && outbox.isEmpty)
        for number in 0..<BusOutbox.mostNotifications { outbox.add(.changed(DocumentID(Int64(number)))) }
        #expect(!outbox.hasDropped)
        outbox.add(.changed(DocumentID(-1)))
        let rest = outbox.take()
        #expect(rest.notifications == [.changed(DocumentID(-1))] && rest.hasDropped && outbox.isEmpty)
    }

    // MARK: A member of the bus

    private let selected = PeerNotification.selected(
        PublishedSession(
            document: DocumentID(1), epoch: 1, revision: 1, session: "s1", user: "ann", client: "p-1",
            info: nil,
            moment: 1, selections: []))
    private let left = PeerNotification.left(DocumentID(1), "s1")

    /// Two servers that receive each other's messages.
    private func pair() -> (BusEndpoint, BusEndpoint) {
        var (one, two) = (BusEndpoint(NodeID(node: 1, run: 7)), BusEndpoint(NodeID(node: 2, run: 7)))
        let (first, second) = (say(&one, at: 0), say(&two, at: 0))
        _ = one.receive(second, at: 0)
        _ = two.receive(first, at: 0)
        return (one, two)
    }

    private func say(_ member: inout BusEndpoint, at now: Int64) -> [String] {
        defer { member.ended(areSent: true, at: now) }
        return member.takeMessages(at: now)
    }

    private func notifications(_ texts: [String]) -> [PeerNotification] {
        texts.flatMap { BusMessage($0)?.notifications ?? [] }
    }

    @Test("selections are published only to known servers, and departures always")
    func nobodyHeard() {
        var alone = BusEndpoint(NodeID(node: 1, run: 7))
        _ = say(&alone, at: 0)
        #expect(!alone.publish([selected], at: 0) && alone.publish([left], at: 0))
        #expect(notifications(say(&alone, at: 0)) == [left])
        var (one, _) = pair()
        #expect(one.publish([selected], at: 0) && !one.publish([.changed(DocumentID(1))], at: 0))
        #expect(Set(notifications(say(&one, at: 0))) == [selected, .changed(DocumentID(1))])
        // Without a connection, no server is known.
        one.disconnected(at: 0)
        #expect(!one.publish([selected], at: 0) && one.publish([left], at: 0))
        #expect(notifications(say(&one, at: 0)) == [left])
    }

    @Test("a server says something at once, and then at least once a second")
    func beat() {
        var member = BusEndpoint(NodeID(node: 1, run: 7))
        #expect(say(&member, at: 5) == ["1.7.1"] && say(&member, at: 1_004) == [])
        #expect(say(&member, at: 1_005) == ["1.7.2"])
        member.disconnected(at: 1_005)
        #expect(say(&member, at: 1_006) == ["1.7.3"])
    }

    @Test("notifications whose messages were not sent wait again, but not those that are outdated by now")
    func unsent() {
        var (one, _) = pair()
        _ = one.publish([selected, .head(DocumentID(1), 5), .revoked(TokenID(3))], at: 1)
        #expect(!one.takeMessages(at: 1).isEmpty)
        _ = one.publish([left, .head(DocumentID(1), 7)], at: 1)
        one.disconnected(at: 1)
        #expect(
            Set(notifications(say(&one, at: 2))) == [left, .head(DocumentID(1), 7), .revoked(TokenID(3))])
    }

    @Test("the age counts from the oldest notification that was not sent")
    func unsentAge() {
        var member = BusEndpoint(NodeID(node: 1, run: 7))
        #expect(member.unsentAge(at: 100) == 0)
        _ = member.publish([left], at: 100)
        _ = member.publish([.revoked(TokenID(3))], at: 150)
        #expect(member.unsentAge(at: 100) == 0 && member.unsentAge(at: 170) == 70)
        // What is on its way is not sent yet.
        _ = member.takeMessages(at: 200)
        _ = member.publish([.revoked(TokenID(4))], at: 210)
        #expect(member.unsentAge(at: 250) == 150)
        member.disconnected(at: 260)
        #expect(member.unsentAge(at: 300) == 200)
        _ = member.takeMessages(at: 300)
        _ = member.publish([.revoked(TokenID(5))], at: 310)
        #expect(member.ended(areSent: true, at: 320) == 3)
        #expect(member.unsentAge(at: 330) == 20)
        #expect(say(&member, at: 340).count == 1 && member.unsentAge(at: 400) == 0)
        // A message without notifications leaves nothing behind.
        #expect(say(&member, at: 5_000).count == 1 && member.unsentAge(at: 6_000) == 0)
        // Selections that are left out wait for nobody.
        _ = member.publish([selected], at: 6_000)
        #expect(member.unsentAge(at: 7_000) == 0)
    }

    @Test("a message that may have arrived does not give its number to another one")
    func numbers() {
        var (one, two) = pair()
        _ = one.publish((0..<2_000).map { .changed(DocumentID($0)) }, at: 1)
        let messages = one.takeMessages(at: 1)
        #expect(messages.count > 1)
        _ = two.receive(messages, at: 1)
        one.disconnected(at: 1)
        // These messages are lost.
        _ = say(&one, at: 2)
        #expect(two.receive(say(&one, at: 2_000), at: 2_000).events.contains(.missed))
    }

    @Test("dropped notifications leave a hole in the numbers")
    func dropped() {
        var (one, two) = pair()
        _ = one.publish((0...BusOutbox.mostNotifications).map { .changed(DocumentID(Int64($0))) }, at: 1)
        let received = two.receive(say(&one, at: 1), at: 1)
        #expect(received.events.first == .missed && received.count == 1)
    }

    @Test("a server whose connection was lost finds the others again")
    func foundAgain() {
        var (one, two) = pair()
        one.disconnected(at: 1)
        #expect(one.peerCount == 0)
        let received = one.receive(say(&two, at: 1_000), at: 1_000)
        #expect(received.events == [.found(two.id)] && one.peerCount == 1)
    }
}
