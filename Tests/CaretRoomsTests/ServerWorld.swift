import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// A whole server without threads: connections, the hub, rooms and a store, with the queues between them.
///
/// Each message waits in the queue of its receiver. Without a seed, messages are delivered in the order sent.
/// With a seed, the order of the queues is random.
final class ServerWorld {
    /// The queue in which a message waits.
    enum Queue: Hashable {
        case connection(ConnectionID)
        case hub
        case room(DocumentID)
        /// Each call to the store has its own queue.
        case store(Int)
    }

    private struct Delivery {
        let queue: Queue
        let deliver: () -> Void
    }

    var store = StoreModel(generation: 1)
    private(set) var hub: HubState
    private(set) var connections: [ConnectionID: ConnectionState] = [:]
    private(set) var clients: [ConnectionID: TestClient] = [:]
    private(set) var rooms: [DocumentID: any ServedRoom] = [:]
    let settings: ConnectionSettings
    var now: Int64 = 10_000
    /// What the wall clock shows, if it was set.
    var wall: Int64?
    var tokens: [String: Identity] = [:]
    private var connectTokens: Set<TokenID> = []
    /// The identity that clients without a token get.
    var anonymous: Identity?
    /// Makes the rooms.
    var makesRoom: (LoadedDocument, ServerWorld) -> any ServedRoom = { loaded, _ in
        PlainRoom(loaded.entry, loaded.head)
    }
    /// Selects the calls to the store that wait until `release`.
    var holds: (StoreCall) -> Bool = { _ in false }
    /// Selects the calls that run at once, but whose answers wait for `release`.
    var holdsAnswer: (StoreCall) -> Bool = { _ in false }
    /// Selects the requests of administrators that wait until `release`.
    var holdsAdministration: (AdminCall) -> Bool = { _ in false }
    /// True if rooms are dropped as soon as they are idle.
    var dropsIdleRooms = true
    /// Selects the calls that the store cannot answer now.
    var refuses: (StoreCall) -> Bool = { _ in false }
    private var held: [Delivery] = []
    private var deliveries: [Delivery] = []
    private var random: Seeded?
    private var budget: LineBudget
    private var lastStore = 0
    private var lastConnection: Int64 = 0
    /// The hub's calls to the store.
    private(set) var calls: [StoreCall] = []
    private(set) var trace: [String] = []
    /// The documents whose news the hub needs.
    private(set) var neededNews: Set<DocumentID> = []
    var keepsTrace = false
    private(set) var isFinished = false
    private(set) var watchesCommits = false
    /// What the hub has published to other servers.
    private(set) var published: [PeerNotification] = []
    /// How much the server was used, as the hub has reported.
    private(set) var reports: [NodeLoad] = []
    /// Whether there is memory for the long texts that the hub has encoded.
    var hasMemory = true
    /// How many texts the hub had encoded.
    private(set) var encoded = 0

    init(_ settings: ConnectionSettings, seed: UInt64? = nil, sharesStore: Bool = false) {
        self.settings = settings
        hub = HubState(
            limits: settings.limits, at: now, sharesStore: sharesStore, publicClient: settings.publicClient)
        random = seed.map { Seeded($0) }
        budget = LineBudget(settings.limits.lineBudget)
    }

    convenience init(
        seed: UInt64? = nil, sharesStore: Bool = false, _ change: (inout Limits) -> Void = { _ in }
    ) {
        var limits = Limits()
        change(&limits)
        self.init(.sample(limits), seed: seed, sharesStore: sharesStore)
    }

    // MARK: Clients

    /// A new connection that has sent nothing.
    func connection() -> TestClient {
        lastConnection += 1
        let id = ConnectionID(lastConnection)
        let client = TestClient(self, id)
        clients[id] = client
        connections[id] = ConnectionState(id, settings: settings, at: now)
        event(id) { $0.start() }
        return client
    }

    /// Replaces the client of a connection by a new client, as on an HTTP connection. The former client
    /// leaves.
    func nextClient(on client: TestClient) -> TestClient {
        let id = client.id
        event(id) { $0.connectionLost() }
        let next = TestClient(self, id)
        clients[id] = next
        connections[id] = ConnectionState(
            id, settings: settings, sessionsAfter: connections[id]?.lastSession ?? 0, at: now)
        event(id) { $0.start() }
        return next
    }

