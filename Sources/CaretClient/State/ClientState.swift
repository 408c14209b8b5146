import CaretCore
package import CaretReplica
package import CaretWire

/// The state of a client: its connection, requests and open documents.
///
/// The state uses no clock, no socket and no random numbers. Each event is a method that returns the actions
/// that the owner must run. The owner uses the state only under one lock, or only on one queue.
///
/// Law: every request ends exactly once, with an answer or a fault. If the connection ends before the answer
/// to a request, the request is sent again only if it is idempotent.
package struct ClientState {
    package enum Link: Equatable {
        /// The client was not started yet.
        case idle
        /// The client waits for a token from the app before it connects.
        case fetchingToken
        case connecting
        /// There is a connection, and `hello` was sent. The server has not answered it yet.
        case helloSent
        case welcomed(Welcome)
        /// Not connected. The next attempt is at this moment.
        case waiting(until: Moment)
        case ended(ConnectionFault)
    }

    package struct Settings: Equatable {
        let rotation: ServerRotation
        let hello: Hello
        let reconnects: Bool
        /// No other client uses the id of this one.
        let ownsID: Bool
        /// The id of the store that the server must have, if the program expects one.
        var store: WireString?
        /// Whether the app has a function for tokens.
        let fetchesTokens: Bool
        /// The user of the token, if the program knows that user.
        let user: WireString?

        package init(
            rotation: ServerRotation, hello: Hello, reconnects: Bool, ownsID: Bool = false,
            store: WireString? = nil, fetchesTokens: Bool = false, user: WireString? = nil
        ) {
            self.rotation = rotation
            self.hello = hello
            self.reconnects = reconnects
            self.ownsID = ownsID
            self.store = store
            self.fetchesTokens = fetchesTokens
            self.user = user
        }
    }

    let settings: Settings
    package internal(set) var link = Link.idle
    /// Why the last connection or attempt ended. Nil after each `welcome`.
    private(set) var lastFault: ConnectionFault?
    private(set) var requests = PendingRequests()
    var ids = RequestIDs()
    /// Nil if the app has no function for tokens.
    var tokens: TokenFetching?
    /// The user of the token. Nil until the program or the server has named the user.
    var user: WireString?
    package private(set) var documents: [DocumentKey: DocumentState] = [:]
    /// How often each open document was opened and not closed yet.
    private(set) var userCounts: [DocumentKey: Int] = [:]
    private(set) var lastKey = 0
    /// The `follow` request for all documents, and its id. Nil if the client follows no documents.
    private(set) var follow: (message: Follow, id: RequestID)?
    /// The servers of the client, and which one is tried next.
    private(set) var rotation: ServerRotation
    /// When the last `welcome` came.
    private var welcomedAt = Moment(milliseconds: 0)
    /// When the client began to wait for the server: at the last message of the server, at the client's last
    /// `ping`, or at the last step of connecting.
    var silentSince = Moment(milliseconds: 0)
    /// A `ping` was sent after the last message of the server.
    private var hasPinged = false
    /// What the server announced about the end of this connection.
    var closeNotice: CloseNotice?
    /// When the next call of `timePassed` is due.
    package private(set) var wakesAt: Moment?

    /// Unsaved edits that are kept in a folder. Nil if the client has no folder.
    private(set) var unsaved: UnsavedDocuments?

    package init(_ settings: Settings, unsaved: [UnsavedDocument]? = nil) {
        self.settings = settings
        rotation = settings.rotation
        tokens = settings.fetchesTokens ? TokenFetching() : nil
        user = settings.user
        self.unsaved = unsaved.map { UnsavedDocuments($0) }
        lastKey = unsaved?.map(\.key.value).max() ?? 0
    }
}

// Events of the program.
extension ClientState {
    /// The number for the next request.
    package mutating func nextNumber() -> RequestNumber { ids.nextNumber() }

    package mutating func started(at now: Moment) -> [ClientAction] {
        guard link == .idle else { return [] }
        return connect(at: now) + wake()
    }

