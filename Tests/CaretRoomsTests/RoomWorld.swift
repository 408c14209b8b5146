import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// A room with a store in memory, for tests. The room's actions run at once, or when the test releases them.
struct RoomWorld {
    private(set) var room: RoomState
    var store: StoreModel
    let document: DocumentID
    let limits: Limits
    private let sharesStore: Bool
    private let knowsPushers: Bool
    /// What the room has published to other servers since the test last asked for it.
    private var published: [PeerNotification] = []
    /// The lines that were sent to each session, and that the test has not read yet.
    private var sent: [SessionID: [String]] = [:]
    /// The number of buffers that were sent to each session since the test last asked for it.
    private var pieces: [SessionID: Int] = [:]
    /// The number of bytes that were sent to each session, but not yet written.
    private var outstanding: [SessionID: Int] = [:]
    /// Held actions, which the test must release, drop or answer.
    private(set) var held: [RoomAction] = []
    /// Held actions that have no answer yet.
    private var unanswered: [RoomAction] = []
    /// Selects the actions to hold.
    var holds: (RoomAction) -> Bool = { _ in false }
    private(set) var ended: [SessionID] = []
    private(set) var disconnected: [SessionID] = []
    /// How often the room has offered to unload.
    private(set) var unloadOffers = 0
    var isUnloaded: Bool { unloadOffers > 0 }
    /// All other notices to the hub, except `pushesResolved`.
    private(set) var notices: [RoomNotice] = []
    private(set) var divergences: [Revision] = []
    /// The connections whose pushes the room has reported as resolved.
    private(set) var answeredConnections: [ConnectionID] = []
    /// If true, all output counts as written at once.
    var isWrittenAtOnce = true
    var time: Int64 = 1000
    private var wakesAt: Int64?
    /// The name of the document in requests.
    var name: WireString = "notes"

    init(
        _ text: String = "", limits: Limits = Limits(), sharesStore: Bool = false, knowsPushers: Bool = false
    ) throws {
        self.limits = limits
        self.sharesStore = sharesStore
        self.knowsPushers = knowsPushers
        store = StoreModel(generation: 1)
        guard case .created(let entry) = store.create(try DocumentName("notes"), at: 5) else {
            throw Unexpected(what: "the document was not created")
        }
        document = entry.id
        if !text.isEmpty {
            let change = try SampleLog.pushed(
                Change([SampleChange.edit(0, 0, text)]), in: TextBuffer(),
                by: Pusher(user: "root", client: "root"),
                seq: 1)
            _ = store.append(Append(document: entry.id, epoch: entry.epoch, expected: 0, changes: [change]))
        }
        room = try RoomWorld.room(of: entry.id, in: store, limits, at: 1000, sharesStore, knowsPushers)
    }

    private static func room(
        of document: DocumentID, in store: StoreModel, _ limits: Limits, at time: Int64, _ sharesStore: Bool,
        _ knowsPushers: Bool
    ) throws -> RoomState {
        var loaded = try LoadedDocument(
            store.entry(of: document).get(), store.text(of: document, at: nil).get())
        if knowsPushers { loaded.pushers = store.pushers(of: document) }
        return RoomState(
            loaded, limits: limits, at: time, sharesStore: sharesStore,
            publicClient: { WireString("p-" + $0.client.string) })
    }

    /// Simulates a restart: makes a new room from the store.
    mutating func restart() throws {
        (sent, outstanding, held, ended, wakesAt) = ([:], [:], [], [], nil)
        room = try RoomWorld.room(of: document, in: store, limits, at: time, sharesStore, knowsPushers)
    }

    // MARK: Time and the store

    /// Sends an event to the room, at the world's time if no other is given.
    mutating func send(_ event: RoomEvent, at time: Int64? = nil) {
        run(room.handle(event, at: time ?? self.time))
        expectInvariants { () throws(BrokenInvariant) in try room.checkInvariants() }
    }

    /// Sends events in one batch.
    mutating func gather(_ steps: (inout RoomWorld) -> Void) {
        room.beginGathering()
        steps(&self)
        run(room.endGathering())
        expectInvariants { () throws(BrokenInvariant) in try room.checkInvariants() }
    }

