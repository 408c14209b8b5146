import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Simulation") struct SimulationTests {
    @Test(
        "whatever is late, lost, refused or begun anew, nothing is lost or doubled and all texts become one")
    func simulation() {
        let seeds = Seeds.first(Seeds.share(of: 50_000, everyCommit: 2_000))
        var (steps, repeats, revisions, undos) = (0, 0, 0, 0)
        for seed in seeds {
            var run = Simulation(seed)
            do {
                try run.begin()
                for _ in 0..<200 { try run.step() }
                try run.comeToRest()
            } catch {
                Issue.record(
                    "seed \(seed), \(run.last): \(error)\nreplay: \(Seeds.replay(seed, of: "simulation"))")
                return
            }
            steps += run.steps
            repeats += run.repeats
            undos += run.undos
            revisions += run.server.commits
        }
        print(
            "simulation: \(seeds.count) seeds, \(steps) steps, \(revisions) revisions, \(repeats) repeats, \(undos) undos"
        )
    }

    @Test("every fault that is planted in a client is found, and before long")
    func faults() {
        print("planted fault: found by seed, after so many steps: the law that it breaks")
        for fault in PlantedFault.all {
            let found = (0..<UInt64(500)).lazy.compactMap { SimulationTests.find(fault, with: $0) }.first
            print("\(fault.name): \(found ?? "NOT FOUND")")
            #expect(found != nil, "\(fault.name) is not found by 500 seeds")
        }
    }

    private static func find(_ fault: PlantedFault, with seed: UInt64) -> String? {
        var run = Simulation(seed, fault: fault)
        do {
            try run.begin()
            for _ in 0..<200 { try run.step() }
            try run.comeToRest()
            return nil
        } catch {
            return "\(seed), \(run.steps): \(error)"
        }
    }
}

/// One server and some clients, with everything between them in the hands of chance.
private struct Simulation {
    private var random: Seeded
    private(set) var server: ModelServer
    private var clients: [ModelClient]
    private(set) var steps = 0
    /// What was done last.
    private(set) var last = ""
    /// How likely connections are cut, of a thousand: some runs have hardly any rest.
    private let cuts: Int
    /// Nothing befalls the document, so nobody has a reason to open it a second time.
    private let isCalm: Bool

    var repeats: Int { clients.reduce(0) { $0 + $1.repeats } }
    var undos: Int { clients.reduce(0) { $0 + $1.undos } }

    init(_ seed: UInt64, fault: PlantedFault? = nil) {
        random = Seeded(seed)
        cuts = random.pick([0, 5, 20, 50])
        isCalm = cuts == 0 && seed.isMultiple(of: 4)
        let count = random.number(1...4)
        clients = []
        server = ModelServer(clients: count)
        server.isCalm = isCalm
        for index in 0..<count {
            clients.append(
                ModelClient(mode: index > 0 && random.chance(15) ? .watch : .edit, fault: fault))
        }
    }

    mutating func begin() throws {
        for client in clients.indices where random.chance(80) { try connect(client) }
    }

    mutating func step() throws {
        steps += 1
        let client = random.number(0...clients.count - 1)
        switch random.number(0...999) {
        case 0..<cuts: try cut(client)
        case ..<280 where clients[client].types:
            try act("type", client) { me, server, random in try me.type(&server.markers, &random) }
        case ..<300 where clients[client].types:
            let again = random.chance(30)
            try act("undo", client) { me, server, _ in try me.undo(&server.markers, again: again) }
        case ..<330: try act("select", client) { me, _, random in try me.select(&random) }
        case ..<460: try deliverToServer(client)
        case ..<660: try deliverToClient(client)
        case ..<790: try pump(client)
        case ..<900: try commit()
        case ..<920: try wake(client)
        case ..<930: try act("retry", client) { me, _, _ in try me.retry() }
        // What was given up in flight comes back as a stranger's.
        case 930..<932 where isCalm: break
        case ..<932: try act("discard", client) { me, server, _ in try me.discard(&server.markers) }
        case ..<992: if !clients[client].isConnected { try connect(client) }
        default: try befall(client)
        }
    }

    private mutating func befall(_ client: Int) throws {
        last = "what befalls a document"
        if isCalm { return server.requestCheck(of: client) }
        switch random.number(0...9) {
        case 0: server.trim(&random)
        case 1: server.resync(client)
        case 2: try server.redact(&random)
        case 3: try restoreOlder()
        case 4: try server.deleteAndCreate(&random)
        case 5: server.rename()
        case 6: server.accuse(client)
        case 7: server.requestCheck(of: client)
        default: server.give(random.pick([.read, .write, .write, .none]), to: client)
        }
    }

    private mutating func restoreOlder() throws {
        for client in clients.indices where clients[client].isConnected { try cut(client) }
        server.restoreOlder(&random)
    }

