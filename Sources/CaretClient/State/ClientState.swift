import CaretCore
package import CaretReplica
package import CaretWire

/// A client: its connection that comes and goes, and what is asked over it.
///
/// A value without clock, socket or chance. Each event is a method; it answers with what its owner is to do. Confined
/// to whoever owns the client.
///
/// Law: every request ends once, with an answer or a fault. One that was sent when the connection ended is asked again
/// only where doing it twice does what doing it once does.
package struct ClientState {
    package enum Link: Equatable {
        /// Nothing was tried yet.
        case idle
        case connecting
        /// The connection stands, and the server has not answered `hello`.
        case greeting
        case welcomed(Welcome)
        /// To be tried again.
        case waiting(until: Moment)
        case ended(ConnectionFault)
    }

    package struct Settings: Equatable {
        let address: ServerAddress
        let hello: Hello
        let reconnects: Bool
        /// The store that the server must have, if it matters.
        var store: WireString?

        package init(address: ServerAddress, hello: Hello, reconnects: Bool, store: WireString? = nil) {
            self.address = address
            self.hello = hello
            self.reconnects = reconnects
            self.store = store
        }
    }

    /// How long to wait for a connection, and then for the welcome: a server gives `hello` as much.
    static let patience: Milliseconds = 10_000

    let settings: Settings
    package private(set) var link = Link.idle
    /// Why the last connection or attempt ended, since the last welcome.
    private(set) var lastFault: ConnectionFault?
    private(set) var asks = Asks()
    private(set) var ids = RequestIDs()
    package private(set) var documents: [DocumentKey: DocumentState] = [:]
    private(set) var lastKey = 0
    /// What documents are followed, and the id of the request that orders it.
    private(set) var follow: (message: Follow, id: RequestID)?
    private var pauses = Backoff()
    /// Since when the link waits for the server: when it was heard last, or an attempt began.
    private var quietSince = Moment(milliseconds: 0)
    /// It was asked whether it is there.
    private var isPinged = false
    /// What the server said of the end that is coming.
    private var farewell: Farewell?
    /// The next call of `timePassed` that was ordered.
    private(set) var wakesAt: Moment?

    /// What is unsaved of documents, where that is kept.
    private(set) var kept: KeptReplicas?

    package init(_ settings: Settings, kept: [KeptReplica]? = nil) {
        self.settings = settings
        self.kept = kept.map { KeptReplicas($0) }
        lastKey = kept?.map(\.key.value).max() ?? 0
    }
}

// What the owner wants.
extension ClientState {
    /// Names the next request.
    package mutating func nextNumber() -> AskNumber { ids.nextNumber() }

    package mutating func begun(at now: Moment) -> [ClientAction] {
        guard link == .idle else { return [] }
        return connect(at: now) + wake()
    }

    package mutating func asked(_ message: ClientMessage, as number: AskNumber) -> [ClientAction] {
        if case .ended(let fault) = link { return [.fail(number, .connection(fault))] }
        guard asks.add(message, as: number) else {
            return [.fail(number, .tooMany(limit: Asks.mostUnanswered))]
        }
        return sendAsks()
    }

    /// Nobody waits for the answer any more.
    package mutating func cancelled(_ number: AskNumber) -> [ClientAction] {
        asks.cancel(number) ? [.fail(number, .cancelled)] + sendAsks() : []
    }

    /// Documents are followed from here on, in place of others that were.
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

// Documents.
extension ClientState {
    /// Opens a document, now or once there is a connection.
    package mutating func opened(
        _ name: WireString, creating: Bool, mode: DocumentMode, at now: Moment
    ) -> (DocumentKey, [ClientAction]) {
        let key: DocumentKey
        if mode == .edit, let found = kept?.open(name) {
            key = found.key
            documents[key] = DocumentState(name, creating: creating || found.creates, found.replica)
        } else {
            lastKey += 1
            key = DocumentKey(value: lastKey)
            documents[key] = DocumentState(name, creating: creating, mode: mode)
        }
        guard case .welcomed = link else { return (key, []) }
        return (key, change(key) { $0.welcomed(at: now, &$1) } + wake())
    }

