import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// The server's values on their queues, and the shell around them: it runs what they want done, and decides nothing.
extension World {
    // MARK: The life of a server

    func start() {
        lives += 1
        let hub = HubState(limits: limits, at: time, publicClient: { Names.publicClient($0) })
        let server = Server(hub: hub, budget: LineBudget(limits.lineBudget))
        // Sessions are called after their connections, and no two of them alike.
        server.lastConnection = Int64(lives) * 100_000
        self.server = server
    }

    /// A client's bytes have reached the server, which has not seen the link before.
    func accept(_ link: Link, _ server: Server) {
        server.lastConnection += 1
        let id = ConnectionID(server.lastConnection)
        let host = ConnectionHost(id, ConnectionState(id, settings: settings, at: time), link)
        server.connections[id] = host
        link.host = host
        run(host.state.begun(), host, server)
    }

    /// The server is gone at once, with all that it has not on disk.
    func crash() {
        guard let server else { return }
        server.isDead = true
        self.server = nil
        for job in store.forgetCalls(at: now) { job.run() }
        if fault.losesLast, let before = store.beforeLast { store.model = before }
        for machine in machines { machine.serverIsGone(server) }
        for id in server.connections.keys.sorted() {
            if let link = server.connections[id]?.link { breakLink(link, serverHears: false) }
        }
        after(Int64(dice.roll(.reconnect, lives, at: now).peek(20_000...200_000))) { [unowned self] in
            if self.server == nil { start() }
        }
    }

    // MARK: Queues

    func post(_ job: ConnectionJob, to host: ConnectionHost, _ server: Server) {
        host.queue.append(job)
        if host.queue.isAwake { return }
        host.queue.isAwake = true
        let delay = dice.delay(.queue, Int(host.id.value), at: now)
        agenda.add(.connection(host, server), at: now + delay)
    }

    func post(_ event: HubEvent, _ server: Server) {
        server.hub.queue.append(event)
        if server.hub.queue.isAwake { return }
        server.hub.queue.isAwake = true
        agenda.add(.hub(server), at: now + dice.delay(.queue, -1, at: now))
    }

    func post(_ job: RoomJob, to host: RoomHost, _ server: Server) {
        host.queue.append(job)
        if host.queue.isAwake { return }
        host.queue.isAwake = true
        let delay = dice.delay(.queue, -2 - Int(host.document.value), at: now)
        agenda.add(.room(host, server), at: now + delay)
    }

    /// Whether a queue lets others go first before it goes on.
    private func pauses(_ thing: Int, _ count: Int) -> Bool {
        dice.roll(.pause, thing &+ count &* 1_000, at: now).peek(0...99) < 30
    }

    func run(_ host: ConnectionHost, _ server: Server) {
        host.queue.isAwake = false
        var count = 0
        while failure == nil, let job = host.queue.next() {
            perform(job, host, server)
            count += 1
            if !host.queue.isEmpty, pauses(Int(host.id.value), count) {
                host.queue.isAwake = true
                let delay = dice.delay(.queue, Int(host.id.value), at: now)
                return agenda.add(.connection(host, server), at: now + delay)
            }
        }
    }

    func runHub(_ server: Server) {
        server.hub.queue.isAwake = false
        var count = 0
        while failure == nil, let event = server.hub.queue.next() {
            handle(event, server)
            count += 1
            if !server.hub.queue.isEmpty, pauses(-1, count) {
                server.hub.queue.isAwake = true
                return agenda.add(.hub(server), at: now + dice.delay(.queue, -1, at: now))
            }
        }
    }

    func run(_ host: RoomHost, _ server: Server) {
        host.queue.isAwake = false
        var count = 0
        let gathers = dice.roll(.gather, Int(host.document.value), at: now).peek(0...99) < 50
        if gathers { host.state.beginGathering() }
        defer { if gathers, !host.isDropped { run(host.state.endGathering(), host, server) } }
        while failure == nil, let job = host.queue.next() {
            perform(job, host, server)
            count += 1
            if !host.queue.isEmpty, pauses(-2 - Int(host.document.value), count) {
                host.queue.isAwake = true
                let delay = dice.delay(.queue, -2 - Int(host.document.value), at: now)
                return agenda.add(.room(host, server), at: now + delay)
            }
        }
    }

