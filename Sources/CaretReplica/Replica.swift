package import CaretCore
package import CaretWire

/// One document as one client has it: what is committed, what is in flight, what is unsent, and who stands where.
///
/// A value without clock, connection or disk. Each event is a method; it answers with what its owner is to do. The
/// owner confines the value to one queue or task, passes in what the server says in the order in which it comes, and
/// runs the actions in their order. Offsets count UTF-16 code units.
///
/// Laws: `text` is the committed text after the change in flight and then the unsent change. The edits of the view,
/// made one after the other in any view that began with the empty text and has the typed changes too, give `text`.
/// Every change is committed once or not at all, whatever is lost on the way: a push is sent again word for word, and
/// goes out anew under another number only after an answer that it was not committed and never will be.
package struct Replica: Sendable {
    let mode: DocumentMode
    package var draft = Draft()
    package var inFlight: InFlight?
    package var presence = Presence()
    /// What can be undone and redone.
    package var own = OwnChanges()
    /// The place of the committed text; nil until the document was opened for the first time.
    package var place: WirePosition?
    /// The number of the next new push. Whoever starts a replica for a document that this client has pushed to
    /// before must begin above the numbers used there.
    package var nextSeq: Seq
    package var rights = Rights.none
    package var state = SavingState.opening
    /// It goes on from what was kept, so there is a text before the document is opened.
    var isRestored = false

    package var link = Link.offline
    /// Why nothing is pushed until the owner has decided.
    package var refusal: Refusal?
    /// The push in flight is not sent again before some time has passed.
    package var isWaiting = false
    /// The server has named or acked a push of this client, so it would know one that is sent again.
    var isKnownToServer = false
    /// The committed text may not be the server's: the document is opened as a whole.
    package var distrustsText = false
    var openings = Backoff()
    var pushes = Backoff()
    /// How often in a row edits went out anew by themselves.
    package var timesAnew = 0

    // What the event at work has led to so far.
    package var actions: [Action] = []
    var showsPeers = false

    /// A document that has not been opened yet. What is typed before that is kept, as if its text was empty.
    package init(firstSeq: Seq = 1, mode: DocumentMode = .edit) {
        nextSeq = firstSeq
        self.mode = mode
    }
}

/// How the replica stands to the document on the server.
package enum Link: Equatable, Sendable {
    /// There is no connection.
    case offline
    /// To be opened once some time has passed.
    case waiting
    /// Asked to open; everything that was said before the answer is about an earlier opening.
    case opening
    case open
    /// The document is not there, or not for this client.
    case closed(Refusal)
}

extension Replica {
    /// What the owner sees.
    package var text: Text { draft.text }

    /// The text that the server is known to have committed, at `place`.
    package var committed: Text { draft.committed }

    package var revision: Revision { place?.revision ?? 0 }

    package var hasUnsaved: Bool { inFlight != nil || draft.hasUnsaved }

    /// The difference of `text` to `committed`: what is lost if it is discarded.
    package var unsaved: Change { draft.inFlight.followed(by: draft.unsent) }

    package var canUndo: Bool { own.canUndo }
    package var canRedo: Bool { own.canRedo }

    /// The owner's selections in the view, moved through everything that happened to it.
    package var selections: [Selection] { presence.own ?? [] }

    /// The others' selections in the view.
    package var peers: [PeerSelections] {
        if !draft.hasUnsaved { return presence.peers }
        return presence.peers.map { peer in
            var peer = peer
            peer.selections = peer.selections.map {
                $0.mapped(through: draft.inFlight).mapped(through: draft.unsent)
            }
            return peer
        }
    }
}

// What the owner does.
extension Replica {
    /// The owner changed the view; throws, with nothing changed, where the change does not fit it.
    ///
    /// `pause` is the time since the owner's last change: what is typed on without a longer one is undone at once.
    package mutating func typed(_ change: Change, after pause: Milliseconds? = nil) throws(ChangeError)
        -> [Action]
    {
        let inverse = try change.inverted(in: draft.text)
        try draft.type(change)
        own.typed(change, inverse: inverse, after: pause)
        noteTyped(change)
        return finish()
    }

    /// The owner wants the last of their own changes taken back that is left, and none of anybody else's.
    package mutating func undo() -> [Action] {
        if let change = own.takeUndo() { own.undone(inverse: makeInView(change)) }
        return finish()
    }

    /// The owner wants back what was undone last.
    package mutating func redo() -> [Action] {
        if let change = own.takeRedo() { own.redone(inverse: makeInView(change)) }
        return finish()
    }

    /// Has a change of the owner's made in the view, and answers with what takes it back.
    private mutating func makeInView(_ change: Change) -> Change {
        do throws(ChangeError) {
            let inverse = try change.inverted(in: draft.text)
            try draft.type(change)
            noteTyped(change)
            actions.append(.edit(change))
            return inverse
        } catch {
            preconditionFailure("a change that was moved to the text of the view does not fit it")
        }
    }