    /// Lets something happen to a document that is open.
    package mutating func change(
        _ key: DocumentKey, _ body: (inout DocumentState, inout RequestIDs) throws -> [DocumentAction]
    ) rethrows -> [ClientAction] {
        // Taken out meanwhile, so that it is not copied.
        guard var document = documents.removeValue(forKey: key) else { return [] }
        defer { documents[key] = document }
        let actions = try body(&document, &ids).map { ClientAction($0, of: key) }
        // Kept before it is sent: a push whose number is used must be known after a kill.
        return keep(document, key) + actions + wakeFor(document)
    }

    private mutating func keep(_ document: DocumentState, _ key: DocumentKey) -> [ClientAction] {
        kept?.happened(to: document, key) == true ? [.keep(key)] : []
    }

    /// What the file of a document is to hold by now; nil where it is right as it is.
    mutating func takeKeepingOrder(for key: DocumentKey) -> KeepingOrder? {
        kept?.takeOrder(for: key, documents[key])
    }

    /// The names of closed documents with unsaved edits.
    var unsavedNames: [WireString] { kept?.names ?? [] }

    func keepingFault(of key: DocumentKey) -> KeepingFault? { kept?.fault(of: key) }

    mutating func notKept(_ key: DocumentKey, _ fault: KeepingFault) -> [ClientAction] {
        kept?.failed(key, fault)
        return [.update(key, .notKept(fault))]
    }

    /// What a document waits for is waited for with all else.
    private mutating func wakeFor(_ document: DocumentState) -> [ClientAction] {
        guard let retryAt = document.retryAt, wakesAt.map({ retryAt < $0 }) ?? true else { return [] }
        wakesAt = retryAt
        return [.wake(at: retryAt)]
    }

    package mutating func closed(_ key: DocumentKey) -> [ClientAction] {
        guard let document = documents.removeValue(forKey: key) else { return [] }
        kept?.close(document, key)
        guard case .welcomed = link else { return [] }
        return [.send(.close(Close(document: document.name)), id: nil)]
    }

    /// In the order in which they were opened.
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
        case .tell(let update): self = .update(key, update)
        }
    }
}

// What the connection and the clock do.
extension ClientState {
    package mutating func connected(at now: Moment) -> [ClientAction] {
        guard link == .connecting else { return [] }
        link = .greeting
        quietSince = now
        return [.send(.hello(settings.hello), id: nil)] + wake()
    }

    package mutating func heard(
        _ envelope: Envelope<ServerMessage>, at now: Moment, _ luck: Luck
    ) -> [ClientAction] {
        quietSince = now
        isPinged = false
        switch link {
        case .greeting: return greeted(with: envelope.message, at: now, luck) + wake()
        case .welcomed: return take(envelope, at: now, luck) + wake()
        case .idle, .connecting, .waiting, .ended: return []
        }
    }

    /// A line is longer than the server takes, and was not sent.
    package mutating func overlong(
        _ message: ClientMessage, _ id: RequestID?, bytes: Int, limit: Int, at now: Moment
    ) -> [ClientAction] {
        guard let number = asks.answered(id) else {
            guard case .push(let push) = message,
                let key = keys.first(where: { documents[$0]?.name == push.document })
            else { return [] }
            return change(key) { $0.overlong(message, at: now, &$1) }
        }
        let words = "the message has \(bytes) bytes as a line, where at most \(limit) are allowed"
        return [.fail(number, .refused(ServerRefusal(ErrorReport(.lineTooLong, words))))] + sendAsks()
    }

