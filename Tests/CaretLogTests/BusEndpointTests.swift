import CaretCore
import CaretLog
import TestSupport
import Testing

/// A server as a member of the bus, without a connection.
@Suite("What a server sends to the others") struct BusEndpointTests {
    private static let document = DocumentID(1)
    private let selected = PeerNotification.selected(
        PublishedSession(
            document: document, epoch: 1, revision: 1, session: "s1", user: "ann", client: "p-1",
            info: nil,
            moment: 1, selections: []))
    private let left = PeerNotification.left(document, "s1")
    private let revoked = PeerNotification.revoked(TokenID(3))

    /// Servers that have received each other's first messages.
    private func servers(_ count: Int) -> [BusEndpoint] {
        var servers = (1...Int64(count)).map { BusEndpoint(NodeID(node: $0, run: 7)) }
        let first = servers.indices.map { say(&servers[$0], at: 0) }
        for index in servers.indices {
            _ = servers[index].receive(texts(first.joined(), for: servers[index]), at: 0)
        }
        // Each one was asked what it needs.
        for index in servers.indices { send(from: index, in: &servers, at: 0) }
        return servers
    }

    private func say(_ server: inout BusEndpoint, at now: Int64) -> [BusLetter] {
        defer { server.ended(areSent: true) }
        return server.takeLetters(at: now)
    }

    private func texts(_ letters: some Sequence<BusLetter>, for server: BusEndpoint) -> [String] {
        letters.filter { $0.recipient ?? server.id.node == server.id.node }.map(\.text)
    }

    /// Delivers what a server sends. Returns how many messages the others have received, and what they learn.
    @discardableResult
    private func send(
        from index: Int, in servers: inout [BusEndpoint], at now: Int64
    ) -> (received: [Int], events: [[BusEvent]]) {
        let letters = say(&servers[index], at: now)
        var (received, events) = (Array(repeating: 0, count: servers.count), [[BusEvent]]())
        for other in servers.indices {
            let result = servers[other].receive(texts(letters, for: servers[other]), at: now)
            received[other] = result.count
            events.append(result.events)
        }
        return (received, events)
    }

    private func notifications(_ letters: [BusLetter]) -> [PeerNotification] {
        letters.flatMap { BusMessage($0.text)?.notifications ?? [] }
    }

    private func notifications(_ events: [BusEvent]) -> [PeerNotification] {
        events.flatMap { event -> [PeerNotification] in
            if case .received(_, let all) = event { all } else { [] }
        }
    }

    // MARK: Who gets what

    @Test("the news of a document go only to the servers that have it open")
    func onlyReaders() {
        var servers = servers(5)
        _ = servers[1].opened(BusEndpointTests.document)
        send(from: 1, in: &servers, at: 1)
        let head = PeerNotification.head(BusEndpointTests.document, 5)
        var isFirst = servers[0].publish([head], at: 2)
        #expect(isFirst)
        var sent = send(from: 0, in: &servers, at: 2)
        #expect(sent.received == [0, 1, 0, 0, 0] && notifications(sent.events[1]) == [head])
        // Nobody needs the news of this document.
        isFirst = servers[0].publish([.head(DocumentID(2), 5), .changed(DocumentID(2))], at: 3)
        #expect(!isFirst && !servers[0].hasLetters && servers[0].unsentAge(at: 9) == 0)
        sent = send(from: 0, in: &servers, at: 3)
        #expect(sent.received == [0, 0, 0, 0, 0])
        // All need what is about no document.
        _ = servers[0].publish([revoked], at: 4)
        sent = send(from: 0, in: &servers, at: 4)
        #expect(sent.received == [0, 1, 1, 1, 1] && notifications(sent.events[4]) == [revoked])
        // If more than half of the others need something, it is sent to all at once.
        for index in 2...3 {
            _ = servers[index].opened(BusEndpointTests.document)
            send(from: index, in: &servers, at: 5)
        }
        _ = servers[0].publish([head], at: 6)
        let letters = say(&servers[0], at: 6)
        #expect(letters.map(\.recipient) == [nil] && notifications(letters) == [head])
    }