    // MARK: A connection

    private func perform(_ job: ConnectionJob, _ host: ConnectionHost, _ server: Server) {
        if case .received(let bytes) = job {
            run(host.state.received(bytes, at: time), host, server)
        } else {
            run(host.state.timePassed(time), host, server)
        }
        switch job {
        case .inputEnded: run(host.state.inputEnded(), host, server)
        case .lost: run(host.state.connectionLost(), host, server)
        case .written(let bytes): run(host.state.written(bytes), host, server)
        case .told(let news): run(host.state.told(news), host, server)
        case .sent(let output, let session):
            let forwarded = host.state.forwards(output.bytes.count, to: session)
            run(
                forwarded.map { [.send(output.bytes)] + $0 } ?? host.state.sent(output, to: session), host,
                server)
        case .ended(let session): run(host.state.ended(session), host, server)
        case .cut(let session): run(host.state.cut(session), host, server)
        case .undelivered(let event): run(host.state.undelivered(event), host, server)
        case .authenticated(let result): run(host.state.authenticated(result), host, server)
        case .received, .timePassed: break
        }
        referee.look(at: host)
        check { () throws(BrokenInvariant) in try host.state.checkInvariants() }
    }

    private func run(_ actions: [ConnectionAction], _ host: ConnectionHost, _ server: Server) {
        for action in actions { run(action, host, server) }
    }

    private func run(_ action: ConnectionAction, _ host: ConnectionHost, _ server: Server) {
        switch action {
        case .send(let lines):
            for line in lines.linesApart {
                referee.longestSent = max(referee.longestSent, line.count)
                for line in fault.lines(line) { send(line, on: host) }
            }
        case .pauseReading: host.link.up.isHeld = true
        case .resumeReading:
            host.link.up.isHeld = false
            schedule(up: host.link)
        case .claimLine(let bytes):
            if !server.budget.claim(bytes) { run(host.state.lineRefused(), host, server) }
        case .releaseLine(let bytes): server.budget.release(bytes)
        case .authenticate(let token): authenticate(token, host, server)
        case .join(let joining): post(.join(joining), server)
        case .ask(let request): post(.ask(request), server)
        case .tookDocuments: post(.tookDocuments(host.id), server)
        case .leave: post(.left(host.id), server)
        case .tell(let document, let event): tell(document, event, from: host, server)
        case .wake(let time):
            agenda.add(.wakeConnection(host, server), at: max(now, (time - World.epoch) * 1_000))
        case .endOutput:
            host.link.down.hasEnded = true
            schedule(down: host.link)
        case .close: close(host, server)
        }
    }

    private func tell(_ document: DocumentID, _ event: RoomEvent, from host: ConnectionHost, _ server: Server)
    {
        if let room = server.rooms[document] {
            post(.event(event, host.id), to: room, server)
        } else {
            post(.undelivered(event), to: host, server)
        }
    }

    private func authenticate(_ token: WireString?, _ host: ConnectionHost, _ server: Server) {
        let result = referee.rights.authentication(token)
        after(dice.delay(.store, Int(host.id.value), at: now)) { [unowned self] in
            if !server.isDead { post(.authenticated(result), to: host, server) }
        }
    }

    private func close(_ host: ConnectionHost, _ server: Server) {
        server.connections[host.id] = nil
        closedByServer(host.link)
    }

    private func check(_ state: () throws(BrokenInvariant) -> Void) {
        do { try state() } catch { referee.fail(.invariant, error.law) }
    }

    // MARK: The hub

    private func handle(_ event: HubEvent, _ server: Server) {
        let hub = server.hub
        run(hub.state.handle(event, at: time), server)
        check { () throws(BrokenInvariant) in try hub.state.checkInvariants() }
    }

