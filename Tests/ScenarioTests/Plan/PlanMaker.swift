import CaretLog
import CaretWire
import TestSupport

/// Makes random plans: some with few faults, some with many.
struct PlanMaker {
    private var random: Seeded
    private var clients: [Plan.Kind] = []
    /// The relative frequency of each kind of step.
    private var odds: [(count: Int, make: (inout PlanMaker) -> Operation?)] = []
    private var time = 0
    /// The number of markers used so far.
    private var marks = 0
    /// How many of the document names the clients use.
    private let names: Int
    private let nodes: Int

    /// Plans with this seed and later ones have several servers over the store.
    static let firstSeedWithNodes: UInt64 = 1_000_000

    static func plan(_ seed: UInt64, steps: Int? = nil) -> Plan {
        var maker = PlanMaker(seed)
        let count = steps ?? maker.random.pick([30, 100, 100, 300, 300, 800])
        return maker.plan(seed, count)
    }

    private init(_ seed: UInt64) {
        random = Seeded(seed)
        nodes = seed < PlanMaker.firstSeedWithNodes ? 1 : random.pick([2, 2, 3, 3, 4, 5])
        names = random.pick([1, 1, 2, 4])
        let count = random.pick([1, 2, 2, 3, 3, 4, 5, 8])
        let first: [Plan.Kind] = [.editor16, .editor16, .editor8, .editor32, .syncer]
        clients = [random.pick(first)]
        for _ in 1..<max(2, count) where clients.count < count {
            clients.append(random.chance(55) ? random.pick(first) : random.pick(PlanMaker.kinds))
        }
        // Has a random source of its own, so that the other plans stay the same.
        var ofHTTP = Seeded(seed ^ 0x477)
        if ofHTTP.chance(40) { clients += Array(repeating: .http, count: ofHTTP.number(1...2)) }
        if nodes > 1 {
            clients.append(random.pick(first))
            setOddsWithNodes()
        } else {
            setOdds()
        }
    }

    /// The kinds of clients that speak messages.
    private static let kinds = Plan.Kind.allCases.filter { $0 != .http }

    private mutating func plan(_ seed: UInt64, _ count: Int) -> Plan {
        var steps: [Step] = []
        // Every client opens a document first, as people do.
        for client in clients.indices {
            steps.append(Step(time: random.number(0...40), operation: .client(client, .opens(name()))))
        }
        let total = odds.reduce(0) { $0 + $1.count }
        let pace = random.pick([2, 8, 8, 25])
        while steps.count < count {
            time += random.chance(2) ? random.number(200...3_000) : random.number(0...2 * pace)
            var rest = random.number(0...total - 1)
            for (count, make) in odds {
                rest -= count
                if rest >= 0 { continue }
                if let operation = make(&self) { steps.append(Step(time: 40 + time, operation: operation)) }
                break
            }
        }
        steps.sort { $0.time < $1.time }
        return Plan(seed: seed, clients: clients, steps: steps, nodes: nodes)
    }

    // MARK: Frequencies

    private mutating func setOdds() {
        let cuts = random.pick([0, 40, 150, 600])
        let store = random.pick([0, 0, 60, 250])
        let others = random.pick([0, 0, 100, 500])
        let names = random.pick([0, 0, 80, 300])
        let rights = random.pick([0, 0, 60, 400])
        let restarts = random.pick([0, 0, 15, 60])
        if names > 0, admin() == nil { clients.append(.admin) }
        addEditing()
        add(500) { maker in maker.admin().map { .client($0, maker.requestOperation()) } }
        add(names) { maker in maker.admin().map { .client($0, maker.adminOperation()) } }
        add(cuts) { .client($0.anyClient(), $0.linkOperation()) }
        add(cuts / 2 + 10) { .client($0.anyClient(), .returns) }
        add(store) { .world($0.storeOperation()) }
        add(others) { .world(.elsewhere($0.name(), $0.typings())) }
        add(10 + others / 10) { _ in .world(.renews) }
        add(others / 20) { .world(.damages($0.name())) }
        add(others / 8) { .world(.trims($0.name(), perMille: $0.random.number(0...1_000))) }
        add(rights) { .world($0.rightsOperation()) }
        add(restarts) { .world($0.restart()) }
        addRequestsOverHTTP()
    }

