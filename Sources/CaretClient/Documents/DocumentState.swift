package import CaretCore
package import CaretReplica
package import CaretWire

/// An open document of a client: its replica, its name, the introductions of its peers, and its views.
package struct DocumentState {
    package private(set) var replica: Replica
    private(set) var name: WireString
    /// Whether opening creates the document if it does not exist.
    private(set) var creates: Bool
    /// The id of the `open` request that has no answer yet.
    private(set) var lastOpen: RequestID?
    /// Whether the last `open` request asks the server to create the document.
    private var hasAskedToCreate = false
    /// The unsaved edits that an earlier process had kept, as a change of the committed text. Nil if the document
    /// has been open since.
    private(set) var earlier: Change?
    /// When `timePassed` must be called.
    package private(set) var retryAt: Moment?
    /// The introductions of the peers, by session.
    private var introductions: [WireString: Introduction] = [:]
    /// For each bound view, the change that the view has not shown yet.
    private(set) var unshown: [Int: Change] = [:]
    private var typedAt: Moment?
    /// Bound views with text that the document has not accepted: an input method still composes the text, or
    /// the document refused it.
    private(set) var unaccepted: [Int: SavingState] = [:]
    /// The last state that was sent to readers.
    private(set) var announcedState: SavingState
    /// The last refusal of the server.
    package private(set) var refusal: ServerRefusal?

    package init(_ name: WireString, creating: Bool, mode: DocumentMode) {
        self.name = name
        creates = creating
        replica = Replica(mode: mode)
        announcedState = replica.state
    }

    /// Continues with unsaved edits from the client's folder.
    package init(_ name: WireString, creating: Bool, _ replica: Replica, earlier: Change?) {
        self.name = name
        creates = creating
        self.replica = replica
        self.earlier = earlier
        announcedState = replica.state
    }

    /// The state of the replica, but never `saved` while a view holds text that the document has not
    /// accepted.
    package var state: SavingState {
        if replica.state != .saved { return replica.state }
        return unaccepted.values.first { $0 != .sending } ?? unaccepted.values.first ?? .saved
    }

    package var peers: [DocumentPeer] {
        replica.peers.compactMap { peer in
            introductions[peer.session].map {
                DocumentPeer(session: peer.session.string, $0, selections: peer.selections)
            }
        }
    }

    // MARK: Events

    package mutating func welcomed(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        run(replica.connected(), at: now, &ids)
    }

    package mutating func disconnected(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        lastOpen = nil
        return run(replica.disconnected(), at: now, &ids)
    }

    package mutating func timePassed(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        guard let retryAt, retryAt <= now else { return [] }
        self.retryAt = nil
        return run(replica.timePassed(), at: now, &ids)
    }

    /// The program opens the document once more. Tries again to open it if the server has refused that. With
    /// `creating`, the document is created if it does not exist.
    package mutating func openedAgain(
        creating: Bool, at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction] {
        switch replica.link {
        case .closed:
            creates = creates || creating
            return retried(at: now, &ids)
        case .offline, .waiting, .opening: creates = creates || creating
        case .open: break
        }
        return []
    }

    package mutating func retried(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        run(replica.retry(), at: now, &ids)
    }

    package mutating func discarded(at now: Moment, _ ids: inout RequestIDs) -> [DocumentAction] {
        earlier = nil
        return run(replica.discard(), at: now, &ids)
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

    /// Handles a change that the program has made to the current text.
    package mutating func typed(
        _ change: Change, at now: Moment, _ ids: inout RequestIDs
    ) throws(ChangeError) -> [DocumentAction] {
        let actions = try type(change, at: now)
        noteUnshown(change, in: unshown.keys)
        return run(actions, at: now, &ids)
    }

    private mutating func type(_ change: Change, at now: Moment) throws(ChangeError) -> [ReplicaAction] {
        let pause = typedAt.map { Milliseconds(now.milliseconds - $0.milliseconds) }
        typedAt = now
        return try replica.typed(change, after: pause)
    }

    // MARK: Views

    package mutating func bind(_ view: Int) { unshown[view] = Change() }

    package mutating func unbind(_ view: Int) -> [DocumentAction] {
        unshown[view] = nil
        return setUnaccepted(nil, in: view)
    }

    /// Records why the document has not accepted all text of a bound view. `state` is nil if the document has
    /// accepted all text of the view.
    package mutating func setUnaccepted(_ state: SavingState?, in view: Int) -> [DocumentAction] {
        unaccepted[view] = state
        return notifyState()
    }

    private mutating func notifyState() -> [DocumentAction] {
        if state == announcedState { return [] }
        announcedState = state
        return [.notify(.state(state))]
    }

    /// A change that the user has made in a bound view, as a change of the document.
    package func rebased(_ change: Change, from view: Int) -> Change {
        change.rebased(over: unshown[view] ?? Change(), tie: .otherFirst)
    }

    /// Handles a change that the user has made in a bound view. Returns the change that brings the view up to
    /// date.
    package mutating func typed(
        _ change: Change, in view: Int, at now: Moment, _ ids: inout RequestIDs
    ) throws(ChangeError) -> (Change, [DocumentAction]) {
        let missing = unshown[view] ?? Change()
        let rebased = rebased(change, from: view)
        unaccepted[view] = nil
        var actions: [DocumentAction] = []
        if !rebased.isEmpty {
            let wanted = try type(rebased, at: now)
            noteUnshown(rebased, in: unshown.keys.filter { $0 != view })
            actions = run(wanted, at: now, &ids)
        }
        unshown[view] = Change()
        return (missing.rebased(over: change, tie: .selfFirst), actions + notifyState())
    }

    private mutating func noteUnshown(_ change: Change, in views: some Sequence<Int>) {
        for view in views {
            do throws(ChangeError) {
                unshown[view] = try (unshown[view] ?? Change()).composed(with: change)
            } catch {
                preconditionFailure(
                    "a new change cannot be joined to the changes that a view has not shown yet")
            }
        }
    }

    // MARK: Actions of the replica

    private mutating func run(
        _ actions: [ReplicaAction], at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction] {
        actions.flatMap { run($0, at: now, &ids) }
    }

    private mutating func run(
        _ action: ReplicaAction, at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction] {
        switch action {
        case .open(let position, let mode):
            lastOpen = ids.next()
            hasAskedToCreate = creates
            return [.send(.open(open(from: position, mode)), id: lastOpen)]
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
            return [.notify(.edited(change, selections: replica.selections))]
        case .showPeers: return [.notify(.peers(peers))]
        case .show: return notifyState()
        case .rename(let name):
            self.name = name
            return [.notify(.renamed(name.string))]
        }
    }

    private func open(from position: WirePosition?, _ mode: DocumentMode) -> Open {
        Open(
            document: name, create: creates, resume: position, mode: mode == .edit ? .edit : .watch,
            squash: mode == .watch)
    }
}

// Messages of the server.
extension DocumentState {
    /// Handles a message. Returns nil if the message contains an invalid text or edit.
    package mutating func received(
        _ envelope: Envelope<ServerMessage>, at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction]? {
        record(envelope)
        if case .error(let error) = envelope.message, envelope.id != nil {
            return openRefused(error, at: now, &ids)
        }
        do throws(TextError) {
            guard case .opened(let opened) = envelope.message else {
                return run(try replica.received(envelope.message), at: now, &ids)
            }
            if isSuperseded(by: opened) { return try dropEarlier(opened, at: now, &ids) }
            earlier = nil
            return run(try replica.received(envelope.message), at: now, &ids)
        } catch {
            return nil
        }
    }

    // The file of unsaved edits may be older than the last push of the process that wrote it, if the disk was full or
    // has lost a write. The server then has a push with a number that the file has not used yet. This push contained
    // everything that the file has as unsaved, so sending those edits again would enter them twice. A file that was
    // written before the document was open says nothing about numbers, so its edits are sent. In another epoch, the
    // numbers may be those of another document.
    private func isSuperseded(by opened: Opened) -> Bool {
        guard earlier != nil, let own = opened.own, let position = replica.position else { return false }
        return opened.epoch == position.epoch && Seq(Int64(own.seq)) >= replica.nextSeq
    }

    /// Drops the edits of the earlier process, and keeps what the user has typed since. Asks for the whole text if the
    /// server has not sent it: until then, everything is kept.
    private mutating func dropEarlier(
        _ opened: Opened, at now: Moment, _ ids: inout RequestIDs
    ) throws(TextError) -> [DocumentAction] {
        if case .resumed = opened.content {
            replica.reloadText()
            return run(replica.finish(), at: now, &ids)
        }
        let (before, kept) = (replica, replica.committed.applying(fitting: earlier ?? Change()))
        let typed = diff(from: kept, to: replica.text)
        var wanted = replica.discard()
        do throws(TextError) {
            wanted += try replica.received(.opened(opened))
        } catch {
            replica = before
            throw error
        }
        earlier = nil
        let actions = run(wanted, at: now, &ids)
        return actions
            + enter(typed.rebased(over: diff(from: kept, to: replica.text), tie: .otherFirst), at: now, &ids)
    }

    /// Applies a change that fits the text, and shows it to all readers and views.
    private mutating func enter(
        _ change: Change, at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction] {
        if change.isEmpty { return [] }
        do throws(ChangeError) {
            let wanted = try replica.typed(change)
            noteUnshown(change, in: unshown.keys)
            return [.notify(.edited(change, selections: replica.selections))] + run(wanted, at: now, &ids)
        } catch {
            preconditionFailure("edits that were rebased to the text do not fit it")
        }
    }

    /// The client has used this number for a request about the document.
    mutating func noteUsed(_ seq: Seq) -> [DocumentAction] {
        replica.nextSeq = max(replica.nextSeq, seq.next)
        return []
    }

    private mutating func openRefused(
        _ error: ErrorReport, at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction] {
        let actions = run(replica.openRefused(error), at: now, &ids)
        // The program may have asked to create the document after the request was sent.
        guard replica.link == .closed(.notFound), creates, !hasAskedToCreate else { return actions }
        return actions + retried(at: now, &ids)
    }

    /// Called when a message about this document was not sent, because its line is longer than the server
    /// allows.
    package mutating func lineTooLong(
        _ message: ClientMessage, at now: Moment, _ ids: inout RequestIDs
    ) -> [DocumentAction] {
        guard case .push(let push) = message else { return [] }
        let refusal = ErrorReport(
            .lineTooLong, "the push was not sent: its line is longer than the server allows", seq: push.seq)
        return run(replica.pushRefused(refusal), at: now, &ids)
    }

    /// Whether a message is about this document.
    package func isAddressed(by envelope: Envelope<ServerMessage>) -> Bool {
        switch envelope.message {
        case .opened: envelope.id != nil && envelope.id == lastOpen
        case .change(let change): change.document == name
        case .ack(let ack): ack.document == name
        case .check(let check): check.document == name
        case .peer(let peer): peer.document == name
        case .resync(let resync): resync.document == name
        case .rights(let rights): rights.document == name
        // A `gone` message for a follower may arrive late, when another document already has the name.
        case .gone(let gone): gone.document == name && !gone.isFollowed
        case .error(let error): isAddressed(by: error, envelope.id)
        case .bye: true
        case .closed, .welcome, .authenticated, .listed, .document, .text, .revisions, .blamed, .deleted,
            .tags, .notes, .noted, .done, .ping, .pong, .admin:
            false
        }
    }

    private func isAddressed(by error: ErrorReport, _ id: RequestID?) -> Bool {
        if let id { return id == lastOpen }
        return error.document == name && error.seq != nil
    }

    /// Records the parts of a message that the replica does not use.
    private mutating func record(_ envelope: Envelope<ServerMessage>) {
        switch envelope.message {
        case .opened(let opened):
            lastOpen = nil
            creates = false
            introductions = [:]
            for peer in opened.peers { introductions[peer.session] = peer.introduction }
        case .peer(let peer):
            switch peer.news {
            case .left: introductions[peer.session] = nil
            case .selected(_, _, let introduction?): introductions[peer.session] = introduction
            case .selected(_, _, nil): break
            }
        case .error(let error):
            refusal = ServerRefusal(error)
            if envelope.id != nil { lastOpen = nil }
        case .change, .ack, .check, .resync, .rights, .gone, .bye, .closed, .welcome, .authenticated, .listed,
            .document, .text, .revisions, .blamed, .deleted, .tags, .notes, .noted, .done, .ping, .pong,
            .admin:
            break
        }
    }
}

extension TextBuffer {
    /// The text after a change that fits it.
    fileprivate func applying(fitting change: Change) -> TextBuffer {
        do throws(ChangeError) {
            return try applying(change)
        } catch {
            preconditionFailure("kept edits do not fit the text that they were made in")
        }
    }
}