    @Test("a server that needs all gets all news, and the others still get theirs alone")
    func all() {
        var servers = servers(5)
        let isNew = servers[2].needAll(true)
        #expect(isNew)
        send(from: 2, in: &servers, at: 1)
        _ = servers[0].publish([.changed(DocumentID(9))], at: 1)
        #expect(send(from: 0, in: &servers, at: 1).received == [0, 0, 1, 0, 0])
        let isNewAgain = servers[2].needAll(false)
        #expect(!isNewAgain)
        send(from: 2, in: &servers, at: 1_000)
        _ = servers[0].publish([.changed(DocumentID(9))], at: 1_000)
        let received = send(from: 0, in: &servers, at: 1_000).events.map { notifications($0) }
        #expect(received == [[], [], [], [], []])
    }

    @Test(
        "a server that closes a document gets its news until its next beat, and one that opens it again gets them on"
    )
    func closed() {
        var servers = servers(3)
        let document = BusEndpointTests.document
        var isNew = servers[1].opened(document)
        #expect(isNew)
        isNew = servers[1].opened(DocumentID(1 + 16_384))
        #expect(!isNew, "both documents are in one slice")
        send(from: 1, in: &servers, at: 1)
        servers[1].closed(document)
        send(from: 1, in: &servers, at: 1_000)
        _ = servers[0].publish([.head(document, 2)], at: 1_001)
        #expect(send(from: 0, in: &servers, at: 1_001).events[1].isEmpty == false, "the other one is open")
        servers[1].closed(DocumentID(1 + 16_384))
        #expect(!servers[1].hasLetters)
        _ = servers[0].publish([.head(document, 3)], at: 1_002)
        #expect(notifications(send(from: 0, in: &servers, at: 1_002).events[1]) == [.head(document, 3)])
        isNew = servers[1].opened(document)
        #expect(!isNew, "the others still think that it is open")
        servers[1].closed(document)
        send(from: 1, in: &servers, at: 2_000)
        let isSent = servers[0].publish([.head(document, 4)], at: 2_001)
        #expect(!isSent)
        isNew = servers[1].opened(document)
        #expect(isNew)
    }

    @Test("a server that opens a document gets the news of the last seconds")
    func earlierNews() {
        var servers = servers(3)
        let document = BusEndpointTests.document
        for revision in 1...3 as ClosedRange<Int> {
            _ = servers[0].publish(
                [.head(document, Revision(revision)), .changed(DocumentID(2)), selected], at: 1)
        }
        _ = servers[0].publish([left], at: 1)
        // Until just before this server would count as gone, its news may have waited for the bus.
        _ = servers[1].opened(document)
        send(from: 1, in: &servers, at: PeerServers.silence - 1)
        let sent = send(from: 0, in: &servers, at: PeerServers.silence - 1)
        #expect(Set(notifications(sent.events[1])) == [.head(document, 3), left] && sent.received[2] == 1)
        #expect(sent.events[2] == [], "a beat says nothing of documents")
        // What is older was found by a sweep.
        _ = servers[2].opened(document)
        send(from: 2, in: &servers, at: 12_100)
        let later = send(from: 0, in: &servers, at: 12_100)
        #expect(later.events.allSatisfy { notifications($0) == [] })
    }

    @Test("a server that asks for the sessions of a document needs its news")
    func roster() {
        var servers = servers(3)
        _ = servers[0].receive(["2.7.1.7 r1"], at: 1)
        _ = servers[0].publish([selected], at: 1)
        #expect(notifications(say(&servers[0], at: 1)) == [selected])
    }

    @Test("a departure is not kept if the session has come back")
    func cameBack() {
        var servers = servers(3)
        _ = servers[0].publish([left], at: 1)
        _ = servers[0].publish([selected], at: 1)
        _ = servers[1].opened(BusEndpointTests.document)
        send(from: 1, in: &servers, at: 2)
        #expect(notifications(say(&servers[0], at: 2)) == [])
    }

