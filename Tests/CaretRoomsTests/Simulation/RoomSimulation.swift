import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// One room with its clients, its store and all that lies between them, in the hands of chance.
struct RoomSimulation {
    var random: Seeded
    var room: RoomState
    var store: SimulatedStore
    var clients: [SimulatedClient]
    let limits: Limits
    let fault: PlantedFault?
    var time: Int64 = 1_000_000
    private var wakesAt: Int64?
    private var lastSession: Int64 = 0
    /// Whose lines these sessions' are.
    private var owners: [SessionID: Int] = [:]
    /// Bytes that each session was sent and has not taken.
    private var outstanding: [SessionID: Int] = [:]
    /// What each session selected last, and at which revision.
    private var selected: [SessionID: (selections: [Selection], revision: Revision)] = [:]
    /// The highest revision that the room was told of.
    private var told = Revision(0)
    /// The document is no more.
    private(set) var isOver = false
    private(set) var steps = 0
    /// What was done last.
    private(set) var last = ""
    /// What clients were told, where a seed is replayed.
    private(set) var trace: [String] = []
    private let isTraced: Bool
    /// How often each thing happened that is worth to be known.
    private(set) var counts: [String: Int] = [:]
    /// What the room was told last to keep of its log.
    private var windowBound = Int.max
    /// How often, of a thousand steps, another server commits something.
    private let othersAre: Int
    private var names = 0

    init(_ seed: UInt64, fault: PlantedFault? = nil, isTraced: Bool = false) throws {
        self.isTraced = isTraced
        var random = Seeded(seed)
        limits = RoomSimulation.limits(&random)
        store = try SimulatedStore(troubles: random.pick([0, 0, 30, 100]))
        clients = RoomSimulation.clients(&random)
        room = try RoomSimulation.room(of: store, limits, at: 1_000_000)
        othersAre = random.pick([0, 10, 100])
        self.random = random
        self.fault = fault
    }

    private static func limits(_ random: inout Seeded) -> Limits {
        var limits = Limits()
        limits.windowBytes = random.pick([1, 8_000, 20_000, 1 << 20])
        limits.creditBytes = random.pick([1, 400, 2_000, 256 << 10])
        limits.sessionBehind = random.pick([10, 40, 65_536])
        limits.segmentChanges = random.pick([1, 2, 128])
        limits.rebase = random.pick([60, 10_000_000])
        limits.announced.document = random.pick([300, 4 << 20])
        limits.roomSelections = random.pick([5, 20_000])
        return limits
    }

    private static func clients(_ random: inout Seeded) -> [SimulatedClient] {
        (0..<random.number(1...8)).map { number in
            let watches = number > 0 && random.chance(20)
            return SimulatedClient(
                number, pusher: Pusher(user: ByteString("u\(number / 2)"), client: ByteString("c\(number)")),
                unit: random.pick([.utf8, .utf16, .utf16, .scalar]), mode: watches ? .watch : .edit,
                squashes: watches && random.chance(60))
        }
    }

    static func room(of store: SimulatedStore, _ limits: Limits, at time: Int64) throws -> RoomState {
        RoomState(
            try store.model.entry(of: store.document).get(),
            head: try store.model.text(of: store.document, at: nil).get(), limits: limits, at: time,
            publicClient: SimulatedClient.publicClient)
    }

    // MARK: Steps

    mutating func step() throws {
        steps += 1
        // Of a room that is over there is not much to be seen.
        if room.closedWith != nil, random.chance(5) {
            isOver = true
            return
        }
        if random.number(0...999) < othersAre {
            return try note("elsewhere") { me in try me.commitElsewhere() }
        }
        let client = random.number(0...clients.count - 1)
        switch random.number(0...999) {
        case 0..<350: try act(client)
        case ..<560: try deliverSome()
        case ..<760: try note("store") { me in try me.runStore() }
        case ..<960: try note("answer") { me in try me.answers() }
        case ..<975:
            try note("time") { me in
                try me.pass(milliseconds: me.random.pick([1, 20, 60, 900, 6_000]))
            }
        case ..<985: try note("look") { me in try me.look() }
        default: try note("befall") { me in try me.befall(client) }
        }
    }

