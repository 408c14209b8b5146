import CaretCore
import CaretLog
import TestSupport
import Testing

/// What servers over one PostgreSQL database send each other, without a connection.
@Suite("Messages between servers") struct BusMessageTests {
    private let sender = NodeID(node: 3, run: 36)

    private func messages(_ news: [NodeNews]) throws -> [BusMessage] {
        var (rest, messages): (ArraySlice<NodeNews>, [BusMessage]) = (news[...], [])
        repeat {
            let text = BusMessage.take(from: &rest, sender: sender, number: Int64(messages.count + 1))
            #expect(text.utf8.count <= BusMessage.mostBytes)
            messages.append(try #require(BusMessage(text)))
        } while !rest.isEmpty
        return messages
    }

    @Test("a message is text that a person can read")
    func text() {
        var news: ArraySlice<NodeNews> = [
            .head(DocumentID(5), 120), .changed(DocumentID(6)), .revoked(TokenID(7)),
            .joined(PublicPusher(user: "ann", client: "p-\u{e9}"), at: 8),
        ]
        let text = BusMessage.take(from: &news, sender: sender, number: 9)
        #expect(text == "3.10.9 h5.120 c6 t7 j616e6e.702dc3a9.8" && news.isEmpty)
    }

    @Test("every message is read as it was written, and many news take several messages")
    func roundTrip() throws {
        var random = Seeded(7)
        for _ in 0..<200 {
            let news = (0..<random.pick([0, 1, 3, 1_000])).map { _ -> NodeNews in
                let number = random.pick([0, 1, Int64(random.number(0...1 << 40)), .max, .min])
                switch random.number(0...6) {
                case 3:
                    return .selected(
                        GuestNews(
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
                case 2: return .revoked(TokenID(number))
                default:
                    let user = ByteString(SampleText.make(upTo: 9, tricky: 50, &random))
                    let client = ByteString(
                        utf8: (0..<random.number(0...64)).map { _ in UInt8(random.number(0...255)) })
                    return .joined(PublicPusher(user: user, client: client), at: number)
                }
            }
            let messages = try messages(news)
            #expect(messages.flatMap(\.news) == news)
            #expect(messages.allSatisfy { $0.sender == sender })
            #expect(messages.map(\.number) == (1...Int64(messages.count)).map(\.self))
        }
    }

    @Test("news that fit into no message are left out, and the others are sent")
    func longWord() throws {
        let long = NodeNews.joined(
            PublicPusher(user: ByteString(String(repeating: "a", count: 4_000)), client: ""), at: 1)
        #expect(
            try messages([.changed(DocumentID(1)), long, .changed(DocumentID(2))]).flatMap(\.news)
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
        #expect(BusMessage(text)?.news == [.changed(DocumentID(1)), .changed(DocumentID(2))])
    }

    // MARK: Lost messages

    /// Reads messages of servers.
    private struct Hearing {
        var neighbours = Neighbours()

        /// What a message of the run `run` of a server shows about earlier ones.
        mutating func hears(_ node: Int64, _ run: UInt64, _ number: Int64, at now: Int64 = 0) -> [NodeEvent] {
            BusMessage("\(node).\(run).\(number)").map { neighbours.hear($0, at: now) } ?? []
        }
    }

    @Test("a hole in the numbers, another run and silence mean that something was missed")
    func missed() {
        var hearing = Hearing()
        // A server that is heard for the first time has sent earlier messages before.
        var events = hearing.hears(1, 1, 7)
        #expect(events == [.found(NodeID(node: 1, run: 1))])
        events = hearing.hears(1, 1, 8)
        // A message that arrives twice, or late, is no loss.
        events +=
            hearing.hears(1, 1, 8) + hearing.hears(1, 1, 2) + hearing.hears(2, 1, 1) + hearing.hears(1, 1, 9)
        #expect(events == [.found(NodeID(node: 2, run: 1))])
        events = hearing.hears(1, 1, 11)
        #expect(events == [.missed])
        events = hearing.hears(1, 2, 1)
        #expect(events == [.gone(NodeID(node: 1, run: 1)), .missed, .found(NodeID(node: 1, run: 2))])
        events = hearing.hears(1, 2, 2, at: 2_000)
        #expect(events == [])
        // The second server was silent for long enough, and the first one was not.
        let silence = Neighbours.silence
        events = hearing.neighbours.forgetSilent(at: silence - 1)
        #expect(events == [])
        events = hearing.neighbours.forgetSilent(at: silence)
        #expect(events == [.gone(NodeID(node: 2, run: 1)), .missed])
        events = hearing.neighbours.forgetSilent(at: silence + 1) + hearing.hears(1, 2, 3, at: silence + 1)
        #expect(events == [])
    }

    @Test("two servers with one name are told apart after one alarm")
    func oneName() {
        var hearing = Hearing()
        let (first, second) = (NodeID(node: 1, run: 1), NodeID(node: 1, run: 2))
        var events = hearing.hears(1, 1, 1)
        #expect(events == [.found(first)])
        // The second one looks like the first one after a start.
        events = hearing.hears(1, 2, 1)
        #expect(events == [.gone(first), .missed, .found(second)] && hearing.neighbours.count == 1)
        events = hearing.hears(1, 1, 2)
        #expect(events == [.missed, .found(first)] && hearing.neighbours.count == 2)
        for number in 2..<20 as Range<Int64> {
            events = hearing.hears(1, 2, number, at: 1_000) + hearing.hears(1, 1, number + 1, at: 1_000)
            #expect(events == [])
        }
        events = hearing.hears(1, 2, 20, at: 2_000) + hearing.neighbours.forgetSilent(at: 4_000)
        #expect(events == [.gone(first), .missed] && hearing.neighbours.count == 1)
    }

    @Test("a run that was replaced falls silent without a second alarm")
    func replaced() {
        var hearing = Hearing()
        var events = hearing.hears(1, 1, 1) + hearing.hears(1, 2, 1, at: 2_000)
        #expect(events.last == .found(NodeID(node: 1, run: 2)))
        events = hearing.neighbours.forgetSilent(at: 4_000)
        #expect(events == [] && hearing.neighbours.count == 1)
    }

    // MARK: Waiting news

    @Test("newer news replace older ones, and more than the limit are dropped")
    func outbox() {
        var outbox = BusOutbox()
        #expect(outbox.isEmpty)
        let ann = PublicPusher(user: "ann", client: "p-1")
        for news in [
            .head(DocumentID(1), 5), .head(DocumentID(1), 7), .head(DocumentID(1), 6),
            .changed(DocumentID(2)),
            .changed(DocumentID(2)), .joined(ann, at: 9), .joined(ann, at: 8),
        ] as [NodeNews] {
            outbox.add(news)
        }
        let taken = outbox.take()
        #expect(Set(taken.news) == [.head(DocumentID(1), 7), .changed(DocumentID(2)), .joined(ann, at: 9)])
        #expect(taken.news.count == 3 && !taken.hasDropped && outbox.isEmpty)
        for number in 0..<BusOutbox.mostNews { outbox.add(.changed(DocumentID(Int64(number)))) }
        #expect(!outbox.hasDropped)
        outbox.add(.changed(DocumentID(-1)))
        let rest = outbox.take()
        #expect(rest.news == [.changed(DocumentID(-1))] && rest.hasDropped && outbox.isEmpty)
    }

    // MARK: A member of the bus

    private let guest = NodeNews.selected(
        GuestNews(
            document: DocumentID(1), epoch: 1, revision: 1, session: "s1", user: "ann", client: "p-1",
            info: nil,
            moment: 1, selections: []))
    private let left = NodeNews.left(DocumentID(1), "s1")

    /// Two servers that hear each other.
    private func pair() -> (BusMember, BusMember) {
        var (one, two) = (BusMember(NodeID(node: 1, run: 7)), BusMember(NodeID(node: 2, run: 7)))
        let (first, second) = (say(&one, at: 0), say(&two, at: 0))
        _ = one.hear(second, at: 0)
        _ = two.hear(first, at: 0)
        return (one, two)
    }

    private func say(_ member: inout BusMember, at now: Int64) -> [String] {
        defer { member.ended(areSent: true, at: now) }
        return member.takeMessages(at: now)
    }

    private func news(_ texts: [String]) -> [NodeNews] { texts.flatMap { BusMessage($0)?.news ?? [] } }

    @Test("selections are told only while somebody is heard, and departures always")
    func nobodyHeard() {
        var alone = BusMember(NodeID(node: 1, run: 7))
        _ = say(&alone, at: 0)
        #expect(!alone.publish([guest], at: 0) && alone.publish([left], at: 0))
        #expect(news(say(&alone, at: 0)) == [left])
        var (one, _) = pair()
        #expect(one.publish([guest], at: 0) && !one.publish([.changed(DocumentID(1))], at: 0))
        #expect(Set(news(say(&one, at: 0))) == [guest, .changed(DocumentID(1))])
        // Without a connection, nobody is heard.
        one.disconnected(at: 0)
        #expect(!one.publish([guest], at: 0) && one.publish([left], at: 0))
        #expect(news(say(&one, at: 0)) == [left])
    }

    @Test("a server says something at once, and then at least once a second")
    func beat() {
        var member = BusMember(NodeID(node: 1, run: 7))
        #expect(say(&member, at: 5) == ["1.7.1"] && say(&member, at: 1_004) == [])
        #expect(say(&member, at: 1_005) == ["1.7.2"])
        member.disconnected(at: 1_005)
        #expect(say(&member, at: 1_006) == ["1.7.3"])
    }

    @Test("news whose messages were not sent wait again, but not those that are outdated by now")
    func unsent() {
        var (one, _) = pair()
        _ = one.publish([guest, .head(DocumentID(1), 5), .revoked(TokenID(3))], at: 1)
        #expect(!one.takeMessages(at: 1).isEmpty)
        _ = one.publish([left, .head(DocumentID(1), 7)], at: 1)
        one.disconnected(at: 1)
        #expect(Set(news(say(&one, at: 2))) == [left, .head(DocumentID(1), 7), .revoked(TokenID(3))])
    }

    @Test("the age of news counts from the oldest that were not sent")
    func newsAge() {
        var member = BusMember(NodeID(node: 1, run: 7))
        #expect(member.newsAge(at: 100) == 0)
        _ = member.publish([left], at: 100)
        _ = member.publish([.revoked(TokenID(3))], at: 150)
        #expect(member.newsAge(at: 100) == 0 && member.newsAge(at: 170) == 70)
        // What is on its way is not sent yet.
        _ = member.takeMessages(at: 200)
        _ = member.publish([.revoked(TokenID(4))], at: 210)
        #expect(member.newsAge(at: 250) == 150)
        member.disconnected(at: 260)
        #expect(member.newsAge(at: 300) == 200)
        _ = member.takeMessages(at: 300)
        _ = member.publish([.revoked(TokenID(5))], at: 310)
        #expect(member.ended(areSent: true, at: 320) == 3)
        #expect(member.newsAge(at: 330) == 20)
        #expect(say(&member, at: 340).count == 1 && member.newsAge(at: 400) == 0)
        // A message without news leaves nothing behind.
        #expect(say(&member, at: 5_000).count == 1 && member.newsAge(at: 6_000) == 0)
        // Selections that are left out wait for nobody.
        _ = member.publish([guest], at: 6_000)
        #expect(member.newsAge(at: 7_000) == 0)
    }

    @Test("a message that may have arrived does not give its number to another one")
    func numbers() {
        var (one, two) = pair()
        _ = one.publish((0..<2_000).map { .changed(DocumentID($0)) }, at: 1)
        let messages = one.takeMessages(at: 1)
        #expect(messages.count > 1)
        _ = two.hear(messages, at: 1)
        one.disconnected(at: 1)
        // These messages are lost.
        _ = say(&one, at: 2)
        #expect(two.hear(say(&one, at: 2_000), at: 2_000).events.contains(.missed))
    }

    @Test("dropped news leave a hole in the numbers")
    func dropped() {
        var (one, two) = pair()
        _ = one.publish((0...BusOutbox.mostNews).map { .changed(DocumentID(Int64($0))) }, at: 1)
        let heard = two.hear(say(&one, at: 1), at: 1)
        #expect(heard.events.first == .missed && heard.count == 1)
    }

    @Test("a server whose connection was lost finds the others again")
    func foundAgain() {
        var (one, two) = pair()
        one.disconnected(at: 1)
        #expect(one.neighbourCount == 0)
        let heard = one.hear(say(&two, at: 1_000), at: 1_000)
        #expect(heard.events == [.found(two.id)] && one.neighbourCount == 1)
    }
}
