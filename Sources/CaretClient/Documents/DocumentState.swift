package import CaretCore
package import CaretReplica
package import CaretWire

/// A document that a client has open: the replica, and what only its owner knows: the name, the people, the views.
package struct DocumentState {
    package private(set) var replica: Replica
    private(set) var name: WireString
    /// It is made where there is none.
    private(set) var creates: Bool
    /// The id of the open that awaits its answer.
    private(set) var lastOpen: RequestID?
    /// When `timePassed` is due.
    package private(set) var retryAt: Moment?
    /// Who is behind the sessions of the document.
    private var people: [WireString: Introduction] = [:]
    /// What each bound view has not been shown yet.
    private(set) var unshown: [Int: Change] = [:]
    private var typedAt: Moment?
    /// What is so of bound views that hold text which is not in the document: it is on its way, or refused.
    private(set) var withheld: [Int: SavingState] = [:]
    /// What was told last.
    private(set) var toldState: SavingState
    /// What the server said when it refused something last.
    package private(set) var refusal: ServerRefusal?

    package init(_ name: WireString, creating: Bool, mode: DocumentMode) {
        self.name = name
        creates = creating
        replica = Replica(mode: mode)
        toldState = replica.state
    }

    /// Goes on with what was kept.
    package init(_ name: WireString, creating: Bool, _ replica: Replica) {
        self.name = name
        creates = creating
        self.replica = replica
        toldState = replica.state
    }

    /// The replica's, but never `saved` while a view holds text that is not in the document.
    package var state: SavingState {
        if replica.state != .saved { return replica.state }
        return withheld.values.first { $0 != .sending } ?? withheld.values.first ?? .saved
    }

    package var peers: [DocumentPeer] {
        replica.peers.compactMap { peer in
            people[peer.session].map {
                DocumentPeer(session: peer.session.string, $0, selections: peer.selections)
            }
        }
    }

    // MARK: What happens

    package mutating func welcomed(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        run(replica.connected(), at: now, &ids)
    }

    package mutating func cutOff(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        lastOpen = nil
        return run(replica.cutOff(), at: now, &ids)
    }

    package mutating func timePassed(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        guard let retryAt, retryAt <= now else { return [] }
        self.retryAt = nil
        return run(replica.timePassed(), at: now, &ids)
    }

    package mutating func retried(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        run(replica.retry(), at: now, &ids)
    }

    package mutating func discarded(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        run(replica.discard(), at: now, &ids)
    }

    package mutating func undone(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        run(replica.undo(), at: now, &ids)
    }

    package mutating func redone(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        run(replica.redo(), at: now, &ids)
    }

    package mutating func selected(
        _ selections: [Selection], at now: Moment, _ ids: inout RequestIDs
    ) throws(TextError) -> [DocumentAction] {
        run(try replica.selected(selections), at: now, &ids)
    }

    /// The owner has made a change to the text as it is.
    package mutating func typed(
        _ change: Change, at now: Moment, _ ids: inout RequestIDs
    ) throws(ChangeError) -> [DocumentAction] {
        let actions = try type(change, at: now)
        noteUnshown(change, in: unshown.keys)
        return run(actions, at: now, &ids)
    }

    private mutating func type(_ change: Change, at now: Moment) throws(ChangeError) -> [Action] {
        let pause = typedAt.map { Milliseconds(now.milliseconds - $0.milliseconds) }
        typedAt = now
        return try replica.typed(change, after: pause)
    }

    // MARK: Views

    package mutating func bind(_ view: Int) { unshown[view] = Change() }

    package mutating func unbind(_ view: Int) -> [DocumentAction] {
        unshown[view] = nil
        return withhold(nil, in: view)
    }

    /// A bound view holds text that is not in the document; nil where it holds none.
    package mutating func withhold(_ state: SavingState?, in view: Int) -> [DocumentAction] {
        withheld[view] = state
        return tellState()
    }

    private mutating func tellState() -> [DocumentAction] {
        if state == toldState { return [] }
        toldState = state
        return [.tell(.state(state))]
    }

    /// A bound view has been changed by its person; the answer is what it is to be changed by in turn.
    package mutating func typed(
        _ change: Change, in view: Int, at now: Moment, _ ids: inout RequestIDs
    ) throws(ChangeError) -> (Change, [DocumentAction]) {
        let news = unshown[view] ?? Change()
        let here = change.rebased(over: news, tie: .otherFirst)
        withheld[view] = nil
        var actions: [DocumentAction] = []
        if !here.isEmpty {
            let wanted = try type(here, at: now)
            noteUnshown(here, in: unshown.keys.filter { $0 != view })
            actions = run(wanted, at: now, &ids)
        }
        unshown[view] = Change()
        return (news.rebased(over: change, tie: .selfFirst), actions + tellState())
    }

    private mutating func noteUnshown(_ change: Change, in views: some Sequence<Int>) {
        for view in views {
            do throws(ChangeError) {
                unshown[view] = try (unshown[view] ?? Change()).composed(with: change)
            } catch {
                preconditionFailure("a change of the text does not fit what a view has not been shown")
            }
        }
    }

    // MARK: What the replica wants

    private mutating func run(
        _ actions: [Action], at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction] {
        actions.flatMap { run($0, at: now, &ids) }
    }

    private mutating func run(
        _ action: Action, at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction] {
        switch action {
        case .open(let place, let mode):
            lastOpen = ids.next()
            return [.send(.open(open(from: place, mode)), id: lastOpen)]
        case .close: return [.send(.close(Close(document: name)), id: nil)]
        case .push(let push): return [.send(.push(push.message(to: name)), id: nil)]
        case .select(let revision, let selections):
            let select = Select(
                document: name, revision: revision, selections: selections.map { WireSelection($0) })
            return [.send(.select(select), id: nil)]
        case .reportDivergence(let revision):
            return [.send(.diverged(Diverged(document: name, revision: revision)), id: nil)]
        case .retry(let span):
            retryAt = now + span
            return []
        case .edit(let change):
            noteUnshown(change, in: unshown.keys)
            return [.tell(.edited(change, selections: replica.selections))]
        case .showPeers: return [.tell(.peers(peers))]
        case .show: return tellState()
        case .rename(let name):
            self.name = name
            return [.tell(.renamed(name.string))]
        }
    }

    private func open(from place: WirePosition?, _ mode: DocumentMode) -> Open {
        Open(
            document: name, create: creates, resume: place, mode: mode == .edit ? .edit : .watch,
            squash: mode == .watch)
    }
}