    /// The steps of plans with several servers. Their clients often move from one server to another.
    private mutating func setOddsWithNodes() {
        let cuts = random.pick([40, 150, 600])
        let store = random.pick([0, 60, 250])
        let rights = random.pick([0, 0, 60])
        let restarts = random.pick([0, 15, 60])
        let names = random.pick([0, 0, 80, 300])
        if names > 0, admin() == nil { clients.append(.admin) }
        addEditing()
        add(500) { maker in maker.admin().map { .client($0, maker.requestOperation()) } }
        add(names) { maker in maker.admin().map { .client($0, maker.adminOperation()) } }
        add(cuts) { .client($0.anyClient(), $0.linkOperation()) }
        add(cuts) { .client($0.anyClient(), .isCut) }
        add(cuts / 2 + 10) { .client($0.anyClient(), .returns) }
        add(store) { .world($0.storeOperation()) }
        add(rights) { .world($0.rightsOperation()) }
        add(restarts) { .world($0.random.chance(60) ? .crashes : .shutsDown) }
        add(restarts) { .world(.stops(milliseconds: $0.random.pick([20, 200, 1_500]))) }
        add(cuts) { .world(.cutsBus(milliseconds: $0.random.pick([200, 300, 1_500]))) }
        addRequestsOverHTTP()
    }

    /// What every client does in every plan.
    private mutating func addEditing() {
        add(4_500) { maker in
            let writer = maker.writer()
            return .client(writer, maker.typing(at: writer))
        }
        add(700) { .client($0.anyClient(), .selects($0.name(), $0.places())) }
        add(150) { .client($0.anyClient(), .retries($0.name())) }
        add(60) { .client($0.anyClient(), $0.random.chance(50) ? .opens($0.name()) : .closes($0.name())) }
        add(250) { .client($0.anyClient(), .repeats($0.name())) }
        add(60) { .client($0.anyClient(), .reuses($0.name())) }
        add(150) { .client($0.writer(), $0.random.chance(70) ? .undoes($0.name()) : .redoes($0.name())) }
        add(40) { .client($0.anyClient(), $0.random.chance(70) ? .discards($0.name()) : .restarts) }
        add(40) { .client($0.writer(), .isRefused($0.name(), $0.random.pick(PlanMaker.refusals))) }
        add(80) { .client($0.anyClient(), $0.random.chance(80) ? .hearsWrongCheck($0.name()) : .reloads) }
        add(60) {
            .client(
                $0.anyClient(),
                $0.random.chance(50) ? .pings : .babbles($0.random.pick(MalformedLine.allCases)))
        }
        add(200) { maker in
            let name = maker.name()
            let isReading = maker.random.chance(60)
            return .client(
                maker.writer(),
                isReading
                    ? .reads(name, perMille: nil) : .looksBack(name, perMille: maker.random.number(0...1_000))
            )
        }
    }

    private mutating func addRequestsOverHTTP() {
        if clients.contains(.http) { add(1_500) { .client($0.client(with: .http), $0.requestOverHTTP()) } }
    }

    private mutating func add(_ count: Int, _ make: @escaping (inout PlanMaker) -> Operation?) {
        if count > 0 { odds.append((count, make)) }
    }

    private mutating func anyClient() -> Int { random.number(0...clients.count - 1) }

    private mutating func name() -> Int { random.number(0...names - 1) }

    private mutating func writer() -> Int {
        let writers = clients.indices.filter { clients[$0].writes }
        return random.pick(Array(writers))
    }

    private mutating func admin() -> Int? {
        clients.contains(.admin) ? client(with: .admin) : nil
    }

    /// A client of a kind that the plan has.
    private mutating func client(with kind: Plan.Kind) -> Int {
        random.pick(clients.indices.filter { clients[$0] == kind })
    }

    /// Codes with which the server may refuse a push that was not committed.
    private static let refusals: [ErrorCode] = [
        .rateLimited, .overloaded, .internal, .storageFull, .shuttingDown, .pushInFlight, .notOpen,
        .badRange, .baseAhead, .baseBeforeOwnPush, .seqReused, .notFound, .forbidden, .badText, .badEdits,
        .lineTooLong, .unauthorized,
    ]