    @Test(
        "a server of an earlier version gets all news, and so do servers that may have missed what another one needs"
    )
    func earlierVersion() {
        var servers = servers(3)
        let head = PeerNotification.head(BusEndpointTests.document, 5)
        _ = servers[0].publish([head], at: 1)
        #expect(!servers[0].hasLetters)
        // What caretd 0.2.0 sends.
        _ = servers[0].receive(["9.1.1"], at: 2)
        #expect(servers[0].peerCount == 3)
        var letters = say(&servers[0], at: 2)
        #expect(letters.map(\.recipient) == [nil] && notifications(letters) == [head])
        letters = []
        _ = servers[0].publish([.head(BusEndpointTests.document, 6)], at: 3)
        letters = say(&servers[0], at: 3)
        #expect(
            letters.map(\.recipient) == [nil]
                && notifications(letters) == [.head(BusEndpointTests.document, 6)])
        // It has ended.
        _ = servers[0].receive(["2.7.3 =", "3.7.3 ="], at: 3_002)
        let isSent = servers[0].publish([.head(BusEndpointTests.document, 7)], at: 3_003)
        #expect(!isSent)
        // The second message is missing.
        _ = servers[0].receive(["2.7.5"], at: 3_004)
        letters = say(&servers[0], at: 3_004)
        #expect(notifications(letters).contains(.head(BusEndpointTests.document, 7)))
        _ = servers[0].receive(["2.7.6 ="], at: 3_005)
        let isSentAgain = servers[0].publish([.head(BusEndpointTests.document, 8)], at: 3_005)
        #expect(!isSentAgain)
    }

    @Test(
        "a message to one server alone that is lost is noticed at the next one, or at the next message to all"
    )
    func lostLetter() {
        for isBeat in [false, true] {
            var servers = servers(3)
            _ = servers[1].opened(BusEndpointTests.document)
            send(from: 1, in: &servers, at: 1)
            _ = servers[0].publish([left], at: 2)
            #expect(say(&servers[0], at: 2).map(\.recipient) == [2])
            if !isBeat { _ = servers[0].publish([left], at: 3) }
            let sent = send(from: 0, in: &servers, at: isBeat ? 1_000 : 3)
            #expect(sent.events[1].contains(.missed) && !sent.events[2].contains(.missed))
            let next = send(from: 0, in: &servers, at: 2_000)
            #expect(!next.events[1].contains(.missed))
        }
    }

    @Test("a message to an earlier run of a server is ignored")
    func earlierRun() {
        var servers = servers(2)
        #expect(servers[0].receive(["2.7.1.8 t3"], at: 1).count == 0)
        #expect(servers[0].receive(["2.7.1.7 t3"], at: 1).events == [.received(servers[1].id, [revoked])])
    }

    // MARK: When

    @Test(
        "a server says something at once, and then once a second; if it is asked, it says at once what it needs"
    )
    func beat() {
        var server = BusEndpoint(NodeID(node: 1, run: 7))
        let letters = { (texts: String...) in texts.map { BusLetter(text: $0) } }
        #expect(say(&server, at: 5) == letters("1.7.1 = ?") && say(&server, at: 1_004) == [])
        #expect(say(&server, at: 1_005) == letters("1.7.2 ="))
        _ = server.opened(DocumentID(1))
        #expect(say(&server, at: 1_006) == letters("1.7.3 +1") && say(&server, at: 1_007) == [])
        _ = server.receive(["2.7.1 = ?"], at: 1_008)
        #expect(server.hasLetters && say(&server, at: 1_008) == letters("1.7.4 =1"))
        #expect(server.nextBeat == 2_008)
        server.disconnected()
        #expect(say(&server, at: 1_009) == letters("1.7.5 =1 ?"))
    }

    @Test("what nobody needs is kept for servers that are found, but not selections")
    func nobodyHeard() {
        var alone = BusEndpoint(NodeID(node: 1, run: 7))
        _ = say(&alone, at: 0)
        let isSent = alone.publish([selected, .changed(DocumentID(1)), left], at: 0)
        #expect(!isSent)
        _ = alone.receive(["2.7.1 =1"], at: 1)
        #expect(Set(notifications(say(&alone, at: 1))) == [.changed(DocumentID(1)), left])
        _ = alone.publish([selected], at: 1)
        #expect(notifications(say(&alone, at: 1)) == [selected])
        // Without a connection, no server is known.
        alone.disconnected()
        let isSentLater = alone.publish([selected], at: 1)
        #expect(!isSentLater)
    }

    // MARK: Connections that are lost

    @Test("notifications whose messages were not sent wait again, but not those that are outdated by now")
    func unsent() {
        var servers = servers(2)
        _ = servers[1].opened(BusEndpointTests.document)
        send(from: 1, in: &servers, at: 1)
        _ = servers[0].publish([selected, .head(DocumentID(1), 5), revoked], at: 1)
        #expect(!servers[0].takeLetters(at: 1).isEmpty)
        _ = servers[0].publish([left, .head(DocumentID(1), 7)], at: 1)
        servers[0].disconnected()
        #expect(notifications(say(&servers[0], at: 2)) == [revoked])
        // The other server is found again.
        _ = servers[0].receive(["2.7.9 =1"], at: 2)
        #expect(Set(notifications(say(&servers[0], at: 2))) == [left, .head(DocumentID(1), 7)])
    }

    @Test("the age counts from the oldest notification that was not sent")
    func unsentAge() {
        var member = BusEndpoint(NodeID(node: 1, run: 7))
        #expect(member.unsentAge(at: 100) == 0)
        _ = member.publish([.signedOut], at: 100)
        _ = member.publish([revoked], at: 150)
        #expect(member.unsentAge(at: 100) == 0 && member.unsentAge(at: 170) == 70)
        // What is on its way is not sent yet.
        _ = member.takeLetters(at: 200)
        _ = member.publish([.revoked(TokenID(4))], at: 210)
        #expect(member.unsentAge(at: 250) == 150)
        member.disconnected()
        #expect(member.unsentAge(at: 300) == 200)
        _ = member.takeLetters(at: 300)
        _ = member.publish([.revoked(TokenID(5))], at: 310)
        #expect(member.ended(areSent: true) == 3)
        #expect(member.unsentAge(at: 330) == 20)
        #expect(say(&member, at: 340).count == 1 && member.unsentAge(at: 400) == 0)
        // A message without notifications leaves nothing behind.
        #expect(say(&member, at: 5_000).count == 1 && member.unsentAge(at: 6_000) == 0)
        // What nobody needs waits for nobody.
        _ = member.publish([selected, left], at: 6_000)
        #expect(member.unsentAge(at: 7_000) == 0)
    }

    @Test("a message that may have arrived does not give its number to another one")
    func numbers() {
        var servers = servers(2)
        _ = servers[0].publish((0..<2_000).map { .revoked(TokenID($0)) }, at: 1)
        let letters = servers[0].takeLetters(at: 1)
        #expect(letters.count > 1)
        _ = servers[1].receive(letters.map(\.text), at: 1)
        servers[0].disconnected()
        // These messages are lost.
        _ = say(&servers[0], at: 2)
        #expect(send(from: 0, in: &servers, at: 2_000).events[1].contains(.missed))
    }

    @Test("dropped notifications leave a hole in the numbers")
    func dropped() {
        var servers = servers(2)
        _ = servers[0].publish((0...BusOutbox.mostNotifications).map { .revoked(TokenID(Int64($0))) }, at: 1)
        let sent = send(from: 0, in: &servers, at: 1)
        #expect(sent.events[1].first == .missed && sent.received[1] == 1)
    }

    @Test("a server whose connection was lost finds the others again")
    func foundAgain() {
        var servers = servers(2)
        servers[0].disconnected()
        #expect(servers[0].peerCount == 0)
        let sent = send(from: 1, in: &servers, at: 1_000)
        #expect(sent.events[0] == [.found(servers[1].id)] && servers[0].peerCount == 1)
    }
}