    package mutating func requested(_ message: ClientMessage, as number: RequestNumber) -> [ClientAction] {
        if case .ended(let fault) = link { return [.fail(number, .connection(fault))] }
        guard requests.add(message, as: number) else {
            return [.fail(number, .tooMany(limit: PendingRequests.maxUnanswered))]
        }
        return noteNumber(of: message) + sendRequests()
    }

    /// Keeps the number of a request with the unsaved edits of its document.
    private mutating func noteNumber(of message: ClientMessage) -> [ClientAction] {
        guard unsaved != nil, let (name, seq) = message.usedNumber else { return [] }
        let open = keys.filter { documents[$0]?.name == name }
        return open.flatMap { key in change(key) { document, _ in document.noteUsed(seq) } }
            + keepClosed(seq, of: name)
    }

    private mutating func keepClosed(_ seq: Seq, of name: WireString) -> [ClientAction] {
        (unsaved?.noteUsed(seq, of: name) ?? []).map { .keep($0) }
    }

    /// Called when the caller of a request no longer waits for the answer.
    package mutating func cancelled(_ number: RequestNumber) -> [ClientAction] {
        requests.cancel(number) ? [.fail(number, .cancelled)] + sendRequests() : []
    }

    /// Follows documents. If the client has sent a `follow` request before, the new one replaces it.
    package mutating func followed(_ message: Follow) -> [ClientAction] {
        follow = (message, ids.next())
        return sendFollow()
    }

    mutating func unfollowed() -> [ClientAction] {
        follow = nil
        guard case .welcomed = link else { return [] }
        return [.send(.unfollow(Unfollow()), id: nil)]
    }

    package mutating func closed(at now: Moment) -> [ClientAction] { end(.closed, at: now) }
}

// Open documents.
extension ClientState {
    /// Opens a document: now, or as soon as there is a connection. An open document is opened once. Throws if it
    /// is open in another mode: on a connection, a document can be open only once.
    package mutating func opened(
        _ name: WireString, creating: Bool, mode: DocumentMode, at now: Moment
    ) throws(ServerRefusal) -> (DocumentKey, [ClientAction]) {
        if let key = keys.first(where: { documents[$0]?.name == name }) {
            if let open = documents[key]?.replica.mode, open != mode {
                let verb = open == .edit ? "edit" : "watch"
                throw ServerRefusal(
                    ErrorReport(.alreadyOpen, "\(name.string) is open to \(verb); close it first"))
            }
            userCounts[key, default: 0] += 1
            return (key, change(key) { $0.openedAgain(creating: creating, at: now, &$1) } + wake())
        }
        let key: DocumentKey
        if mode == .edit, let found = unsaved?.open(name) {
            key = found.key
            documents[key] = DocumentState(
                name, creating: creating || found.creates, found.replica, earlier: found.earlier)
        } else {
            lastKey += 1
            key = DocumentKey(value: lastKey)
            documents[key] = DocumentState(name, creating: creating, mode: mode)
        }
        userCounts[key] = 1
        guard case .welcomed = link else { return (key, []) }
        return (key, change(key) { $0.welcomed(at: now, &$1) } + wake())
    }

    /// Passes an event to an open document.
    package mutating func change(
        _ key: DocumentKey, _ body: (inout DocumentState, inout RequestIDs) throws -> [DocumentAction]
    ) rethrows -> [ClientAction] {
        // The document is removed from the dictionary while `body` runs. If the document stayed there, `body`
        // would have to copy it before changing it.
        guard var document = documents.removeValue(forKey: key) else { return [] }
        defer { documents[key] = document }
        let actions = try body(&document, &ids).map { ClientAction($0, of: key) }
        // The files with the unsaved edits are written before the push is sent, because after a crash the
        // client must know which push numbers it has used.
        return keep(document, key) + keepNumbers(of: actions) + actions + wakeFor(document)
    }

