import CaretCore
package import CaretLog
package import CaretWire

/// All connections and open documents: who is connected, which name means which document, and which document
/// has a room.
///
/// This type is a state machine without I/O, confined to the hub's queue: each event returns actions for the
/// runner, in order. The lines of open documents do not pass through the hub. Only the hub finds documents by
/// name. Everywhere else, a document is identified by its id. The current time is that of the newest event.
package struct HubState: Sendable {
    let limits: Limits
    /// Computes the public id of a pusher's client. A pure function.
    let publicClient: @Sendable (Pusher) -> WireString
    var now: Int64
    /// What the wall clock shows. It alone decides when a signed token ends.
    var wall: Int64
    /// The time for the ends of stored tokens: `now`, or what the wall clock shows if it was set forward.
    var tokenTime: Int64
    /// The tokens that the store is recording as ended. They are refused already.
    var endingTokens: Set<TokenID> = []
    package var joinedConnections = JoinedConnections()
    /// Connections whose first client has left, and whose next client has requested to join. The next client
    /// waits until the sessions of the first one have ended.
    var rejoiningConnections: [ConnectionID: JoinRequest] = [:]
    var changedGrants = ChangedGrants()
    /// The keys of signed tokens. Nil until the first reload.
    var signingKeys: Set<ByteString>?
    var signOuts = SignOuts()
    /// Requests to sign in with a signed token that came before the sign-outs were read.
    var waitingSignIns: [ConnectionID: WaitingSignIn] = [:]
    var tokenUses = TokenUses()
    package var rooms: [DocumentID: HubRoom] = [:]
    /// The names of the documents that have a room, or will have one soon. If other servers can rename documents, a
    /// name here may be outdated, so requests are looked up in the store.
    package var names: [DocumentName: DocumentID] = [:]
    /// The requests that wait until the store has opened the document of their name.
    var openings: [DocumentName: [WaitingRequest]] = [:]
    /// The deadlines of rooms that were ordered to rename or delete, in ascending order. After a room has run
    /// its order, its entry here is ignored.
    package var orderDeadlines: [OrderDeadline] = []
    /// The document of each session.
    package var sessions: [SessionID: DocumentID] = [:]
    /// Sessions that need revisions which their rooms no longer have in memory.
    package var slowSessions: Set<SessionID> = []
    /// Unanswered calls to the store.
    package var calls: [CallID: Call] = [:]
    private var lastCall = 0
    /// Read requests that wait until their room has resolved the connection's pushes: at most one per
    /// connection.
    package var waitingReads: [ConnectionID: HubRequest] = [:]
    /// Requests about who changed texts, which wait for others. A connection has at most one.
    package var waitingBlames: [BlameJob] = []
    package var waitingMaintenance: [WaitingMaintenance] = []
    var followers: [ConnectionID: Follower] = [:]
    package var feed: DocumentFeed
    /// What other servers may have changed; nil if no other server uses the same store.
    package var remoteChanges: RemoteChanges?
    /// When followers are sent the next updates; nil if there is nothing to send.
    /// The suggestions that are being accepted, or were accepted lately.
    var acceptances = Acceptances()
    var deliveryDue: Int64?
    var requestedWake: Int64?
    private var stage = Stage.serving
    var actions: [HubAction] = []

    private enum Stage: Equatable, Sendable {
        case serving
        case stopping
        case finished
    }

    /// Why the store was called.
    package enum Call: Equatable, Sendable {
        /// To find the document of a request.
        case lookUp(WaitingRequest)
        /// To rename or delete a document that has no room.
        case change(DocumentID, HubRequest)
        case read(ReadJob)
        case history(HistoryJob)
        case blame(BlameJob)
        case tags(TagJob)
        case list(ListJob)
        case trash(TrashJob)
        case links(LinkJob)
        case notes(NoteJob)
        /// To list the existing documents for a new follower.
        case follow(ConnectionID)
        /// To look up documents that changed.
        case feed
        /// To find documents that changed while notifications of other servers were missed.
        case rescan(NameScan)
        /// To find out what other servers have changed in documents that are in use.
        case comparison
        /// To find out which tokens other servers have revoked.
        case tokenCheck(Set<TokenID>)
        /// To find out who was signed out.
        case readSignOuts
        case signOut(HubRequest, SignOut)
        case admin(AdminJob)
        /// To report what a redaction would change.
        case dryRun(HubRequest)
        /// To record when tokens were used.
        case tokenUses([TokenUse])
        /// To record that a token has ended.
        case tokenEnd(TokenID)
        /// For a long operation, of which one runs at a time.
        case maintenance(HubRequest)
    }

    package init(
        limits: Limits, at now: Int64, sharesStore: Bool = false,
        publicClient: @escaping @Sendable (Pusher) -> WireString
    ) {
        self.limits = limits
        (self.now, wall, tokenTime) = (now, now, now)
        self.publicClient = publicClient
        feed = DocumentFeed(sharesStore: sharesStore)
        if sharesStore { remoteChanges = RemoteChanges(at: now) }
    }

    /// The deadline for a room that was ordered to rename or delete. Other requests wait until the order is
    /// done or this time has passed.
    package struct OrderDeadline: Equatable, Sendable {
        let document: DocumentID
        let until: Int64

        package init(document: DocumentID, until: Int64) {
            (self.document, self.until) = (document, until)
        }
    }

    var isStopping: Bool { stage != .serving }

    mutating func emit(_ action: HubAction) { actions.append(action) }

    mutating func call(_ call: StoreCall, for purpose: Call) { emit(.call(newCall(for: purpose), call)) }

    mutating func administer(_ call: AdminCall, for purpose: Call) {
        emit(.administer(newCall(for: purpose), call))
    }

    mutating func newCall(for purpose: Call) -> CallID {
        lastCall += 1
        let id = CallID(lastCall)
        calls[id] = purpose
        return id
    }

    /// Handles an event. Returns the actions for the runner. `time` is in milliseconds and never goes back.
    /// `wall` is the time of the wall clock, which may be set at any time. Without it, `time` is used.
    package mutating func handle(_ event: HubEvent, at time: Int64, wall: Int64? = nil) -> [HubAction] {
        passTime(to: time, wall ?? time)
        route(event)
        return finished()
    }

    private mutating func route(_ event: HubEvent) {
        switch event {
        case .join(let joining): join(joining)
        case .ask(let request): ask(request)
        case .deliveredDocuments(let connection): deliveredDocuments(connection)
        case .left(let connection): left(connection)
        case .ended(let session): ended(session)
        case .fellBehind(let session, let isBehind): fellBehind(session, isBehind)
        case .notified(let document, let notice): notified(document, notice)
        case .changed(let document): schedule(document)
        case .dropped(let document): dropped(document)
        case .kept(let document): kept(document)
        case .answered(let id, let answer): answered(id, answer)
        case .administered(let id, let answer): administered(id, answer)
        case .encoded(let id, let text): encoded(id, text)
        case .progressed(let id, let progress): progressed(id, progress)
        case .grantsChanged(let grants, let token): grantsChanged(grants, of: token)
        case .signInChanged(let keys, let guests): signInChanged(keys, guests)
        case .bus(let event): received(event)
        case .shutDown(let retry): shutDown(retryAfterMilliseconds: retry)
        case .timePassed: break
        }
    }

    private mutating func notified(_ document: DocumentID, _ notice: RoomNotice) {
        switch notice {
        case .pushesResolved(let connection): pushesResolved(of: connection)
        case .renamed(let name, let result): renamed(document, to: name, result)
        case .deleted(let refusal): deleted(document, refusal)
        case .redacted(let epoch): redacted(document, epoch)
        case .epochsRenewed: epochsRenewed()
        case .unloadOffered: unloadOffered(document)
        }
    }

    /// Ends an event. Work that several steps have requested is done here, once.
    private mutating func finished() -> [HubAction] {
        lookUpChangedDocuments()
        rescanIfNeeded()
        compareDocuments()
        if let deliveryDue, deliveryDue <= now { deliver() }
        if stage == .stopping, joinedConnections.isEmpty {
            stage = .finished
            emit(.finish)
        }
        forgetAcceptances()
        wakeInTime()
        defer { actions = [] }
        return actions
    }

    /// Handles the store's answer to a call.
    mutating func answered(_ id: CallID, _ answer: StoreAnswer) {
        switch calls.removeValue(forKey: id) {
        case nil: return
        case .lookUp(let waiting): lookedUp(waiting, answer)
        case .change(let document, let request): changed(answer, document, request)
        case .read(let job): advance(job, with: answer)
        case .history(let job): advance(job, with: answer)
        case .blame(let job): advance(job, with: answer)
        case .tags(let job): advance(job, with: answer)
        case .list(let job): advance(job, with: answer)
        case .trash(let job): advance(job, with: answer)
        case .links(let job): advance(job, with: answer)
        case .notes(let job): advance(job, with: answer)
        case .follow(let connection): listed(answer, for: connection)
        case .feed: noteChangedDocuments(answer)
        case .rescan(let scan): rescanned(scan, answer)
        case .comparison: compared(answer)
        case .tokenCheck(let tokens): checkedTokens(tokens, answer)
        case .readSignOuts: readSignOuts(answer)
        case .signOut(let request, let signOut): signedOut(signOut, request, answer)
        case .admin(let job): advance(job, with: answer)
        case .dryRun(let request): dryRunAnswered(answer, for: request)
        case .tokenUses(let uses): recorded(uses, answer)
        // If the store refused, the token is recorded when a server finds it ended again.
        case .tokenEnd(let token): endingTokens.remove(token)
        // The server answers it, and not the store.
        case .maintenance(let request): refuse(request, .unexpectedAnswer)
        }
    }

    private mutating func passTime(to time: Int64, _ wall: Int64) {
        now = max(now, time)
        self.wall = wall
        tokenTime = max(now, wall)
        endExpiredConnections()
        guard let requestedWake, now >= requestedWake else { return }
        self.requestedWake = nil
        giveUpOrders()
        recordTokenUsesIfDue()
        sweepIfDue()
    }

    private mutating func wakeInTime() {
        let dues = [
            deliveryDue, feed.nextDue, orderDeadlines.first?.until, nextTokenCheck,
            tokenUses.due, remoteChanges?.nextTime,
        ]
        guard let next = dues.compactMap(\.self).min(), next < requestedWake ?? .max else { return }
        requestedWake = next
        emit(.wake(at: next))
    }

    /// When the hub next compares the ends of tokens with the wall clock, which may be set meanwhile; nil if no
    /// connection has a token with an end.
    var nextTokenCheck: Int64? {
        let ends = joinedConnections.nextEnds.map { clock, end in
            clock == .wall ? now + max(0, end - wall) : end
        }
        return ends.min().map { min($0, now + HubState.tokenCheckInterval) }
    }

    /// Milliseconds between two looks at the wall clock.
    private static let tokenCheckInterval: Int64 = 60_000

    /// The server stops: connections are informed, and requests that have not reached a room or the store are
    /// refused.
    mutating func shutDown(retryAfterMilliseconds: Int?) {
        if isStopping { return }
        stage = .stopping
        for connection in joinedConnections.connections {
            emit(
                .sendToConnection(connection, .shuttingDown(retryAfterMilliseconds: retryAfterMilliseconds)))
        }
        for request in abandonRequests() { refuse(request, .shuttingDown) }
        abandonMaintenance()
        recordAllTokenUses()
    }

    /// Drops and returns every request that only reads or has not been started.
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
        abandoned += waitingReads.keys.sorted().compactMap { waitingReads[$0] }
        waitingReads = [:]
        abandoned += abandonBlames()
        abandoned += openings.keys.sorted().flatMap { openings[$0] ?? [] }.map(\.request)
        openings = [:]
        for connection in followers.keys.sorted() {
            if let follower = followers[connection], follower.isListing { abandoned.append(follower.request) }
            endFollowing(connection)
        }
        return abandoned
    }
}

