import CaretCore
package import CaretLog
package import CaretWire

/// All connections and all open documents: who is there, which name is which document, and which has a room.
///
/// A value that decides and does nothing, confined to the hub's queue: each event answers with what is to be done, in that
/// order. The lines of open documents do not pass through it. It alone knows names; a room is known by its document's
/// identity. Its time is the one that came with the newest event.
package struct HubState: Sendable {
    let limits: Limits
    /// What others may know a pusher's client by. Pure.
    let publicClient: @Sendable (Pusher) -> WireString
    var now: Int64
    package var attendance = Attendance()
    var grantsBook = GrantsBook()
    package var rooms: [DocumentID: HubRoom] = [:]
    /// The names of the documents that have a room, or are about to.
    package var names: [DocumentName: DocumentID] = [:]
    /// Deadlines of rooms that were told to rename or delete, ascending. A room that has done so since has no deadline
    /// any more, and its entry is passed over.
    package var endings: [Ending] = []
    /// Where each session is.
    package var sessions: [SessionID: DocumentID] = [:]
    /// Those that are so far behind that their rooms do not have at hand what they need.
    package var slowSessions: Set<SessionID> = []
    /// What the store was asked and has not answered.
    package var calls: [CallID: Call] = [:]
    private var lastCall = 0
    /// Readings that wait until their room has settled what their connection pushed: at most one of each connection.
    package var readings: [ConnectionID: HubRequest] = [:]
    var followers: [ConnectionID: Follower] = [:]
    package var feed = DocumentFeed()
    /// There may be something to tell a follower.
    var needsDelivery = false
    /// When there will be.
    var deliveryDue: Int64?
    var wakes: Int64?
    private var stage = Stage.serving
    var actions: [HubAction] = []

    private enum Stage: Equatable, Sendable {
        case serving
        case stopping
        case finished
    }

    /// Why the store was asked.
    package enum Call: Equatable, Sendable {
        /// For the document that a request is about.
        case lookUp(HubWaiting)
        /// For the text that a room begins with.
        case load(DocumentID)
        /// To rename or delete a document that has no room.
        case change(DocumentID, HubRequest)
        case read(ReadJob)
        case history(HistoryJob)
        case list(ListJob)
        /// For the documents that are there when somebody begins to follow.
        case follow(ConnectionID)
        /// For what changed.
        case feed
        case admin(AdminJob)
        /// For what takes long, of which one is under way at a time.
        case care(HubRequest)
    }

    package init(
        limits: Limits, at now: Int64, publicClient: @escaping @Sendable (Pusher) -> WireString
    ) {
        self.limits = limits
        self.now = now
        self.publicClient = publicClient
    }

    /// Until when requests wait for a room that was told to rename or delete.
    package struct Ending: Equatable, Sendable {
        let document: DocumentID
        let until: Int64

        package init(document: DocumentID, until: Int64) {
            (self.document, self.until) = (document, until)
        }
    }

    var isStopping: Bool { stage != .serving }

    mutating func order(_ action: HubAction) { actions.append(action) }

    mutating func call(_ call: StoreCall, for purpose: Call) {
        lastCall += 1
        let id = CallID(lastCall)
        calls[id] = purpose
        order(.call(id, call))
    }

    /// Does what an event makes necessary, and answers with what others are to do. `time` is in milliseconds, and never
    /// earlier than before.
    package mutating func handle(_ event: HubEvent, at time: Int64) -> [HubAction] {
        passTime(to: time)
        route(event)
        return finished()
    }

    private mutating func route(_ event: HubEvent) {
        switch event {
        case .join(let joining): join(joining)
        case .ask(let request): ask(request)
        case .tookDocuments(let connection): tookDocuments(connection)
        case .left(let connection): left(connection)
        case .ended(let session): ended(session)
        case .fellBehind(let session, let isBehind): fellBehind(session, isBehind)
        case .notified(let document, let notice): notified(document, notice)
        case .changed(let document): changed(document)
        case .dropped(let document): dropped(document)
        case .kept(let document): kept(document)
        case .answered(let id, let answer): answered(id, answer)
        case .progressed(let id, let progress): progressed(id, progress)
        case .grantsChanged(let grants, let token): grantsChanged(grants, of: token)
        case .shutDown(let retry): shutDown(retryAfterMilliseconds: retry)
        case .timePassed: break
        }
    }

    private mutating func notified(_ document: DocumentID, _ notice: RoomNotice) {
        switch notice {
        case .pushesSettled(let connection): pushesSettled(of: connection)
        case .renamed(let name, let result): renamed(document, to: name, result)
        case .deleted(let refusal): deleted(document, refusal)
        case .epochsRenewed: epochsRenewed()
        case .unloadOffered: unloadOffered(document)
        }
    }

    /// Ends an event: what several things in it made necessary is done once.
    private mutating func finished() -> [HubAction] {
        look()
        if needsDelivery { deliver() }
        if stage == .stopping, attendance.isEmpty {
            stage = .finished
            order(.finish)
        }
        wakeInTime()
        defer { actions = [] }
        return actions
    }

    /// The store's answer to a call.
    mutating func answered(_ id: CallID, _ answer: StoreAnswer) {
        switch calls.removeValue(forKey: id) {
        case nil: return
        case .lookUp(let waiting): found(answer, for: waiting)
        case .load(let document): loaded(answer, document)
        case .change(let document, let request): changed(answer, document, request)
        case .read(let job): go(on: job, with: answer)
        case .history(let job): go(on: job, with: answer)
        case .list(let job): go(on: job, with: answer)
        case .follow(let connection): listed(answer, for: connection)
        case .feed: tookEntries(answer)
        case .admin(let job): go(on: job, with: answer)
        case .care(let request): cared(answer, for: request)
        }
    }

    private mutating func passTime(to time: Int64) {
        now = max(now, time)
        guard let wakes, now >= wakes else { return }
        self.wakes = nil
        giveUpEndings()
        needsDelivery = true
    }

    private mutating func wakeInTime() {
        let dues = [deliveryDue, feed.nextDue, endings.first?.until].compactMap { $0 }
        guard let next = dues.min(), next < wakes ?? .max else { return }
        wakes = next
        order(.wake(at: next))
    }

    /// The server stops: connections are told, and what is not yet with a room or in the store is refused.
    mutating func shutDown(retryAfterMilliseconds: Int?) {
        if isStopping { return }
        stage = .stopping
        for connection in attendance.connections {
            order(.tell(connection, .shuttingDown(retryAfterMilliseconds: retryAfterMilliseconds)))
        }
        for request in abandonRequests() { refuse(request, .shuttingDown) }
        abandonCare()
    }

    /// Lets go of every request that nobody works on yet, or that only reads.
    private mutating func abandonRequests() -> [HubRequest] {
        var abandoned: [HubRequest] = []
        for id in calls.keys.sorted() {
            guard let request = calls[id]?.abandonable else { continue }
            calls[id] = nil
            abandoned.append(request)
        }
        for document in rooms.keys.sorted() {
            abandoned += rooms[document]?.waiting.map(\.request) ?? []
            rooms[document]?.waiting = []
        }
        abandoned += readings.keys.sorted().compactMap { readings[$0] }
        readings = [:]
        for connection in followers.keys.sorted() {
            if let follower = followers[connection], follower.isListing { abandoned.append(follower.request) }
            endFollowing(connection)
        }
        return abandoned
    }
}

extension HubState.Call {
    /// The request, where nothing is lost by letting go of it.
    fileprivate var abandonable: HubRequest? {
        switch self {
        case .lookUp(let waiting): waiting.request
        case .read(let job): job.request
        case .history(let job): job.request
        case .list(let job): job.request
        case .admin(let job) where job.admin.onlyReads || job.looksUp: job.request
        case .load, .change, .follow, .feed, .admin, .care: nil
        }
    }
}

/// Answers.
extension HubState {
    mutating func answer(_ request: HubRequest, _ message: ServerMessage) {
        guard attendance.isPresent(request.connection) else { return }
        order(.tell(request.connection, .answered(Envelope(message, id: request.id))))
    }

    mutating func refuse(_ request: HubRequest, _ refusal: RequestRefusal) {
        let question = request.question
        // Our fault is in the log with this number.
        let place = refusal.code == .internal ? "; it is connection \(request.connection.value)" : ""
        let report = ErrorReport(
            refusal.code, refusal.message + place, document: question.said, seq: question.seq,
            head: refusal.head)
        answer(request, .error(report))
    }

    mutating func refuse(_ request: HubRequest, _ refusal: StoreRefusal) {
        refuse(request, RequestRefusal(refusal))
    }
}