    /// Keeps the numbers of pushes with the unsaved edits of closed documents that have the same name.
    private mutating func keepNumbers(of actions: [ClientAction]) -> [ClientAction] {
        guard unsaved?.names.isEmpty == false else { return [] }
        return actions.flatMap { action -> [ClientAction] in
            guard case .send(let message, _) = action, let (name, seq) = message.usedNumber else { return [] }
            return keepClosed(seq, of: name)
        }
    }

    private mutating func keep(_ document: DocumentState, _ key: DocumentKey) -> [ClientAction] {
        unsaved?.documentChanged(document, key) == true ? [.keep(key)] : []
    }

    /// What to do with the file of a document now. Nil if the file is up to date.
    package mutating func nextFileAction(for key: DocumentKey) -> UnsavedEditsFileAction? {
        unsaved?.nextFileAction(for: key, documents[key])
    }

    /// The names of closed documents with unsaved edits.
    var unsavedNames: [WireString] { unsaved?.names ?? [] }

    /// Why the unsaved edits of a document cannot be kept. Nil after the next time that they were.
    package func keepingFault(of key: DocumentKey) -> UnsavedEditsFault? { unsaved?.fault(of: key) }

    /// Why the file of a document has not what the document has now. Nil if it has.
    func unsavedEditsFault(of key: DocumentKey) -> UnsavedEditsFault? {
        unsaved?.hasFile(key) == true ? keepingFault(of: key) : nil
    }

    /// The file of a document could not be written or removed.
    package mutating func notKept(
        _ key: DocumentKey, _ fault: UnsavedEditsFault, at now: Moment
    ) -> [ClientAction] {
        let isNews = unsaved?.failed(key, fault, at: now) == true
        return (isNews ? [.update(key, .notKept(fault))] : []) + wake()
    }

    /// The file of a document was written.
    package mutating func kept(_ key: DocumentKey) -> [ClientAction] {
        unsaved?.written(key) == true ? [.update(key, .kept)] : []
    }

    /// Tries to write the files again that could not be written.
    mutating func keepAgain() -> [ClientAction] {
        let isUnsaved = { [documents] (key: DocumentKey) in documents[key]?.replica.hasUnsaved == true }
        return (unsaved?.retry(isUnsaved: isUnsaved) ?? []).map { .keep($0) }
    }

    /// Schedules a call of `timePassed` for the retry of a document, unless an earlier call is scheduled.
    private mutating func wakeFor(_ document: DocumentState) -> [ClientAction] {
        guard let retryAt = document.retryAt, wakesAt.map({ retryAt < $0 }) ?? true else { return [] }
        wakesAt = retryAt
        return [.wake(at: retryAt)]
    }

    /// Ends one use of a document. The last one closes the document.
    package mutating func closed(_ key: DocumentKey) -> [ClientAction] {
        if let count = userCounts[key], count > 1 {
            userCounts[key] = count - 1
            return []
        }
        userCounts[key] = nil
        guard let document = documents.removeValue(forKey: key) else { return [] }
        unsaved?.close(document, key)
        // The name of a document that is not open on the server may be that of another open document.
        switch document.replica.link {
        case .offline, .waiting, .closed: return []
        case .opening, .open: return [.send(.close(Close(document: document.name)), id: nil)]
        }
    }

    /// The keys of all open documents, in the order in which they were opened.
    private var keys: [DocumentKey] { documents.keys.sorted() }

    private mutating func changeAll(
        _ body: (inout DocumentState, inout RequestIDs) -> [DocumentAction]
    ) -> [ClientAction] {
        keys.flatMap { change($0, body) }
    }
}

extension ClientAction {
    fileprivate init(_ action: DocumentAction, of key: DocumentKey) {
        switch action {
        case .send(let message, let id): self = .send(message, id: id)
        case .notify(let update): self = .update(key, update)
        }
    }
}

