import CaretCore
import CaretLog
import TestSupport
import Testing

/// Many servers that open documents and append to them, with messages that take their time.
@Suite("News of documents at many servers") struct BusNewsTests {
    /// The servers, the store, and the messages on their way.
    private struct Crowd {
        var servers: [BusEndpoint]
        /// The heads in the store, and those that the servers know of their open documents.
        var heads: [DocumentID: Int] = [:]
        var known: [[DocumentID: Int]]
        /// The messages from each server to each other one, in order.
        var links: [[[String]]]
        var (pushes, delivered, readers) = (0, 0, 0)
        var now: Int64 = 0

        init(_ count: Int, keeping: Int64 = BusEndpoint.keeping) {
            servers = (1...Int64(count)).map { BusEndpoint(NodeID(node: $0, run: 7), keeping: keeping) }
            known = Array(repeating: [:], count: count)
            links = Array(repeating: Array(repeating: [], count: count), count: count)
        }

        /// Reads the document, and then tells the others.
        mutating func open(_ document: DocumentID, at server: Int) {
            if known[server][document] != nil { return }
            known[server][document] = heads[document] ?? 0
            _ = servers[server].opened(document)
        }

        mutating func close(_ document: DocumentID, at server: Int) {
            if known[server].removeValue(forKey: document) != nil { servers[server].closed(document) }
        }

        mutating func push(to document: DocumentID, at server: Int) {
            heads[document, default: 0] += 1
            if known[server][document] != nil { known[server][document] = heads[document] }
            pushes += 1
            readers += known.indices.count { $0 != server && known[$0][document] != nil }
            let head = PeerNotification.head(document, Revision(heads[document] ?? 0))
            _ = servers[server].publish([head], at: now)
        }

        mutating func send(from server: Int) {
            let letters = servers[server].takeLetters(at: now)
            servers[server].ended(areSent: true)
            for letter in letters {
                for other in servers.indices where other != server {
                    if letter.recipient ?? servers[other].id.node == servers[other].id.node {
                        links[server][other].append(letter.text)
                    }
                }
            }
        }

        mutating func deliver(from server: Int, to other: Int) {
            if links[server][other].isEmpty { return }
            let result = servers[other].receive([links[server][other].removeFirst()], at: now)
            delivered += result.count
            for case .received(_, let notifications) in result.events {
                for case .head(let document, let head) in notifications {
                    if let old = known[other][document] { known[other][document] = max(old, head.value) }
                }
            }
        }

        mutating func deliverAll() {
            while servers.contains(where: \.hasLetters)
                || links.contains(where: { $0.contains { !$0.isEmpty } })
            {
                for server in servers.indices {
                    if servers[server].hasLetters { send(from: server) }
                    for other in servers.indices { deliver(from: server, to: other) }
                }
            }
        }

        var isUpToDate: Bool { known.allSatisfy { $0.allSatisfy { heads[$0.key] ?? 0 == $0.value } } }
    }

    /// Lets 3 to 6 servers open, close and push at random. Returns whether all know the heads of what they have open.
    private func isUpToDate(_ seed: UInt64, keeping: Int64) -> Bool {
        var random = Seeded(seed)
        let count = random.number(3...6)
        var crowd = Crowd(count, keeping: keeping)
        for _ in 0..<400 {
            let (server, document) = (random.number(0...count - 1), DocumentID(Int64(random.number(1...8))))
            switch random.number(0...9) {
            case 0: crowd.open(document, at: server)
            case 1: crowd.close(document, at: server)
            case 2...4: crowd.push(to: document, at: server)
            case 5: crowd.now += Int64(random.number(0...40))
            case 6: crowd.send(from: server)
            default: crowd.deliver(from: server, to: random.number(0...count - 1))
            }
        }
        crowd.deliverAll()
        return crowd.isUpToDate
    }

    @Test("a server that reads a document before it tells the others that it has it open misses no revision")
    func nothingIsMissed() {
        // No server is silent for long in these runs, because the time is short.
        for seed in 0..<UInt64(300) {
            #expect(isUpToDate(seed, keeping: 8 * BusEndpoint.keeping), "seed \(seed)")
        }
        #expect(
            (0..<UInt64(300)).contains { !isUpToDate($0, keeping: 0) },
            "news that are not kept must be missed")
    }

    @Test("with 100 servers, a push costs one message for each other server that has the document open")
    func manyServers() {
        for count in [3, 30, 100] {
            var (crowd, random) = (Crowd(count), Seeded(7))
            for server in 0..<count { crowd.send(from: server) }
            crowd.deliverAll()
            // Each document is open at two servers, and each server has 20 of them.
            let documents = (0..<10 * count).map { _ in DocumentID(Int64(random.number(0...1_000_000))) }
            for document in documents {
                let first = random.number(0...count - 1)
                for server in [first, (first + random.number(1...count - 1)) % count] {
                    crowd.open(document, at: server)
                }
            }
            crowd.deliverAll()
            crowd.delivered = 0
            for _ in 0..<3_000 / count {
                let document = random.pick(documents)
                let server = crowd.known.firstIndex { $0[document] != nil } ?? 0
                crowd.push(to: document, at: server)
                crowd.deliverAll()
            }
            let each = Double(crowd.delivered) / Double(crowd.pushes)
            print("\(count) servers: \(each) messages delivered for each push, \(count - 1) before")
            #expect(crowd.isUpToDate && each < 1.5)
        }
    }
}