    mutating func note(_ what: @autoclosure () -> String) {
        if isTraced { trace.append("\(steps) " + what()) }
    }

    private mutating func note(_ what: String, _ body: (inout RoomSimulation) throws -> Void) throws {
        last = "step \(steps): \(what)"
        try body(&self)
    }

    private mutating func befall(_ client: Int) throws {
        switch random.number(0...9) {
        case 0: try restart()
        case 1...2: try rename()
        case 3 where random.chance(20): try delete()
        case 3 where random.chance(10):
            count("damages")
            store.model.damage(store.document)
        case 4...5:
            let start = Revision(random.number(0...store.truth.head.value))
            // The hub tells the room, or it finds out.
            if case .trimmed(let start) = store.model.trim(store.document, through: start), random.chance(50)
            {
                try tell(.trimmed(start: start))
            }
        case 6...8:
            let rights = random.pick([Rights.read, .write, .write, .none])
            if let session = clients[client].session { try tell(.rightsChanged(session, rights)) }
        case 9 where random.chance(30): try pass(milliseconds: 31_000)
        case 9:
            count("windows bounded")
            windowBound = random.pick([1, 8_000, limits.windowBytes])
            room.windowBounded(to: windowBound)
        default: break
        }
    }

    /// Tells the room something, and does what it wants.
    mutating func tell(_ event: RoomEvent, answering call: StoreCall? = nil) throws {
        if isOver { return }
        try run(fault?.handle(&room, event, call, time) ?? room.handle(event, at: time))
        try room.checkInvariants()
    }

    private mutating func run(_ actions: [RoomAction]) throws {
        if actions.isEmpty { return }
        let apart = actions.flatMap(\.linesApart)
        let actions = fault?.actions(apart, &random) ?? apart
        let isLast = actions.contains {
            if case .send(_, let output) = $0 { Gone.isEncoded(in: output.bytes) } else { false }
        }
        for action in actions {
            if isTraced { note(action.traced) }
            count(action)
            switch action {
            case .send(let session, let output): try send(session, output.bytes, isLast: isLast)
            case .wake(let time): wakesAt = min(wakesAt ?? time, time)
            case .ended(let session): ended(session)
            case .cut(let session): if let owner = owners[session] { cutOff(owner) }
            case .diverged, .notifyHub: break
            case .call, .compute: store.ask(action)
            }
        }
        if room.windowBytes > min(windowBound, limits.windowBytes),
            room.log.window.start.revision.value < room.head.value - 1
        {
            throw SimulatedClient.Wrong("the window has \(room.windowBytes) bytes")
        }
    }

    private mutating func send(_ session: SessionID, _ line: [UInt8], isLast: Bool) throws {
        if line.revision > told.value {
            throw SimulatedClient.Wrong("told of \(line.revision), which may not be on disk")
        }
        let waiting = outstanding[session, default: 0]
        if !isLast, WireChange.isEncoded(in: line), waiting >= limits.creditBytes {
            throw SimulatedClient.Wrong("handed a change beyond its credit: \(waiting) bytes wait")
        }
        outstanding[session] = waiting + line.count
        guard let owner = owners[session] else { return }
        switch clients[owner].link {
        case .offline, .cutOff: break
        case .connected, .opening, .open, .closing: clients[owner].queue.append((session, line))
        }
    }

    private mutating func ended(_ session: SessionID) {
        selected[session] = nil
        outstanding[session] = nil
        if let owner = owners[session], clients[owner].link == .cutOff(session) {
            clients[owner].link = .offline
        }
    }

    private mutating func deliverSome() throws {
        for _ in 0..<3 {
            let waiting = clients.indices.filter { !clients[$0].queue.isEmpty }
            if !waiting.isEmpty { try deliver(random.pick(waiting), upTo: random.number(1...8)) }
        }
    }

    private mutating func runStore() throws {
        for _ in 0..<random.number(1...4) { try store.runOne(at: time, &random) }
    }

    private mutating func answers() throws {
        for _ in 0..<random.number(1...4) { try answer() }
    }