    mutating func boundWindow(to bytes: Int) {
        room.windowBounded(to: bytes)
        send(.timePassed)
    }

    /// Lets time pass, and wakes the room at the times of its `wake` actions.
    mutating func pass(milliseconds: Int) {
        sleep(milliseconds: milliseconds)
        send(.timePassed)
    }

    /// Lets the time until the next tick of presence pass.
    mutating func tick() { pass(milliseconds: limits.peerMilliseconds) }

    /// Lets time pass, and sends the room no event except at the times of its `wake` actions.
    mutating func sleep(milliseconds: Int) {
        let end = time + Int64(milliseconds)
        while let wake = wakesAt, wake <= end {
            wakesAt = nil
            time = max(time, wake)
            send(.timePassed)
        }
        time = end
    }

    /// Runs all held actions. From now on, holds only these.
    mutating func release(holding holds: @escaping (RoomAction) -> Bool = { _ in false }) {
        self.holds = holds
        let actions = held
        held = []
        run(actions)
    }

    /// Drops the held actions, so that the test can answer them itself.
    mutating func drop() { held = [] }

    /// Answers the held append with this outcome, without calling the store.
    mutating func answerAppend(_ outcome: AppendOutcome) {
        held.removeAll(where: \.isAppend)
        answer(\.isAppend, .appended(outcome))
    }

    /// Answers the newest held call of a kind, without calling the store.
    mutating func answer(_ isMeant: (RoomAction) -> Bool, _ answer: StoreAnswer) {
        guard let index = unanswered.lastIndex(where: isMeant),
            case .call(let id, _) = unanswered.remove(at: index)
        else {
            Issue.record("no such call was held: \(unanswered)")
            return
        }
        send(.answered(id, answer))
    }

    /// The start revisions of the held reads.
    var heldReads: [Revision] {
        heldCalls.compactMap { if case .read(_, let revision, _) = $0 { revision } else { nil } }
    }

    /// The held calls to the store.
    var heldCalls: [StoreCall] { held.compactMap(\.storeCall) }

    /// Commits a change to the store, as another server would.
    mutating func commitElsewhere(
        _ edits: [(Int, Int, String)], by pusher: Pusher = Pusher(user: "zoe", client: "zoe-client"),
        seq: Int64 = 1, digest: Digest? = nil
    ) throws {
        let entry = try store.entry(of: document).get()
        let text = try store.text(of: document, at: nil).get().text
        let change = try Change(edits.map { SampleChange.edit($0.0, $0.1, $0.2) })
        let logged = try SampleLog.change(change, in: text, by: pusher, seq: seq)
        let append = Append(
            document: document, epoch: entry.epoch, expected: entry.head,
            changes: [PushedChange(logged, digest: digest ?? SampleLog.digest(seq))])
        guard case .committed = store.append(append) else {
            throw Unexpected(what: "the other server's change was not committed")
        }
    }

    private mutating func run(_ actions: [RoomAction]) {
        var waiting = actions[...]
        while let action = waiting.popFirst() {
            if holds(action) {
                held.append(action)
                unanswered.append(action)
            } else {
                waiting.append(contentsOf: done(action))
            }
        }
    }

    private mutating func done(_ action: RoomAction) -> [RoomAction] {
        switch action {
        case .send(let session, let output):
            pieces[session, default: 0] += 1
            for line in output.bytes.linesApart {
                sent[session, default: []].append(String(decoding: line.dropLast(), as: UTF8.self))
            }
            if isWrittenAtOnce {
                return room.handle(.written(session, bytes: output.bytes.count), at: time)
            }
            outstanding[session, default: 0] += output.bytes.count
        case .sendText(let session, let line):
            pieces[session, default: 0] += 1
            sent[session, default: []].append(String(decoding: line.bytes.dropLast(), as: UTF8.self))
            if isWrittenAtOnce { return room.handle(.written(session, bytes: line.count), at: time) }
            outstanding[session, default: 0] += line.count
        case .encode(let text, let version):
            return room.handle(.encoded(version, EncodedText(text, version.lineBreak)), at: time)
        case .call(let id, let call): return room.handle(.answered(id, store.answer(call)), at: time)
        case .compute(let id, let work):
            return room.handle(.computed(id, work.done(checksum: crc32)), at: time)
        case .waitForPushes: return room.handle(.waitEnded, at: time)
        case .ended(let session): ended.append(session)
        case .disconnect(let session): disconnected.append(session)
        case .diverged(_, let revision): divergences.append(revision)
        case .notifyHub(.pushesResolved(let connection)): answeredConnections.append(connection)
        case .notifyHub(.unloadOffered): unloadOffers += 1
        case .publish(let notification): published.append(notification)
        case .notifyHub(let notice): notices.append(notice)
        case .wake(let wake): noteWake(wake)
        }
        return []
    }