    package mutating func cut(_ reason: CutReason, at now: Moment, _ luck: Luck) -> [ClientAction] {
        switch link {
        case .idle, .waiting, .ended: return []
        case .connecting, .greeting, .welcomed: break
        }
        let words = farewell?.reason ?? reason.words
        let lost = ConnectionFault.cut(settings.address, reason: words)
        var fault = ConnectionFault.unreachable(settings.address, reason: words)
        if case .welcomed = link { fault = lost }
        if !settings.reconnects { return end(fault, at: now) }
        lastFault = fault
        let pause = max(luck.share(of: pauses.wait()), farewell?.retryAfter ?? 0)
        farewell = nil
        link = .waiting(until: now + min(pause, Backoff.longestAsked))
        return [.disconnect] + asks.cut().map { .fail($0, .connection(lost)) }
            + changeAll { $0.cutOff(at: now, &$1) } + wake()
    }

    package mutating func timePassed(at now: Moment, _ luck: Luck) -> [ClientAction] {
        if let wakesAt, wakesAt <= now { self.wakesAt = nil }
        return changeAll { $0.timePassed(at: now, &$1) } + linkWaited(until: now, luck)
    }

    private mutating func linkWaited(until now: Moment, _ luck: Luck) -> [ClientAction] {
        guard let linkDeadline, linkDeadline <= now else { return wake() }
        switch link {
        case .idle, .ended: return []
        case .waiting: return connect(at: now) + wake()
        case .connecting: return cut(.unreachable("no answer within 10 s"), at: now, luck)
        case .greeting: return cut(.silent, at: now, luck)
        case .welcomed where isPinged: return cut(.silent, at: now, luck)
        case .welcomed:
            isPinged = true
            quietSince = now
            return [.send(.ping(Ping()), id: nil)] + wake()
        }
    }
}

// What the server says.
extension ClientState {
    private mutating func greeted(
        with message: ServerMessage, at now: Moment, _ luck: Luck
    ) -> [ClientAction] {
        switch message {
        case .welcome(let welcome):
            link = .welcomed(welcome)
            pauses.reset()
            if let expected = settings.store, let found = welcome.store, found != expected {
                return end(.otherStore(expected: expected.string, found: found.string), at: now)
            }
            if welcome.unit != .utf16 {
                return cut(.notUnderstood("it does not count in UTF-16"), at: now, luck)
            }
            lastFault = nil
            return [.greeted(welcome)] + changeAll { $0.welcomed(at: now, &$1) } + sendFollow() + sendAsks()
        case .error(let error): return greetingRefused(error, at: now, luck)
        case .bye(let bye): return take(bye, at: now)
        case .opened, .closed, .ack, .change, .check, .peer, .listed, .document, .text, .revisions, .done,
            .gone, .ping, .pong, .resync, .rights, .admin:
            return []
        }
    }

    private mutating func greetingRefused(
        _ error: ErrorReport, at now: Moment, _ luck: Luck
    ) -> [ClientAction] {
        let refusal = ServerRefusal(error)
        if refusal.code?.refusesEveryGreeting == true { return end(.refused(refusal), at: now) }
        farewell = Farewell(error)
        return cut(.said(refusal.description), at: now, luck)
    }

    private mutating func take(
        _ envelope: Envelope<ServerMessage>, at now: Moment, _ luck: Luck
    ) -> [ClientAction] {
        var actions: [ClientAction] = []
        for key in keys where documents[key]?.isMeant(by: envelope) == true {
            var isUnderstood = true
            actions += change(key) { document, ids in
                let wanted = document.heard(envelope, at: now, &ids)
                isUnderstood = wanted != nil
                return wanted ?? []
            }
            if !isUnderstood {
                return actions + cut(.notUnderstood("a text or an edit that is none"), at: now, luck)
            }
        }
        return actions + take(envelope, at: now)
    }