extension HubState.Call {
    /// The request, if dropping it loses no change; otherwise nil.
    fileprivate var abandonable: HubRequest? {
        switch self {
        // The store may have committed the push already.
        case .lookUp(let waiting): waiting.first == nil ? waiting.request : nil
        case .read(let job): job.request
        case .history(let job): job.request
        case .blame(let job): job.request
        case .list(let job): job.request
        case .trash(let job) where job.onlyReads: job.request
        case .links(let job) where job.links.onlyReads: job.request
        case .notes(let job) where job.notes.onlyReads: job.request
        case .dryRun(let request): request
        case .tags(let job) where job.tags.onlyReads: job.request
        case .admin(let job) where job.admin.onlyReads || job.looksUp: job.request
        case .change, .tags, .trash, .links, .notes, .follow, .feed, .rescan, .comparison, .tokenCheck,
            .readSignOuts,
            .signOut, .admin, .tokenUses, .tokenEnd, .maintenance:
            nil
        }
    }
}

/// Sending answers.
extension HubState {
    mutating func answer(_ request: HubRequest, _ message: ServerMessage) {
        guard joinedConnections.isPresent(request.connection) else { return }
        emit(.sendToConnection(request.connection, .answered(Envelope(message, id: request.id))))
    }

    mutating func refuse(_ request: HubRequest, _ refusal: RequestRefusal) {
        let question = request.question
        // For an internal error, the message contains the connection's number, which the server's log also
        // contains.
        let hint =
            refusal.code == .internal ? "; see connection \(request.connection.value) in the log" : ""
        let report = ErrorReport(
            refusal.code, refusal.message + hint, document: question.sentName, seq: question.seq,
            head: refusal.head, cause: refusal.cause, retryAfterMilliseconds: refusal.retryAfterMilliseconds)
        answer(request, .error(report))
    }

    mutating func refuse(_ request: HubRequest, _ refusal: StoreRefusal) {
        refuse(request, RequestRefusal(refusal))
    }
}