    private mutating func noteTyped(_ change: Change) {
        presence.viewChanged(by: change)
        if !presence.peers.isEmpty { showsPeers = true }
    }

    /// The owner selected something else in the view; throws, with nothing changed, where it has no such place.
    package mutating func selected(_ selections: [Selection]) throws(TextError) -> [Action] {
        for selection in selections {
            _ = try draft.text.length(before: selection.anchor)
            _ = try draft.text.length(before: selection.head)
        }
        presence.select(selections)
        return finish()
    }

    /// The owner wants what was refused to be tried again, perhaps after changing it; and what waits, at once.
    package mutating func retry() -> [Action] {
        goOn()
        isWaiting = false
        switch link {
        case .waiting, .closed: open()
        case .offline, .opening, .open: break
        }
        return finish()
    }

    /// The owner gives up what is not committed.
    ///
    /// A push whose outcome is unknown may be committed all the same; then it comes back with the stream.
    package mutating func discard() -> [Action] {
        show(draft.discard())
        inFlight = nil
        refusal = nil
        isWaiting = false
        return finish()
    }
}

// What the connection and the clock do.
extension Replica {
    /// A connection stands, and the server has welcomed the client.
    package mutating func connected() -> [Action] {
        guard link == .offline else { return finish() }
        openings.reset()
        pushes.reset()
        open()
        return finish()
    }

    /// The connection is gone.
    package mutating func cutOff() -> [Action] {
        goOffline()
        return finish()
    }

    /// The time is over that `Action.retry` asked for.
    package mutating func timePassed() -> [Action] {
        isWaiting = false
        if link == .waiting { open() }
        return finish()
    }

    mutating func goOffline() {
        link = .offline
        isWaiting = false
        inFlight?.loseAnswer()
        if presence.peers.isEmpty { return }
        presence.replacePeers(with: [], in: draft.committed)
        showsPeers = true
    }
}

extension Replica {
    /// Does what has become due, and hands over all that is to be done.
    package mutating func finish() -> [Action] {
        takeInSettled()
        push()
        tellSelections()
        if showsPeers { actions.append(.showPeers) }
        showState()
        defer { (actions, showsPeers) = ([], false) }
        return actions
    }

    /// Nothing but an answer that is awaited keeps what is unsent from being sent.
    var maySend: Bool {
        link == .open && mode == .edit && rights == .write && refusal == nil && !isWaiting
    }

    private mutating func push() {
        guard maySend, let place else { return }
        if inFlight == nil {
            if draft.unsent.isEmpty { return }
            draft.send()
            let push = SentPush(place: place, seq: nextSeq, change: draft.inFlight)
            nextSeq = nextSeq.next
            inFlight = InFlight(push)
            actions.append(.push(push))
        } else if let push = inFlight?.push, inFlight?.outcome == .unknown {
            inFlight?.outcome = .awaited
            inFlight?.isRepeated = true
            actions.append(.push(push))
        }
    }

    /// Selections wait until nothing is unacked.
    // The server moves the ones it holds through the owner's pushes too, so a caret that types on needs no message;
    // and a place inside unacked text has no place in the committed one.
    private mutating func tellSelections() {
        guard link == .open, inFlight == nil, !draft.hasUnsaved else { return }
        if let selections = presence.selectionsToTell(at: revision) {
            actions.append(.select(at: revision, selections))
        }
    }

    private mutating func showState() {
        let now = currentState
        if state != now { actions.append(.show(now)) }
        state = now
    }

    var currentState: SavingState {
        if let refusal { return .refused(refusal) }
        switch link {
        case .closed(let refusal): return .refused(refusal)
        case .offline, .waiting, .opening: return place == nil && !isRestored ? .opening : .offline
        case .open: break
        }
        if !hasUnsaved { return .saved }
        return mode == .edit && rights == .write ? .sending : .refused(.forbidden)
    }

    /// Has a change of the view made.
    mutating func show(_ change: Change) {
        presence.viewChanged(by: change)
        own.viewChanged(by: change)
        if !change.isEmpty { actions.append(.edit(change)) }
        if !presence.peers.isEmpty { showsPeers = true }
    }

    /// Asks for the document, on from where the replica is if its text can be trusted.
    mutating func open() {
        link = .opening
        actions.append(.open(from: distrustsText ? nil : place, as: mode))
    }

    /// Closes the document and opens it again: at once the first time, then after longer and longer waits.
    mutating func reopen() {
        inFlight?.loseAnswer()
        actions.append(.close)
        let isFirst = openings.tries == 0
        let wait = openings.wait()
        if isFirst {
            open()
        } else {
            link = .waiting
            actions.append(.retry(after: wait))
        }
    }

    /// What the server says and what the replica has do not fit: it starts again from the whole text.
    package mutating func startAgain() {
        distrustsText = true
        reopen()
    }
}
