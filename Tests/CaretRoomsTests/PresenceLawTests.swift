import CaretCore
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Presence under random schedules") struct PresenceLawTests {
    @Test("everybody gets the latest of everybody, once in a tick, and in time")
    func law() throws {
        for seed in Seeds.first(Seeds.share(of: 2_000, everyCommit: 20)) {
            var run = try PresenceRun(seed)
            try run.run()
            #expect(
                run.problem == nil,
                "\(run.problem ?? "")\n\(Seeds.replay(seed, of: "PresenceLawTests"))")
            if run.problem != nil { return }
        }
    }
}

/// People who open and leave a document, select, type at its end, and read slowly.
private struct PresenceRun {
    private struct Member {
        let person: Person
        /// The last revision that the member was sent.
        var position: Revision = 0
        /// The selections of others that the member knows, by session.
        var known: [String: String] = [:]
        /// When the member last got a message about a session.
        var heardAt: [String: Int64] = [:]
        /// Since when the member lacks news of a session.
        var lacksSince: [String: Int64] = [:]
        /// A slow reader may get presence late.
        var isSlow = false
        /// Whether the member was sent lines since its connection last reported delivered bytes.
        var hasUnwritten = false
    }

    private var world: RoomWorld
    private var random: Seeded
    private var members: [Member] = []
    private var opened: Int64 = 0
    /// The selections of all sessions, as lines show them.
    private var latest: [String: String] = [:]
    private(set) var problem: String?

    private static let text = "0123456789"

    init(_ seed: UInt64) throws {
        var random = Seeded(seed)
        var limits = Limits()
        limits.creditBytes = random.pick([1, 300, 100_000])
        limits.peerMilliseconds = random.pick([5, 50])
        world = try RoomWorld(PresenceRun.text, limits: limits)
        world.isWrittenAtOnce = false
        self.random = random
    }

    mutating func run() throws {
        for _ in 0..<5 { open() }
        for _ in 0..<300 where problem == nil { try step() }
        for index in members.indices { members[index].isSlow = false }
        // The credit may be so small that each buffer needs a report.
        for _ in 0..<4 { try pass(milliseconds: 2 * world.limits.peerMilliseconds) }
        for member in members where problem == nil {
            let others = latest.filter { $0.key != name(member) }
            if member.known != others {
                problem = "\(name(member)) knows \(member.known), but the others are \(others)"
            }
        }
    }

    private mutating func step() throws {
        let index = members.isEmpty ? nil : members.indices.randomElement(using: &random)
        switch (Int.random(in: 0..<20, using: &random), index) {
        case (0, _) where members.count < 8, (_, nil): open()
        case (1, let index?): leave(index)
        case (2, let index?): try toggle(index)
        case (3, let index?): push(index)
        case (4..<12, let index?): select(index)
        default: try pass(milliseconds: Int.random(in: 1...30, using: &random))
        }
        try hearAll()
    }

    private func name(_ member: Member) -> String { member.person.participant.name.string }

    // MARK: What members do

    private mutating func open() {
        opened += 1
        let unit: CodeUnit = random.pick([.utf8, .utf16, .scalar])
        let person = Person("p\(opened)", opened, unit: unit)
        world.open(person)
        members.append(Member(person: person))
    }

    private mutating func leave(_ index: Int) {
        let gone = members.remove(at: index)
        world.leave(gone.person)
        latest[name(gone)] = nil
        // Those who do not know the session yet are sent nothing.
        for index in members.indices {
            members[index].lacksSince[name(gone)] = members[index].known[name(gone)].map { _ in world.time }
        }
    }

    private mutating func toggle(_ index: Int) throws {
        members[index].isSlow.toggle()
        for session in members[index].lacksSince.keys { members[index].lacksSince[session] = world.time }
        try hearAll()
    }

    private mutating func select(_ index: Int) {
        // Typing happens after all selections, so it moves none.
        let places = (0..<2).map { _ in Int.random(in: 0..<9, using: &random) }
        world.select(members[index].person, [(places[0], places[1])], at: world.room.head)
        latest[name(members[index])] = "\(places[0])..\(places[1])"
        noteNews(of: name(members[index]))
    }

    private mutating func push(_ index: Int) {
        let end = PresenceRun.text.utf8.count
        world.push(
            members[index].person, [(end, end, "x")], base: world.room.head, seq: Int64(world.time))
    }

    private mutating func noteNews(of session: String) {
        for index in members.indices where name(members[index]) != session {
            if members[index].lacksSince[session] == nil { members[index].lacksSince[session] = world.time }
        }
    }

    private mutating func pass(milliseconds: Int) throws {
        for _ in 0..<milliseconds {
            world.sleep(milliseconds: 1)
            try hearAll()
        }
    }

    // MARK: What members hear

    private mutating func hearAll() throws {
        for index in members.indices { try hearAll(index) }
        if world.limits.creditBytes < 1_000 { return }
        for member in members where !member.isSlow {
            for (session, since) in member.lacksSince
            where world.time - since > Int64(world.limits.peerMilliseconds) {
                problem = "\(name(member)) waits for \(session) since \(world.time - since) ms"
            }
        }
    }

    private mutating func hearAll(_ index: Int) throws {
        while true {
            let lines = world.lines(members[index].person)
            for line in lines { try hear(line, index) }
            if !lines.isEmpty { members[index].hasUnwritten = true }
            if members[index].isSlow || !members[index].hasUnwritten { return }
            members[index].hasUnwritten = false
            world.reportWritten(members[index].person)
        }
    }

    private mutating func hear(_ line: String, _ index: Int) throws {
        var decoder = MessageDecoder()
        switch try decoder.serverMessage(Array(line.utf8))?.message {
        case .opened(let opened):
            members[index].position = opened.revision
            for peer in opened.peers { members[index].known[peer.session.string] = shown(peer.selections) }
        case .change(let change): members[index].position = change.revision
        case .ack(let ack): members[index].position = ack.revision
        case .peer(let peer): hear(peer, index)
        default: break
        }
    }

    private mutating func hear(_ peer: PeerChange, _ index: Int) {
        let (own, session, now) = (name(members[index]), peer.session.string, world.time)
        if session == own { problem = "\(session) gets its own presence" }
        if let last = members[index].heardAt[session], now - last < Int64(world.limits.peerMilliseconds) {
            problem = "\(own) hears of \(session) again after \(now - last) ms"
        }
        members[index].heardAt[session] = now
        members[index].lacksSince[session] = nil
        switch peer.news {
        case .left:
            if members[index].known.removeValue(forKey: session) == nil {
                problem = "\(own) hears that \(session) left, but does not know it"
            }
        case .selected(let revision, let selections, _):
            if revision != members[index].position {
                problem = "\(own) gets a peer at revision \(revision.value)"
            }
            members[index].known[session] = shown(selections)
        }
    }

    private func shown(_ selections: [WireSelection]) -> String {
        selections.map { "\($0.anchor)..\($0.head)" }.joined(separator: ",")
    }
}