    /// Connects a client, and sends its hello as this user with these grants. By default, each user has one
    /// client id.
    func connect(_ user: String, client: String? = nil, _ grants: Grants = .all, units: String = "utf-16")
        -> TestClient
    {
        let token = "token-\(user)"
        if tokens[token] == nil {
            let number = TokenID(Int64(tokens.count + 1))
            tokens[token] = Identity(user: ByteString(user), token: number, grants: grants)
            connectTokens.insert(number)
        }
        let result = connection()
        result.says(
            #"{"type":"hello","protocol":1,"client":"\#(client ?? "client-\(user)")","token":"\#(token)","#
                + #""units":["\#(units)"]}"#)
        return result
    }

    /// Makes a document with one revision for each text. The user root pushes them at times 1000, 2000 and so
    /// on.
    @discardableResult
    func document(_ name: String, _ texts: String...) -> DocumentID {
        do { return try makeDocument(name, texts) } catch { preconditionFailure("\(name): \(error)") }
    }

    private func makeDocument(_ name: String, _ texts: [String]) throws -> DocumentID {
        guard case .created(let entry) = store.create(try DocumentName(name), at: 5) else {
            preconditionFailure("\(name) was not created")
        }
        var old = TextBuffer()
        for (index, text) in texts.enumerated() {
            let new = try TextBuffer(text)
            let edits = try diff(from: old, to: new).edits.map { try LoggedEdit($0, in: old) }
            let logged = LoggedChange(
                pusher: Pusher(user: "root", client: "root-client"), seq: Int64(index + 1),
                time: Int64(index + 1) * 1_000, edits: edits)
            _ = store.append(
                Append(
                    document: entry.id, epoch: entry.epoch, expected: Revision(index),
                    changes: [PushedChange(logged, digest: SampleLog.digest(Int64(index)))]))
            old = new
        }
        return entry.id
    }

    // MARK: Time and order

    /// Delivers messages until no more wait.
    func run() { while step() {} }

    /// Delivers one message. Returns false if no message waits.
    @discardableResult
    func step() -> Bool {
        if deliveries.isEmpty { return false }
        let index = random?.number(0...deliveries.count - 1) ?? 0
        let queue = deliveries[index].queue
        let first = deliveries.firstIndex { $0.queue == queue } ?? index
        deliveries.remove(at: first).deliver()
        return true
    }

    var isQuiet: Bool { deliveries.isEmpty }
    var budgetLeft: Int { budget.left }

    func pass(milliseconds: Int64) {
        now += milliseconds
        hubEvent(.timePassed)
        for id in connections.keys.sorted() { event(id) { _ in [] } }
        run()
    }

    /// Runs the held calls to the store, and delivers the held answers.
    func release() {
        (holds, holdsAnswer, holdsAdministration) = ({ _ in false }, { _ in false }, { _ in false })
        deliveries += held
        held = []
        run()
    }

    private func post(_ queue: Queue, _ deliver: @escaping () -> Void) {
        deliveries.append(Delivery(queue: queue, deliver: deliver))
    }

    // MARK: Connections

    func event(_ id: ConnectionID, _ event: (inout ConnectionState) -> [ConnectionAction]) {
        happens(to: id) { state in
            let due = state.timePassed(now)
            return due + event(&state)
        }
    }

    func received(_ bytes: [UInt8], on id: ConnectionID) {
        happens(to: id) { $0.received(bytes, at: now) }
    }

    private func happens(to id: ConnectionID, _ event: (inout ConnectionState) -> [ConnectionAction]) {
        guard var state = connections.removeValue(forKey: id) else { return }
        let actions = event(&state)
        connections[id] = state
        expectInvariants { () throws(BrokenInvariant) in try state.checkInvariants() }
        for action in actions { run(action, of: id) }
    }

    private func later(_ id: ConnectionID, _ event: @escaping (inout ConnectionState) -> [ConnectionAction]) {
        post(.connection(id)) { [unowned self] in self.event(id, event) }
    }

    /// The identity of a token in `tokens` or in the store.
    private func known(by text: WireString) -> Identity? {
        if let identity = tokens[text.string] { return identity }
        guard let token = try? store.token(shown: ByteString(text.string)).get() else { return nil }
        return Identity(
            user: token.user.bytes, token: token.id, grants: token.grants, expires: token.expires,
            hasEnded: token.hasEnded)
    }

    private func run(_ action: ConnectionAction, of id: ConnectionID) {
        if keepsTrace { trace.append("\(id.value) \(action)") }
        switch action {
        case .send(let lines): for line in lines.linesApart { clients[id]?.receive(line) }
        case .sendShared: preconditionFailure("only a gateway sends shared bytes")
        case .sendText(let line): clients[id]?.receive(line.bytes)
        case .pauseReading: clients[id]?.isPaused = true
        case .resumeReading:
            clients[id]?.isPaused = false
            clients[id]?.flush()
        case .claimLine(let bytes): if !budget.claim(bytes) { event(id) { $0.lineRefused() } }
        case .releaseLine(let bytes): budget.release(bytes)
        case .authenticate(let token):
            let identity = token.map { known(by: $0) } ?? anonymous
            later(id) { $0.authenticated(identity.map { .known($0) } ?? .unknown) }
        case .join(let joining): hubLater(.join(joining))
        case .ask(let request): hubLater(.ask(request))
        case .deliveredDocuments: hubLater(.deliveredDocuments(id))
        case .leave: hubLater(.left(id))
        case .sendToRoom(let document, let event): roomLater(document, event, from: id)
        case .wake: break
        case .endOutput: clients[id]?.isEnded = true
        case .close:
            clients[id]?.isClosed = true
            clients[id]?.isEnded = true
        }
    }

    // MARK: The hub

    /// Sends an event to the hub. Runs and returns the hub's actions.
    @discardableResult
    func hubEvent(_ event: HubEvent) -> [HubAction] {
        let actions = hub.handle(event, at: now, wall: wall)
        expectInvariants { () throws(BrokenInvariant) in try hub.checkInvariants() }
        for action in actions { run(action) }
        return actions
    }

    private func hubLater(_ event: HubEvent) {
        post(.hub) { [unowned self] in self.hubEvent(event) }
    }

    private func run(_ action: HubAction) {
        if keepsTrace { trace.append("hub \(action)") }
        switch action {
        case .sendToConnection(let connection, let message): later(connection) { $0.hubSent(message) }
        case .call(let id, let call):
            calls.append(call)
            later(isHeld: holds(call)) { [unowned self] in
                let answer = self.answer(call)
                if self.holdsAnswer(call) {
                    let delivery = Delivery(queue: .hub) { self.hubEvent(.answered(id, answer)) }
                    return self.held.append(delivery)
                }
                self.hubLater(.answered(id, answer))
            }
        case .administer(let id, let call):
            later(isHeld: holdsAdministration(call)) { [unowned self] in
                self.hubLater(.administered(id, call.sampleAnswer))
            }
        case .makeRoom(let loaded):
            let document = loaded.entry.id
            post(.room(document)) { [unowned self] in
                precondition(self.rooms[document] == nil, "a document has two rooms")
                self.rooms[document] = self.makesRoom(loaded, self)
            }
        case .sendToRoom(let document, let event): roomLater(document, event, from: nil)
        case .dropRoom(let document):
            post(.room(document)) { [unowned self] in self.drop(document) }
        case .publish(let notification): published.append(notification)
        case .report(let load): reports.append(load)
        case .needNews(let document, let isNeeded):
            precondition(neededNews.contains(document) != isNeeded, "the hub says twice what it needs")
            if isNeeded { neededNews.insert(document) } else { neededNews.remove(document) }
        case .watchCommits(let isWanted): watchesCommits = isWanted
        // Connections of this world read over lines, and only reads over HTTP are kept.
        case .encode(let id, let text, let version):
            encoded += 1
            let result = hasMemory ? EncodedText(text, version.lineBreak) : nil
            post(.hub) { [unowned self] in self.hubEvent(.encoded(id, result)) }
        case .keepText: preconditionFailure("the hub keeps the text of a read that nobody asked to keep")
        case .wake: break
        case .finish: isFinished = true
        }
    }

    private func answer(_ call: StoreCall) -> StoreAnswer {
        if refuses(call) { return call.refused(.refused(.away)) }
        // The tokens of `connect` are not in the store.
        if case .tokens(.live(let asked)) = call {
            return .tokens(
                .live(.success(asked.filter { connectTokens.contains($0) || !store.live([$0]).isEmpty })))
        }
        return store.answer(call)
    }

    /// Makes a call in a turn of its own.
    private func later(isHeld: Bool, _ call: @escaping () -> Void) {
        lastStore += 1
        let item = Delivery(queue: .store(lastStore), deliver: call)
        if isHeld { held.append(item) } else { deliveries.append(item) }
    }

    // MARK: Rooms

    private func roomLater(_ document: DocumentID, _ event: RoomEvent, from connection: ConnectionID?) {
        post(.room(document)) { [unowned self] in self.handle(event, document, from: connection) }
    }

    private func handle(_ event: RoomEvent, _ document: DocumentID, from connection: ConnectionID?) {
        guard var room = rooms[document] else {
            precondition(connection != nil, "the hub sent an event to a missing room: \(event)")
            if let connection { later(connection) { $0.undelivered(event) } }
            return
        }
        let actions = room.handle(event, &store)
        rooms[document] = room
        if watchesCommits, case .push = event { hubLater(.changed(document)) }
        for action in actions { run(action, of: document) }
    }

    private func drop(_ document: DocumentID) {
        if rooms[document]?.isIdle ?? true {
            rooms[document] = nil
            hubLater(.dropped(document))
        } else {
            hubLater(.kept(document))
        }
    }

    private func run(_ action: RoomAction, of document: DocumentID) {
        if keepsTrace { trace.append("room \(document.value) \(action)") }
        switch action {
        case .send(let session, let output):
            later(session.connection) { connection in
                connection.forwardLines(output.bytes.count, to: session).map { [.send(output.bytes)] + $0 }
                    ?? connection.sent(output, to: session)
            }
        case .sendText(let session, let line):
            later(session.connection) { $0.sent(line, to: session) }
        case .encode(let text, let version):
            encoded += 1
            roomLater(document, .encoded(version, EncodedText(text, version.lineBreak)), from: nil)
        case .ended(let session):
            later(session.connection) { $0.ended(session) }
            hubLater(.ended(session))
        // The wait ends at once.
        case .waitForPushes: roomLater(document, .waitEnded, from: nil)
        case .notifyHub(.unloadOffered) where !dropsIdleRooms: break
        case .publish(let notification): published.append(notification)
        case .notifyHub(let notice): hubLater(.notified(document, notice))
        case .call(let id, let call):
            later(isHeld: holds(call)) { [unowned self] in
                let answer = RoomEvent.answered(id, self.store.answer(call))
                let delivery = Delivery(queue: .room(document)) { [unowned self] in
                    self.handle(answer, document, from: nil)
                }
                if self.holdsAnswer(call) {
                    self.held.append(delivery)
                } else {
                    self.deliveries.append(delivery)
                }
            }
        // A real server would log the divergence.
        case .diverged: break
        case .compute, .wake, .disconnect: preconditionFailure("the room of a test has no such action")
        }
    }
}

/// A client with one connection.
final class TestClient {
    let id: ConnectionID
    // A strong reference, so that a client keeps its server alive.
    private let world: ServerWorld
    private var lines: [String] = []
    /// The number of bytes that the server has sent but the client has not read.
    private(set) var unread = 0
    private var unsent: [UInt8] = []
    var isPaused = false
    /// True once the server has ended its output.
    var isEnded = false
    var isClosed = false
    /// If true, the client reads all output at once.
    var readsAll = true