// Events of the connection and the clock.
extension ClientState {
    package mutating func connected(at now: Moment) -> [ClientAction] {
        guard link == .connecting else { return [] }
        link = .helloSent
        silentSince = now
        var hello = settings.hello
        tokens?.show()
        if let token = tokens?.token { hello.token = token }
        return [.send(.hello(hello), id: nil)] + wake()
    }

    package mutating func received(
        _ envelope: Envelope<ServerMessage>, at now: Moment, _ jitter: Jitter
    ) -> [ClientAction] {
        silentSince = now
        hasPinged = false
        switch link {
        case .helloSent: return helloAnswered(with: envelope.message, at: now, jitter) + wake()
        case .welcomed: return handle(envelope, at: now, jitter) + wake()
        case .idle, .fetchingToken, .connecting, .waiting, .ended: return []
        }
    }

    /// Called when a message was not sent, because its line is longer than the server allows.
    package mutating func lineTooLong(
        _ message: ClientMessage, _ id: RequestID?, bytes: Int, limit: Int, at now: Moment
    ) -> [ClientAction] {
        guard let number = requests.complete(id) else {
            guard case .push(let push) = message,
                let key = keys.first(where: { documents[$0]?.name == push.document })
            else { return [] }
            return change(key) { $0.lineTooLong(message, at: now, &$1) }
        }
        let reason = "the line has \(bytes) bytes, and at most \(limit) are allowed"
        return [.fail(number, .refused(ServerRefusal(ErrorReport(.lineTooLong, reason))))] + sendRequests()
    }

    package mutating func disconnected(_ reason: DisconnectReason, at now: Moment, _ jitter: Jitter)
        -> [ClientAction]
    {
        switch link {
        case .idle, .waiting, .ended: return []
        case .fetchingToken, .connecting, .helloSent, .welcomed: break
        }
        tokens?.disconnected()
        let explanation = closeNotice?.reason ?? reason.explanation
        let lost = ConnectionFault.lost(rotation.current, reason: explanation)
        if settings.reconnects, link.isWelcomed { rotation.connectionEnded(after: now - welcomedAt) }
        let fault = link.isWelcomed ? lost : rotation.fault(afterFailure: explanation)
        let step = rotation.failed(explanation, retryAfter: closeNotice?.retryAfter, jitter)
        if !settings.reconnects, step != .tryNext || !requests.allCanBeRepeated { return end(fault, at: now) }
        lastFault = fault
        closeNotice = nil
        var actions: [ClientAction] =
            [.disconnect] + requests.disconnected().map { .fail($0, .connection(lost)) }
            + changeAll { $0.disconnected(at: now, &$1) }
        switch step {
        case .tryNext: actions += connect(at: now)
        case .wait(let delay): link = .waiting(until: now + delay)
        }
        return actions + wake()
    }

    package mutating func timePassed(at now: Moment, _ jitter: Jitter) -> [ClientAction] {
        if let wakesAt, wakesAt <= now { self.wakesAt = nil }
        requests.timePassed(at: now)
        let kept = unsaved?.retryAt.map { $0 <= now } == true ? keepAgain() : []
        return kept + refreshToken(at: now, jitter) + sendRequests()
            + changeAll { $0.timePassed(at: now, &$1) }
            + checkLinkDeadline(at: now, jitter)
    }

    private mutating func checkLinkDeadline(at now: Moment, _ jitter: Jitter) -> [ClientAction] {
        guard let linkDeadline, linkDeadline <= now else { return wake() }
        switch link {
        case .idle, .ended: return []
        case .waiting: return connect(at: now) + wake()
        case .fetchingToken: return wake()
        case .connecting:
            let seconds = rotation.attemptTimeout.value / 1_000
            return disconnected(.unreachable("no answer within \(seconds) s"), at: now, jitter)
        case .helloSent: return disconnected(.silent, at: now, jitter)
        case .welcomed where hasPinged: return disconnected(.silent, at: now, jitter)
        case .welcomed:
            hasPinged = true
            silentSince = now
            return [.send(.ping(Ping()), id: nil)] + wake()
        }
    }
}

