import CaretCore
import CaretLog
import TestSupport
import Testing

/// What servers over one PostgreSQL database send each other, without a connection.
@Suite("Messages between servers") struct BusMessageTests {
    private let sender = NodeID(node: 3, run: 36)

    private func messages(_ notifications: [PeerNotification]) throws -> [BusMessage] {
        var (rest, messages) = (notifications.map { BusMessage.Word.notification($0) }[...], [BusMessage]())
        repeat {
            let text = BusMessage.take(from: &rest, sender: sender, number: Int64(messages.count + 1))
            #expect(text.utf8.count <= BusMessage.mostBytes)
            messages.append(try #require(BusMessage(text)))
        } while !rest.isEmpty
        return messages
    }

    @Test("a message is text that a person can read")
    func text() {
        let notifications: [PeerNotification] = [
            .head(DocumentID(5), 120), .changed(DocumentID(6)), .revoked(TokenID(7)), .signedOut,
            .joined(PublicPusher(user: "ann", client: "p-\u{e9}"), at: 8),
        ]
        var words = notifications.map { BusMessage.Word.notification($0) }[...]
        let text = BusMessage.take(from: &words, sender: sender, number: 9)
        #expect(text == "3.10.9 h5.120 c6 t7 o j616e6e.702dc3a9.8" && words.isEmpty)
    }

    @Test("a message says to whom it is sent, and what its server needs and has sent")
    func statements() throws {
        let slices = DocumentSlices([0, 1, 40, 4_095])
        let words: [BusMessage.Word] = [
            .needs(slices), .needsToo(.all), .asksForNeeds, .needs(.none),
            .sent(9, to: NodeID(node: 4, run: 35)),
        ]
        var rest = words[...]
        let text = BusMessage.take(from: &rest, sender: sender, number: 9, to: 71)
        #expect(text == "3.10.9.1z =00c1s-3 +* ? = n4.z.9" && rest.isEmpty)
        let message = try #require(BusMessage(text))
        #expect(message.words == words && message.recipient == 71 && message.notifications == [])
    }

    @Test("sets of slices are read as they were written, and a set of nearly all is written as that of all")
    func slices() throws {
        var random = Seeded(7)
        for _ in 0..<200 {
            let count = random.pick([0, 1, 2, 30, 1_000, 3_000])
            let slices = DocumentSlices((0..<count).map { _ in random.number(0...16_383) })
            #expect(try #require(DocumentSlices(text: slices.text[...])) == slices)
            #expect(slices.text.utf8.count <= 7_512)
        }
        #expect(DocumentSlices(0..<7_001).text == "*" && DocumentSlices(text: "*") == .all)
        for text in ["!", "é", "**", "_", "w", "____", "WWG", "__F0"] {
            #expect(DocumentSlices(text: text[...]) == nil, "\(text)")
        }
        for number in [0, 1, -1, 16_384, .max, .min] as [Int64] {
            #expect((0..<16_384).contains(DocumentSlices.slice(of: DocumentID(number))))
        }
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
            "", " ", "1", "1.2", "1.2.", ".2.3", "1.-.3", "x.2.3", "1.2.3.", "1.2.3.-", "1.2.3.4.5",
            "1.2.9223372036854775808",
        ] {
            #expect(BusMessage(text) == nil, "\(text)")
        }
        let text =
            "1.2.3 c1 x9 h1 h1.-2 h.1 hx.1 c t9223372036854775808 j1.2 j0.00.1 jx0.00.1 =! +w ?? n1.2 n1.-.3 n1.2.x  c2"
        #expect(BusMessage(text)?.notifications == [.changed(DocumentID(1)), .changed(DocumentID(2))])
        #expect(BusMessage(text)?.words.count == 2)
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
}