    private mutating func answer() throws {
        guard let (action, event, tells) = store.takeAnswer(&random) else { return }
        told = max(told, tells)
        // What was selected in a history that the room could not follow is nowhere.
        if action.isReload { selected = [:] }
        try tell(event, answering: action.storeCall)
    }

    private mutating func count(_ action: RoomAction) {
        switch action {
        case .call(_, .appendLocked): count("locked appends")
        case .call(_, .append): count("appends")
        case .call(_, .read), .call(_, .text): count("reads")
        case .compute(_, .change): count("computations")
        case .call(_, .load): count("reloads")
        case .cut: count("cuts")
        case .call, .compute, .send, .wake, .ended, .diverged, .notifyHub: break
        }
    }

    mutating func pass(milliseconds: Int) throws {
        let end = time + Int64(milliseconds)
        while let wake = wakesAt, wake <= end {
            wakesAt = nil
            time = max(time, wake)
            if !isOver { try tell(.timePassed) }
        }
        time = end
    }

    // MARK: What a client is told and takes

    mutating func deliver(_ client: Int, upTo count: Int) throws {
        last = "step \(steps): deliver to \(client)"
        for _ in 0..<count {
            if clients[client].queue.isEmpty { return }
            let (session, line) = clients[client].queue.removeFirst()
            note("client \(client) in \(session.value) takes \(String(decoding: line, as: UTF8.self))")
            do {
                try clients[client].take(session, line, against: store.truth)
            } catch {
                throw SimulatedClient.Wrong("\(error) in \(String(decoding: line, as: UTF8.self))")
            }
            outstanding[session]? -= line.count
            let bytes = line.count
            try tell(.written(session, bytes: bytes))
        }
    }

    // MARK: What befalls all

    private mutating func restart() throws {
        count("restarts")
        try store.restart(&random)
        for client in clients.indices {
            clients[client].cutOff()
            clients[client].link = .offline
        }
        (owners, outstanding, selected, wakesAt) = ([:], [:], [:], nil)
        guard (try? store.model.entry(of: store.document).get()) != nil else {
            isOver = true
            return
        }
        room = try RoomSimulation.room(of: store, limits, at: time)
        windowBound = .max
        told = store.truth.head
    }

    private mutating func rename() throws {
        names += 1
        count("renames")
        let name = try DocumentName("a\(names)")
        let readers = owners.keys.filter { $0.value % 3 != 0 }
        let order = RoomOrder(requester: nextSession(), id: nil, document: room.log.name, readers: readers)
        try tell(.rename(to: name, order))
    }

    private mutating func delete() throws {
        let order = RoomOrder(requester: nextSession(), id: nil, document: room.log.name)
        try tell(.delete(order))
    }

    mutating func nextSession(of client: Int? = nil) -> SessionID {
        lastSession += 1
        if let client { owners[SessionID(lastSession)] = client }
        return SessionID(lastSession)
    }

    mutating func cutOff(_ client: Int) {
        if let session = clients[client].session { outstanding[session] = nil }
        clients[client].cutOff()
    }

    mutating func noteSelection(_ session: SessionID, _ selections: [Selection], at revision: Revision) {
        selected[session] = (selections, revision)
    }

    mutating func count(_ what: String) { counts[what, default: 0] += 1 }
}

// MARK: What must hold

extension RoomSimulation {
    /// Selections are where the rules have them, and whoever is at the head has the others where the room has them.
    mutating func look() throws {
        if isOver || room.closedWith != nil { return }
        for session in room.sessions.all {
            for selection in session.presence.selections {
                guard room.text.isScalarBoundary(selection.anchor), room.text.isScalarBoundary(selection.head)
                else {
                    throw SimulatedClient.Wrong("the room has a selection \(selection)")
                }
            }
            guard let (selections, revision) = selected[session.id], room.log.epoch == store.truth.epoch
            else {
                continue
            }
            let mapped = try store.truth.mapped(selections, from: revision, to: room.head)
            if mapped != session.presence.selections {
                throw SimulatedClient.Wrong(
                    "the room has \(session.presence.selections), and they are at \(mapped)")
            }
        }
        for client in clients { try compare(client) }
    }