// Messages of the server.
extension ClientState {
    private mutating func helloAnswered(
        with message: ServerMessage, at now: Moment, _ jitter: Jitter
    ) -> [ClientAction] {
        switch message {
        case .welcome(let welcome):
            if let expected = settings.store, let found = welcome.store, found != expected {
                return end(.otherStore(expected: expected.string, found: found.string), at: now)
            }
            if welcome.unit != .utf16 {
                return disconnected(
                    .notUnderstood("the server's offsets are not in UTF-16 units"), at: now, jitter)
            }
            let isNewUser = tokens != nil && user == nil && unsaved != nil
            if let end = accepted(welcome.user, for: welcome.expiresInMilliseconds, at: now, jitter) {
                return end
            }
            link = .welcomed(welcome)
            welcomedAt = now
            rotation.welcomed()
            lastFault = nil
            return (isNewUser ? [.keepUser(welcome.user)] : []) + [.welcomed(welcome)]
                + changeAll { $0.welcomed(at: now, &$1) } + sendFollow()
                + sendRequests()
        case .error(let error): return helloRefused(error, at: now, jitter)
        case .bye(let bye): return handle(bye, at: now)
        case .opened, .closed, .ack, .change, .check, .peer, .listed, .document, .text, .revisions,
            .blamed, .deleted, .tags, .notes, .noted, .done, .gone, .ping, .pong, .resync, .rights,
            .authenticated, .admin:
            return []
        }
    }

    private mutating func helloRefused(
        _ error: ErrorReport, at now: Moment, _ jitter: Jitter
    ) -> [ClientAction] {
        let refusal = ServerRefusal(error)
        let needsToken =
            refusal.code == .tokenEnded || refusal.code == .unauthorized && tokens?.hasShownAccepted == true
        if needsToken, settings.reconnects, tokens != nil {
            tokens?.ended()
            return [.disconnect] + connect(at: now)
        }
        if needsToken || refusal.code?.refusesEveryHello == true { return end(.refused(refusal), at: now) }
        closeNotice = CloseNotice(error)
        return disconnected(.announced(refusal.description), at: now, jitter)
    }

    private mutating func handle(
        _ envelope: Envelope<ServerMessage>, at now: Moment, _ jitter: Jitter
    ) -> [ClientAction] {
        if let actions = answerToAuthenticate(envelope, at: now, jitter) { return actions }
        var actions: [ClientAction] = []
        for key in keys where documents[key]?.isAddressed(by: envelope) == true {
            var isUnderstood = true
            actions += change(key) { document, ids in
                let wanted = document.received(envelope, at: now, &ids)
                isUnderstood = wanted != nil
                return wanted ?? []
            }
            if !isUnderstood {
                return actions + disconnected(.notUnderstood("a text or an edit is invalid"), at: now, jitter)
            }
        }
        return actions + handle(envelope, at: now)
    }

    private mutating func handle(_ envelope: Envelope<ServerMessage>, at now: Moment) -> [ClientAction] {
        switch envelope.message {
        case .ping: return [.send(.pong(Pong()), id: nil)]
        case .bye(let bye): return handle(bye, at: now)
        case .error(let error): return handle(error, envelope.id, at: now)
        case .document(let document): return follow == nil ? [] : [.deliver(.document(document))]
        case .gone(let gone): return follow != nil && gone.isFollowed ? [.deliver(.gone(gone))] : []
        case .done where envelope.id != nil && envelope.id == follow?.id: return [.deliver(.complete)]
        // A progress message is not yet the answer, so the request stays unanswered.
        case .admin(.progress(let progress)):
            let found = RequestProgress(done: progress.done, of: progress.all)
            return requests.number(of: envelope.id).map { [.reportProgress($0, found)] } ?? []
        case .listed, .text, .revisions, .blamed, .deleted, .tags, .notes, .done, .pong, .ack, .authenticated,
            .admin:
            guard let number = requests.complete(envelope.id) else { return [] }
            return [.answer(number, envelope.message)] + sendRequests()
        case .welcome, .opened, .closed, .change, .check, .peer, .resync, .rights, .noted: return []
        }
    }