    private func run(_ actions: [HubAction], _ server: Server) {
        for action in actions {
            switch action {
            case .tell(let connection, let news):
                if let host = server.connections[connection] { post(.told(news), to: host, server) }
            case .call(let id, let call): make(call, id, server)
            case .makeRoom(let entry, let snapshot): makeRoom(entry, snapshot, server)
            case .tellRoom(let document, let event): tellRoom(document, event, server)
            case .dropRoom(let document):
                if let room = server.rooms[document] { post(.drop, to: room, server) }
            case .watchCommits(let watches): server.watchesCommits = watches
            case .wake(let time): agenda.add(.wakeHub(server), at: max(now, (time - World.epoch) * 1_000))
            case .finish: finish(server)
            }
        }
    }

    private func makeRoom(_ entry: DocumentEntry, _ snapshot: Snapshot, _ server: Server) {
        if server.rooms[entry.id] != nil { return fail(.bounds, "a document has two rooms") }
        let room = RoomState(
            entry, head: snapshot, limits: limits, at: time, publicClient: { Names.publicClient($0) })
        server.rooms[entry.id] = RoomHost(entry.id, room)
    }

    private func tellRoom(_ document: DocumentID, _ event: RoomEvent, _ server: Server) {
        guard let room = server.rooms[document] else {
            return fail(.answer, "the hub tells a room something that is no more")
        }
        if fault.readsAtOnce, case .awaitPushes(_, let connection) = event {
            return post(.notified(document, .pushesSettled(connection)), server)
        }
        post(.event(event, nil), to: room, server)
    }

    private func finish(_ server: Server) {
        if server.connections.isEmpty { return stopped(server) }
        // The last lines are on their way yet.
        after(5_000) { [unowned self] in if !server.isDead { finish(server) } }
    }

    private func stopped(_ server: Server) {
        if server.isDead { return }
        crash()
    }

    // MARK: A room

    private func perform(_ job: RoomJob, _ host: RoomHost, _ server: Server) {
        let head = host.state.head
        switch job {
        case .event(let event, _):
            let moment = host.state.presence.now
            run(host.state.handle(fault.told(event, host), at: time), host, server)
            referee.took(event, host, behind: moment)
        case .answer(let id, let call, let answer):
            let answer = fault.answer(answer, to: call, of: host.state)
            run(host.state.handle(.answered(id, answer), at: time), host, server)
        case .drop: drop(host, server)
        }
        if host.state.head != head, server.watchesCommits { post(.changed(host.document), server) }
        referee.look(at: host)
        check { () throws(BrokenInvariant) in try host.state.checkInvariants() }
    }

    private func drop(_ host: RoomHost, _ server: Server) {
        guard host.state.isIdle else { return post(.kept(host.document), server) }
        host.isDropped = true
        server.rooms[host.document] = nil
        // What is on its way to it comes too late.
        while let job = host.queue.next() {
            guard case .event(let event, let connection) = job else { continue }
            // The timer sends this, not the hub.
            if case .timePassed = event { continue }
            guard let connection else {
                return fail(.answer, "the hub told a room something behind that it is to go")
            }
            if let told = server.connections[connection] { post(.undelivered(event), to: told, server) }
        }
        post(.dropped(host.document), server)
    }

    private func run(_ actions: [RoomAction], _ host: RoomHost, _ server: Server) {
        for action in actions { run(action, host, server) }
    }

    private func run(_ action: RoomAction, _ host: RoomHost, _ server: Server) {
        switch action {
        case .send(let session, let output):
            referee.longest = max(referee.longest, output.bytes.linesApart.map(\.count).max() ?? 0)
            if let told = server.connections[session.connection] {
                post(.sent(output, session), to: told, server)
            }
        case .call(let id, let call): make(call, id, host, server)
        case .compute(let id, let work): compute(work, id, host, server)
        case .ended(let session):
            if let told = server.connections[session.connection] { post(.ended(session), to: told, server) }
            post(.ended(session), server)
        case .cut(let session):
            if let told = server.connections[session.connection] { post(.cut(session), to: told, server) }
        case .notifyHub(let notice): post(.notified(host.document, notice), server)
        case .wake(let time):
            agenda.add(.wakeRoom(host, server), at: max(now, (time - World.epoch) * 1_000))
        case .diverged(_, let revision):
            fail(.check, "a client says that its text at revision \(revision.value) is another")
        }
    }
}