    private mutating func take(_ envelope: Envelope<ServerMessage>, at now: Moment) -> [ClientAction] {
        switch envelope.message {
        case .ping: return [.send(.pong(Pong()), id: nil)]
        case .bye(let bye): return take(bye, at: now)
        case .error(let error): return take(error, envelope.id)
        case .document(let document): return follow == nil ? [] : [.tell(.document(document))]
        case .gone(let gone): return follow != nil && gone.isFollowed ? [.tell(.gone(gone))] : []
        case .done where envelope.id != nil && envelope.id == follow?.id: return [.tell(.complete)]
        // How far a request has come is not its answer.
        case .admin(.progress(let progress)):
            let found = RequestProgress(done: progress.done, of: progress.all)
            return asks.number(of: envelope.id).map { [.report($0, found)] } ?? []
        case .listed, .text, .revisions, .done, .pong, .ack, .admin:
            guard let number = asks.answered(envelope.id) else { return [] }
            return [.answer(number, envelope.message)] + sendAsks()
        case .welcome, .opened, .closed, .change, .check, .peer, .resync, .rights: return []
        }
    }

    private mutating func take(_ error: ErrorReport, _ id: RequestID?) -> [ClientAction] {
        let refusal = ServerRefusal(error)
        if refusal.code?.closes == true { farewell = Farewell(error) }
        if refusal.code == .shuttingDown, settings.reconnects {
            asks.putBack(id)
            return []
        }
        guard let number = asks.answered(id) else { return [] }
        return [.fail(number, .refused(refusal))] + sendAsks()
    }

    private mutating func take(_ bye: Bye, at now: Moment) -> [ClientAction] {
        switch bye.reason {
        case .known(.replaced): return end(.replaced, at: now)
        case .known(.revoked): return end(.revoked, at: now)
        case .known(.shuttingDown), .known(.idle), .known(.tooSlow), .unknown:
            farewell = Farewell(bye)
            return []
        }
    }
}

extension ClientState {
    private mutating func connect(at now: Moment) -> [ClientAction] {
        link = .connecting
        quietSince = now
        isPinged = false
        farewell = nil
        return [.connect]
    }

    private mutating func sendAsks() -> [ClientAction] {
        guard case .welcomed = link else { return [] }
        return asks.nextToSend()
    }

    private func sendFollow() -> [ClientAction] {
        guard case .welcomed = link, let follow else { return [] }
        return [.tell(.beginning), .send(.follow(follow.message), id: follow.id)]
    }

    private mutating func end(_ fault: ConnectionFault, at now: Moment) -> [ClientAction] {
        if case .ended = link { return [] }
        link = .ended(fault)
        lastFault = fault
        follow = nil
        // Documents are told before everybody is: nothing is told behind the end.
        return [.disconnect] + changeAll { $0.cutOff(at: now, &$1) }
            + asks.removeAll().map { .fail($0, .connection(fault)) } + [.end(fault)]
    }

    /// When something must happen if nothing else does until then.
    var deadline: Moment? {
        (documents.values.map(\.retryAt) + [linkDeadline]).compactMap(\.self).min()
    }

    /// When something must happen if the server says nothing until then.
    private var linkDeadline: Moment? {
        switch link {
        case .idle, .ended: nil
        case .connecting, .greeting: quietSince + ClientState.patience
        case .welcomed(let welcome): quietSince + Milliseconds(max(1, welcome.ping) * 1_000)
        case .waiting(let moment): moment
        }
    }

    /// Orders a call for the next deadline, unless there will be one before.
    private mutating func wake() -> [ClientAction] {
        guard let deadline else { return [] }
        if let wakesAt, wakesAt <= deadline { return [] }
        wakesAt = deadline
        return [.wake(at: deadline)]
    }
}

extension ErrorCode {
    /// The same `hello` will be refused the next time too.
    fileprivate var refusesEveryGreeting: Bool {
        switch self {
        case .unauthorized, .unsupportedProtocol, .badMessage, .badJSON, .unknownType, .tooLarge,
            .lineTooLong,
            .forbidden:
            true
        case .helloRequired, .helloTimeout, .alreadyHello, .notOpen, .alreadyOpen, .badName, .notFound,
            .exists,
            .badRange, .badText, .badEdits, .baseAhead, .baseTrimmed, .baseBeforeOwnPush, .pushInFlight,
            .epochChanged, .seqReused, .rateLimited, .storageFull, .storageFailed, .damaged, .overloaded,
            .shuttingDown, .internal:
            false
        }
    }
}