    private mutating func handle(
        _ error: ErrorReport, _ id: RequestID?, at now: Moment
    ) -> [ClientAction] {
        let refusal = ServerRefusal(error)
        if refusal.code?.closes == true { closeNotice = CloseNotice(error) }
        // Another server of the list can carry out the request, also for a client that does not reconnect.
        if refusal.code == .shuttingDown, settings.reconnects || rotation.servers.count > 1 {
            requests.requeue(id, after: error.retryAfterMilliseconds.map { Milliseconds($0) }, at: now)
            return []
        }
        guard let number = requests.complete(id) else { return [] }
        return [.fail(number, .refused(refusal))] + sendRequests()
    }

    private mutating func handle(_ bye: Bye, at now: Moment) -> [ClientAction] {
        switch bye.reason {
        case .known(.replaced) where !settings.ownsID: return end(.replaced, at: now)
        case .known(.revoked): return end(.revoked, at: now)
        // The server may read the `hello` of an earlier connection later than that of a newer one. Then it ends
        // the wrong connection, and a client that owns its id connects again.
        case .known(.tokenEnded):
            closeNotice = CloseNotice(bye)
            return tokenEnded(.revoked, at: now)
        case .known(.replaced), .known(.shuttingDown), .known(.idle), .known(.tooSlow), .unknown:
            closeNotice = CloseNotice(bye)
            return []
        }
    }
}

extension ClientState {
    private mutating func sendRequests() -> [ClientAction] {
        guard case .welcomed = link else { return [] }
        return requests.nextToSend()
    }

    func sendFollow() -> [ClientAction] {
        guard case .welcomed = link, let follow else { return [] }
        return [.deliver(.restarted), .send(.follow(follow.message), id: follow.id)]
    }

    mutating func end(_ fault: ConnectionFault, at now: Moment) -> [ClientAction] {
        if case .ended = link { return [] }
        link = .ended(fault)
        lastFault = fault
        follow = nil
        // Updates of documents come before `.end`, because `.end` ends the update sequences.
        return [.disconnect] + changeAll { $0.disconnected(at: now, &$1) }
            + requests.removeAll().map { .fail($0, .connection(fault)) } + [.end(fault)]
    }

    /// When `timePassed` must be called if no other event comes earlier.
    var deadline: Moment? {
        (documents.values.map(\.retryAt) + [linkDeadline, requests.retryAt, unsaved?.retryAt, refreshAt])
            .compactMap(
                \.self
            ).min()
    }

    private var refreshAt: Moment? {
        if link.hasEnded { return nil }
        return [tokens?.answerDue, link.isWelcomed ? tokens?.refreshAt : nil].compactMap(\.self).min()
    }

    /// When the client must ping, disconnect or connect again, if the server sends nothing until then.
    private var linkDeadline: Moment? {
        switch link {
        case .idle, .fetchingToken, .ended: nil
        case .connecting, .helloSent: silentSince + rotation.attemptTimeout
        case .welcomed(let welcome): silentSince + Milliseconds(max(1, welcome.ping) * 1_000)
        case .waiting(let moment): moment
        }
    }

    /// Schedules a call of `timePassed` for the next deadline, unless an earlier call is scheduled.
    mutating func wake() -> [ClientAction] {
        guard let deadline else { return [] }
        if let wakesAt, wakesAt <= deadline { return [] }
        wakesAt = deadline
        return [.wake(at: deadline)]
    }
}

extension ClientMessage {
    /// The document of a push or a restore, and its number.
    fileprivate var usedNumber: (document: WireString, seq: Seq)? {
        switch self {
        case .push(let push): (push.document, Seq(Int64(push.seq)))
        case .restore(let restore): (restore.document, Seq(Int64(restore.seq)))
        default: nil
        }
    }
}