    init(_ world: ServerWorld, _ id: ConnectionID) {
        self.world = world
        self.id = id
    }

    func says(_ lines: String...) {
        send(lines)
        world.run()
    }

    /// Sends lines, but delivers no messages between queues.
    func send(_ lines: [String]) { send(bytes: Array(lines.map { $0 + "\n" }.joined().utf8)) }

    func send(bytes: [UInt8]) {
        unsent += bytes
        if !isPaused { flush() }
    }

    /// Passes the server the bytes that waited while it had paused reading.
    func flush() {
        if unsent.isEmpty { return }
        let bytes = unsent
        unsent = []
        world.received(bytes, on: id)
    }

    func receive(_ line: [UInt8]) {
        precondition(
            !isEnded,
            "the server sent a line after it had ended its output: \(String(decoding: line, as: UTF8.self))")
        lines.append(String(decoding: line.dropLast(), as: UTF8.self))
        unread += line.count
        if readsAll { readAll() }
    }

    /// Reads everything that was sent.
    func readAll() {
        let bytes = unread
        unread = 0
        world.postWritten(bytes, by: id)
    }

    func endInput() {
        world.event(id) { $0.inputEnded() }
        world.run()
    }

    func lose() {
        world.event(id) { $0.connectionLost() }
        world.run()
    }

    /// The lines received since the last call.
    func heard() -> [String] {
        defer { lines = [] }
        return lines
    }

    /// The lines received since the last call, like `heard`. An error is reduced to its code, and a `welcome`
    /// or `opened` message to its type.
    func hears() -> [String] {
        heard().map { line in
            if let code = code(line) { return code }
            if line.contains(#""type":"welcome""#) { return "welcome" }
            return line.contains(#""type":"opened""#) ? "opened" : line
        }
    }

    /// Sends a line, and returns the answers in the form of `hears`.
    func asks(_ line: String) -> [String] {
        _ = heard()
        says(line)
        return hears()
    }

    func askedInFull(_ line: String) -> [String] {
        _ = heard()
        says(line)
        return heard()
    }
}

extension ServerWorld {
    func postWritten(_ bytes: Int, by id: ConnectionID) {
        post(.connection(id)) { [unowned self] in self.event(id) { $0.written(bytes) } }
    }
}