    private mutating func act(
        _ what: String, _ client: Int,
        _ body: (inout ModelClient, inout ModelServer, inout Seeded) throws -> Void
    ) throws {
        last = "step \(steps), client \(client): \(what)"
        try body(&clients[client], &server, &random)
        try clients[client].check(against: server)
    }

    private mutating func connect(_ client: Int) throws {
        server.connect(client)
        try act("connect", client) { me, _, _ in try me.connect() }
    }

    private mutating func cut(_ client: Int) throws {
        guard clients[client].isConnected else { return }
        server.cut(client, &random)
        try act("cut", client) { me, _, _ in try me.cutOff() }
    }

    private mutating func wake(_ client: Int) throws {
        try act("wake", client) { me, _, _ in try me.wake() }
    }

    private mutating func deliverToServer(_ client: Int) throws {
        guard let client = nearest(client, { !clients[$0].outgoing.isEmpty }) else { return }
        last = "step \(steps), client \(client): the server receives \(clients[client].outgoing[0])"
        try server.receive(clients[client].outgoing.removeFirst(), from: client, &random)
    }

    private mutating func deliverToClient(_ client: Int) throws {
        guard let client = nearest(client, { server.outgoing[$0]?.isEmpty == false }),
            let message = server.outgoing[client]?.first
        else { return }
        server.outgoing[client]?.removeFirst()
        try act("receives \(message)", client) { me, server, _ in
            try me.receive(message, nameNow: server.name)
        }
    }

    private mutating func pump(_ client: Int) throws {
        let isBehind = { (client: Int) in
            server.sessions[client].map { $0.position < server.history.head || $0.news.contains(true) }
                == true
        }
        let client = nearest(client, isBehind) ?? client
        last = "step \(steps), client \(client): the server sends"
        try server.pump(client, &random)
    }

    private mutating func commit() throws {
        last = "step \(steps): the server commits"
        try server.commit(&random)
    }

    /// The next client from this one on of whom that is so.
    private func nearest(_ client: Int, _ isSo: (Int) -> Bool) -> Int? {
        clients.indices.lazy.map { (client + $0) % clients.count }.first(where: isSo)
    }

    // At the end.

    /// Everybody connects and may write; everything that is on its way arrives.
    mutating func comeToRest() throws {
        for client in clients.indices {
            if !clients[client].isConnected { try connect(client) }
            server.give(.write, to: client)
        }
        for round in 0..<200 {
            try settle()
            // Selections that the server dropped are told once more at a check, so everybody gets one.
            if round > 0, isAtRest, clients.allSatisfy({ $0.replica.state == .saved }) {
                return try checkRest()
            }
            for client in clients.indices {
                try act("retry", client) { me, _, _ in try me.retry() }
                server.requestCheck(of: client)
            }
        }
        throw Fault(description: "no rest: \(clients.map(\.replica.state))")
    }

    private var isAtRest: Bool {
        server.isAtRest && clients.allSatisfy { $0.outgoing.isEmpty }
            && server.outgoing.allSatisfy { $0 == [] }
    }

    /// Lets everything pass on that is under way.
    private mutating func settle() throws {
        for _ in 0..<20 {
            for client in clients.indices {
                for _ in 0..<clients[client].outgoing.count { try deliverToServer(client) }
                try commit()
                for _ in 0..<20 { try pump(client) }
                for _ in 0..<(server.outgoing[client]?.count ?? 0) { try deliverToClient(client) }
                if clients[client].isWakeDue { try wake(client) }
            }
            if isAtRest { return }
        }
    }

    private func checkRest() throws {
        for (client, me) in clients.enumerated() {
            if me.replica.place != server.history.place {
                throw Fault(description: "client \(client) is not at the head")
            }
            if me.replica.committed != server.history.text {
                throw Fault(description: "client \(client) has another text")
            }
            if me.replica.text != server.history.text {
                throw Fault(description: "client \(client) shows another text")
            }
            try checkPresence(client)
            if isCalm, me.reopenings > 0 {
                throw Fault(description: "client \(client) opens the document again without need")
            }
        }
        if let fault = server.markers.fault(in: server.history.text) { throw Fault(description: fault) }
    }

    /// The server and all the others have a client's selections where it has them itself.
    private func checkPresence(_ client: Int) throws {
        let me = clients[client]
        guard let session = server.sessions[client] else {
            throw Fault(description: "client \(client) is not there")
        }
        if me.replica.selections != session.selections ?? [] {
            throw Fault(description: "client \(client)'s selections are others on the server")
        }
        for (other, they) in clients.enumerated() where other != client && session.selections != nil {
            let seen = they.replica.peers.first { $0.session == session.id }?.selections
            if seen != session.selections {
                throw Fault(description: "client \(other) sees \(client) elsewhere")
            }
        }
    }
}