// What the server says.
extension DocumentState {
    /// Nil where what it says cannot be: edits or a text that are none.
    package mutating func heard(
        _ envelope: Envelope<ServerMessage>, at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction]? {
        note(envelope)
        if case .error(let error) = envelope.message, envelope.id != nil {
            return run(replica.openRefused(error), at: now, &ids)
        }
        do throws(TextError) {
            return run(try replica.received(envelope.message), at: now, &ids)
        } catch {
            return nil
        }
    }

    /// A line of this document is longer than the server takes.
    package mutating func overlong(
        _ message: ClientMessage, at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction] {
        guard case .push(let push) = message else { return [] }
        let refusal = ErrorReport(.lineTooLong, "the line was not sent", seq: push.seq)
        return run(replica.pushRefused(refusal), at: now, &ids)
    }

    /// Whether a message is about this document.
    package func isMeant(by envelope: Envelope<ServerMessage>) -> Bool {
        switch envelope.message {
        case .opened: envelope.id != nil && envelope.id == lastOpen
        case .change(let change): change.document == name
        case .ack(let ack): ack.document == name
        case .check(let check): check.document == name
        case .peer(let peer): peer.document == name
        case .resync(let resync): resync.document == name
        case .rights(let rights): rights.document == name
        // What followers are told comes later, when another document may have the name.
        case .gone(let gone): gone.document == name && !gone.isFollowed
        case .error(let error): isMeant(by: error, envelope.id)
        case .bye: true
        case .closed, .welcome, .listed, .document, .text, .revisions, .done, .ping, .pong, .admin: false
        }
    }

    private func isMeant(by error: ErrorReport, _ id: RequestID?) -> Bool {
        if let id { return id == lastOpen }
        return error.document == name && error.seq != nil
    }

    /// Keeps what the replica has no use for.
    private mutating func note(_ envelope: Envelope<ServerMessage>) {
        switch envelope.message {
        case .opened(let opened):
            lastOpen = nil
            creates = false
            people = [:]
            for peer in opened.peers { people[peer.session] = peer.introduction }
        case .peer(let peer):
            switch peer.news {
            case .left: people[peer.session] = nil
            case .selected(_, _, let introduction?): people[peer.session] = introduction
            case .selected(_, _, nil): break
            }
        case .error(let error):
            refusal = ServerRefusal(error)
            if envelope.id != nil { lastOpen = nil }
        case .change, .ack, .check, .resync, .rights, .gone, .bye, .closed, .welcome, .listed, .document,
            .text, .revisions, .done, .ping, .pong, .admin:
            break
        }
    }
}