    private func compare(_ client: SimulatedClient) throws {
        guard case .open(let id) = client.link, client.queue.isEmpty,
            let session = room.sessions.all.first(where: { $0.id == id }),
            session.presence.told == room.presence.now,
            session.stream.position == room.head
        else { return }
        if client.revision != room.head {
            throw SimulatedClient.Wrong("client \(client.number) is not at the head")
        }
        let names = room.sessions.all.filter { $0.id != id && $0.presence.known != nil }.map(
            \.participant.name)
        if Set(client.peers.keys) != Set(names) {
            throw SimulatedClient.Wrong("client \(client.number) knows others than are there")
        }
        for other in room.sessions.all where other.id != id && other.presence.known != nil {
            guard let known = client.peers[other.participant.name]?.selections else {
                throw SimulatedClient.Wrong("client \(client.number) does not know \(other.participant.name)")
            }
            let expected = room.text.wire(other.presence.selections, in: client.unit)
            if known != expected {
                throw SimulatedClient.Wrong(
                    "client \(client.number) has \(other.participant.name) at \(known), the room at \(expected)"
                )
            }
        }
    }

    /// Lets everything come to its end: everybody is open, everything pushed is settled, and all texts are one.
    mutating func comeToRest() throws {
        last = "rest"
        for _ in 0..<60 {
            for client in clients.indices where !isOver && room.closedWith == nil {
                try bringBack(client)
                try deliver(client, upTo: .max)
            }
            while !store.isQuiet, !isOver {
                try store.runOne(at: time, &random)
                try answer()
            }
            try pass(milliseconds: 1_500)
        }
        for client in clients.indices { try deliver(client, upTo: .max) }
        if isOver || room.closedWith != nil { return }
        try look()
        for client in clients { try isAtRest(client) }
        try room.checkNothingIsLeft()
    }

    private func isAtRest(_ client: SimulatedClient) throws {
        guard case .open = client.link else {
            throw SimulatedClient.Wrong("client \(client.number) is \(client.link) in the end")
        }
        if client.inFlight != nil { throw SimulatedClient.Wrong("client \(client.number) waits for ever") }
        if client.revision != room.head {
            throw SimulatedClient.Wrong("client \(client.number) ends at \(client.revision.value)")
        }
    }
}

extension RoomAction {
    /// What is handed in one piece, line by line.
    fileprivate var linesApart: [RoomAction] {
        guard case .send(let session, let output) = self else { return [self] }
        return output.bytes.linesApart.map { .send(session, RoomOutput(output.kind, $0)) }
    }

    fileprivate var traced: String {
        switch self {
        case .send(let session, let output):
            "\(session.value) is sent \(String(decoding: output.bytes, as: UTF8.self))"
        default: "\(self)"
        }
    }
}

extension RoomState {
    /// Throws if something is left over when everything has come to its end.
    fileprivate func checkNothingIsLeft() throws {
        guard isSettled, repeats.isEmpty, pause.isOver, !catchUp.hasWaiting, queries.isEmpty
        else { throw SimulatedClient.Wrong("something is left over in the room") }
    }
}

extension [UInt8] {
    /// The revision that a line tells of, where it tells of one; the first `"rev":` of it stands in front of all text.
    fileprivate var revision: Int {
        if ErrorReport.isEncoded(in: self) { return 0 }
        let key = Array(#""rev":"#.utf8)
        var index = 0
        while index + key.count < Swift.min(count, 400) {
            if self[index] == key[0], self[index..<index + key.count].elementsEqual(key) {
                var value = 0
                index += key.count
                while index < count, self[index] >= 48, self[index] <= 57 {
                    value = value * 10 + Int(self[index] - 48)
                    index += 1
                }
                return value
            }
            index += 1
        }
        return 0
    }
}

extension WireMessage {
    /// Whether a line is such a message.
    fileprivate static func isEncoded(in line: [UInt8]) -> Bool {
        line.starts(with: Array(#"{"type":"\#(type)""#.utf8))
    }
}