    // MARK: Operations

    private mutating func typing(at client: Int) -> ClientOperation {
        let (name, typings) = (name(), typings())
        let isFile = clients[client] == .syncer || clients[client] == .http && random.chance(40)
        return isFile ? .writes(name, typings, crlf: random.chance(25)) : .types(name, typings)
    }

    private mutating func requestOverHTTP() -> ClientOperation {
        switch random.number(0...9) {
        case ..<5: .reads(name(), perMille: nil)
        case ..<7: .syncs(name())
        case ..<9: .repeats(name())
        default: .reads(name(), perMille: random.number(0...1_000))
        }
    }

    private mutating func typings() -> [Typing] {
        (0..<random.pick([1, 1, 1, 1, 2, 4])).map { _ in
            let removed =
                random.chance(70) ? 0 : random.chance(92) ? random.number(1...8) : random.number(20...200)
            let isPlain = removed > 0 && random.chance(50)
            // Most edits are near the start of the text, so that edits of several clients meet.
            let place = random.chance(60) ? random.number(0...12) : random.number(0...700)
            return Typing(place: place, removed: removed, text: isPlain ? "" : text())
        }
    }

    private mutating func text() -> String {
        var marker = ""
        if random.chance(40) {
            marks += 1
            marker = Markers.text(marks)
        }
        switch random.number(0...99) {
        case ..<55: return SampleText.make(upTo: 3, tricky: 0, &random) + marker
        case ..<90: return SampleText.make(upTo: 4, tricky: 60, &random) + marker
        case ..<97: return SampleText.word(&random) + "\n" + marker
        default: return SampleText.lines(bytes: random.number(100...700), &random)
        }
    }

    private mutating func places() -> [Place] {
        (0..<random.pick([0, 1, 1, 1, 2, 3])).map { _ in
            let anchor = random.number(0...200)
            return Place(anchor: anchor, head: random.chance(40) ? anchor : random.number(0...200))
        }
    }

    private mutating func requestOperation() -> ClientOperation {
        switch random.number(0...6) {
        case 0: .lists
        case 1: .reads(name(), perMille: nil)
        case 2: .reads(name(), perMille: random.number(0...1_000))
        case 3: .looksBack(name(), perMille: random.number(0...1_000))
        case 4: random.chance(70) ? .follows : .unfollows
        case 5: .tags(name(), perMille: random.number(0...1_000))
        default: .restores(name(), perMille: random.number(0...1_000))
        }
    }

    private mutating func adminOperation() -> ClientOperation {
        let other = random.number(0...Plan.names.count - 1)
        return switch random.number(0...9) {
        case ..<4: .renames(name(), to: other)
        case ..<7: .copies(name(), to: other)
        default: .deletes(name())
        }
    }

    private mutating func linkOperation() -> ClientOperation {
        let span = random.pick([5, 60, 400])
        switch random.number(0...8) {
        case 0: return .leaves
        case 1: return .connectsAgain
        case 2, 3: return .isCut
        case 4: return .vanishes
        case 5: return .hearsNothing(span)
        case 6: return .isNotHeard(span)
        case 7: return random.chance(50) ? .endsOutput : .stopsReading(random.pick([50, 500, 500, 6_000]))
        default: return .stopsReading(random.pick([50, 500, 500]))
        }
    }

    private mutating func storeOperation() -> WorldOperation {
        .store(random.pick(StoreBehaviour.allCases), milliseconds: random.pick([5, 60, 300]))
    }

    private mutating func rightsOperation() -> WorldOperation {
        if random.chance(10) { return .revokes(anyClient(), random.number(20...500)) }
        return .allows(anyClient(), name(), random.pick([.none, .read, .write, .write, .admin]))
    }

    private mutating func restart() -> WorldOperation {
        switch random.number(0...9) {
        case ..<4: .crashes
        case ..<6: .shutsDown
        case ..<8: .keeps
        default: .putsBack
        }
    }
}

extension Plan.Kind {
    fileprivate var writes: Bool {
        switch self {
        case .editor16, .editor8, .editor32, .syncer, .http: true
        case .reader, .watcher, .squashed, .admin: false
        }
    }
}