    /// A room requests a `wake` only for a later time, and only if it has not requested an earlier one.
    private mutating func noteWake(_ wake: Int64) {
        let last = wakesAt.flatMap { $0 > time ? $0 : nil }
        #expect(wake > time && wake < last ?? .max)
        wakesAt = wake
    }

    // MARK: Other servers

    /// Removes and returns what the room has published to other servers.
    mutating func takePublished() -> [PeerNotification] {
        defer { published = [] }
        return published
    }

    /// The room receives what another server publishes.
    mutating func receive(
        _ notifications: [PeerNotification], from node: NodeID = NodeID(node: 2, run: 1)
    ) {
        for case .head(_, let revision) in notifications { send(.storeHead(revision)) }
        send(.bus(.received(node, notifications)))
    }

    // MARK: Results

    /// What the room has counted since the last call.
    mutating func notes() -> RoomNotes { room.takeNotes() }

    mutating func needsWholeText() -> Bool { room.needsWholeText() }

    /// Lines that were sent to a session since the last call.
    mutating func lines(_ who: Person) -> [String] { sent.removeValue(forKey: who.session) ?? [] }

    /// The number of buffers that were sent to a session since the last call.
    mutating func pieces(_ who: Person) -> Int { pieces.removeValue(forKey: who.session) ?? 0 }

    /// Discards all lines that were sent.
    mutating func forget() { (sent, pieces) = ([:], [:]) }

    /// Reports all lines that were sent to the session as written.
    mutating func reportWritten(_ who: Person) {
        let bytes = outstanding.removeValue(forKey: who.session) ?? 0
        send(.written(who.session, bytes: bytes))
    }

    var text: String { room.text.string }
}

/// Requests of sessions.
extension RoomWorld {
    mutating func open(
        _ who: Person, id: RequestID? = nil, from resume: (epoch: String, Revision)? = nil,
        _ mode: OpenMode = .edit, squashes: Bool = false, rights: Rights = .write, opener: PusherAnswer? = nil
    ) {
        var opening = RoomOpening(
            session: who.session, id: id, document: name, participant: who.participant, rights: rights,
            resume: resume.map { WirePosition(epoch: WireString($0.epoch), revision: $0.1) }, mode: mode,
            squashes: squashes)
        opening.opener = opener
        send(.open(opening))
    }

    /// Opens the document for these people, and discards the lines that they get.
    mutating func openQuietly(_ people: Person...) {
        for person in people { open(person) }
        forget()
    }

    mutating func push(
        _ who: Person, _ edits: [(Int, Int, String)], base: Revision, seq: Int64, id: RequestID? = nil,
        epoch: String? = "1.1", rights: Rights = .write
    ) {
        let edits = edits.map { WireEdit(WireRange($0.0, $0.1), WireString($0.2)) }
        push(
            who, .edits(edits), base: base, seq: seq, id: id, epoch: epoch, rights: rights)
    }

    mutating func push(
        _ who: Person, _ content: RoomPush.Content, base: Revision, seq: Int64, id: RequestID? = nil,
        epoch: String? = "1.1", rights: Rights = .write, wantsText: Bool = false, isExact: Bool = false,
        isOfNewClient: Bool = false
    ) {
        time += 1
        let push = RoomPush(
            session: who.session, id: id, document: name, participant: who.participant, rights: rights,
            epoch: epoch.map { WireString($0) }, base: base, seq: seq, content: content,
            wantsText: wantsText, isExact: isExact,
            digest: RoomWorld.digest(content, base), isOfNewClient: isOfNewClient, time: time)
        send(.push(push))
    }

    /// Ann pushes a text, and the outcome of its append is unknown. `isThere` means that the store has committed it.
    mutating func pushWithUnknownOutcome(isThere: Bool, isOfNewClient: Bool = false) throws {
        holds = \.isAppend
        push(.ann, .text("abc"), base: 1, seq: 1, isOfNewClient: isOfNewClient)
        guard case .append(let append)? = heldCalls.first else { throw Unexpected(what: "no append") }
        if isThere { _ = store.append(append) }
        holds = { _ in false }
        answerAppend(.unknown)
    }

    static func digest(_ content: RoomPush.Content, _ base: Revision) -> Digest {
        let word = "\(content)\(base)".utf8.reduce(UInt64(7)) { ($0 &* 31) &+ UInt64($1) }
        return Digest(SIMD4(repeating: word))
    }

    mutating func select(
        _ who: Person, _ selections: [(Int, Int)], at revision: Revision, id: RequestID? = nil
    ) {
        let select = Select(
            document: name, revision: revision, selections: selections.map { WireSelection($0.0, $0.1) })
        send(.select(who.session, select, id))
    }

    mutating func close(_ who: Person, id: RequestID? = nil) { send(.close(who.session, id)) }

    mutating func awaitPushes(of who: Person, for connection: ConnectionID = 7) {
        send(.awaitPushes(of: who.participant.pusher, for: connection))
    }

    mutating func leave(_ who: Person) { send(.leave(who.session)) }

    mutating func rename(to name: String, by who: Person, id: RequestID? = nil, readers: [Person] = []) throws
    {
        let order = RoomOrder(
            requester: who.session, id: id, document: self.name, readers: readers.map(\.session))
        let name = try DocumentName(name)
        send(.rename(to: name, order))
    }

    mutating func redact(_ passage: String, by who: Person, id: RequestID? = nil) throws {
        let order = RoomOrder(requester: who.session, id: id, document: name)
        send(.redact(Redaction(try Passage(passage)), order))
    }

    mutating func delete(by who: Person, id: RequestID? = nil) {
        let order = RoomOrder(requester: who.session, id: id, document: name)
        send(.delete(order))
    }
}

extension RoomAction {
    /// The call to the store; nil for other actions.
    var storeCall: StoreCall? { if case .call(_, let call) = self { call } else { nil } }

    var isAppend: Bool { if case .append = storeCall { true } else { false } }
    var isAppendLocked: Bool { if case .appendLocked = storeCall { true } else { false } }
    var isLookUp: Bool { if case .pusher = storeCall { true } else { false } }
    var isRead: Bool { if case .read = storeCall { true } else { false } }
    var isReadText: Bool { if case .text = storeCall { true } else { false } }
    var isRename: Bool { if case .rename = storeCall { true } else { false } }
    var isDelete: Bool { if case .delete = storeCall { true } else { false } }
    var isRedact: Bool { if case .redact = storeCall { true } else { false } }
    var isReload: Bool { if case .load = storeCall { true } else { false } }
    var isRenewal: Bool { if case .renewEpochs = storeCall { true } else { false } }
    var isCompute: Bool { if case .compute(_, .change) = self { true } else { false } }
    var isSum: Bool { if case .compute(_, .checksum) = self { true } else { false } }
}

/// A user with a session, for tests.
struct Person {
    let session: SessionID
    let participant: Participant

    init(_ name: String, _ session: Int64, unit: CodeUnit = .utf16, client: String? = nil) {
        let client = client ?? name + "-client"
        self.session = SessionID(session)
        participant = Participant(
            pusher: Pusher(user: ByteString(name), client: ByteString(client)),
            name: WireString("s\(session)"),
            introduction: Introduction(user: WireString(name), client: WireString("p-\(client)")),
            unit: unit)
    }

    /// The same user and client in another session.
    func back(_ session: Int64) -> Person {
        Person(participant.pusher.user.string, session, unit: participant.unit)
    }

    static let ann = Person("ann", 1)
    static let bob = Person("bob", 2)
    static let eve = Person("eve", 3, unit: .utf8)
    static let joe = Person("joe", 4, unit: .scalar)
    /// The requester of renames and deletions, who does not open the document.
    static let orderer = Person("ord", 99)
}

/// Thrown if a test cannot continue because an expected step did not happen.
struct Unexpected: Error {
    let what: String
}
