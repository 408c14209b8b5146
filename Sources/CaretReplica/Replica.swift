package import CaretCore
package import CaretWire

/// One client's copy of one document: the committed text, the change in flight, the unsent change, and
/// selections.
///
/// A replica uses no clock, connection or disk. Each event is a method that returns actions for the replica's
/// owner to run. The owner uses a replica on one queue or task only. The owner passes in the server's
/// messages in order of arrival, and runs the actions in order. Offsets count UTF-16 code units.
///
/// Laws:
/// - `text` is the committed text with the change in flight and then the unsent change applied.
/// - A view that starts empty and applies all typed changes and all `.edit` actions, in order, shows `text`.
/// - Every change is committed once or not at all, even if messages are lost. The replica always resends a
///   push unchanged. The replica submits the edits under a new number only after the server has said that the
///   push was not committed and never will be.
package struct Replica: Sendable {
    package let mode: DocumentMode
    package var draft = Draft()
    package var inFlight: InFlight?
    package var presence = Presence()
    package var undoHistory = UndoHistory()
    /// The position of the committed text. Nil until the document has been opened for the first time.
    package var position: WirePosition?
    /// The number of the next new push. If this client has pushed to the document before, the owner must
    /// create the replica with a number above all used numbers.
    package var nextSeq: Seq
    package var rights = Rights.none
    package var state = SavingState.opening
    /// The replica was created from a saved replica, so it has a text before the document is opened.
    var isRestored = false

    package var link = ReplicaLink.offline
    /// Why the server refused the push in flight. The replica sends no push until the user has decided what
    /// to do.
    package var refusal: Refusal?
    /// The push in flight must not be resent until the delay of `ReplicaAction.retry` has passed.
    package var isWaiting = false
    /// The server has acked or reported a push of this client, so it would recognise a resent push.
    var isKnownToServer = false
    /// The committed text may differ from the server's, so the next open must ask for the full text.
    package var needsFullText = false
    var openBackoff = Backoff()
    var pushBackoff = Backoff()
    /// How often in a row edits were resubmitted under a new number.
    package var resubmissions = 0

    // The actions that the current event has caused so far.
    package var actions: [ReplicaAction] = []
    var peersChanged = false

    /// Creates a replica of a document that has not been opened yet. The user may edit it at once, as if its
    /// text were empty.
    package init(firstSeq: Seq = 1, mode: DocumentMode = .edit) {
        nextSeq = firstSeq
        self.mode = mode
    }
}

/// Whether a replica has its document open on the server.
package enum ReplicaLink: Equatable, Sendable {
    /// There is no connection.
    case offline
    /// The replica will open the document after a delay.
    case waiting
    /// A request to open was sent. Messages that arrive before the answer to this request belong to the
    /// previous open.
    case opening
    case open
    /// The document does not exist, or this client may not open it.
    case closed(Refusal)
}

extension Replica {
    /// The text that the user sees.
    package var text: TextBuffer { draft.text }

    /// The text that the server has committed at `position`.
    package var committed: TextBuffer { draft.committed }

    package var revision: Revision { position?.revision ?? 0 }

    package var hasUnsaved: Bool { inFlight != nil || draft.hasUnsaved }

    /// The change from `committed` to `text`: the edits that `discard` would drop.
    package var unsaved: Change { draft.inFlight.followed(by: draft.unsent) }

    package var canUndo: Bool { undoHistory.canUndo }
    package var canRedo: Bool { undoHistory.canRedo }

    /// The user's selections in the view. These selections move with every change of the view.
    package var selections: [Selection] { presence.own ?? [] }

    /// The peers' selections in the view.
    package var peers: [PeerSelections] {
        presence.peers.map { peer in
            var peer = peer
            peer.selections = peer.selections.map {
                $0.mapped(through: draft.inFlight).mapped(through: draft.unsent)
            }
            return peer
        }
    }
}

// Events that the user causes.
extension Replica {
    /// The user has changed the view. Throws and changes nothing if the change does not fit the view.
    ///
    /// `pause` is the time since the user's last change. Changes with a pause shorter than
    /// `UndoHistory.pause` are undone together.
    package mutating func typed(_ change: Change, after pause: Milliseconds? = nil) throws(ChangeError)
        -> [ReplicaAction]
    {
        let inverse = try change.inverted(in: draft.text)
        try draft.type(change)
        undoHistory.typed(change, inverse: inverse, after: pause)
        noteTyped(change)
        return finish()
    }

    /// Undoes the user's latest change that still has an effect. Changes by others stay.
    package mutating func undo() -> [ReplicaAction] {
        if let change = undoHistory.popUndo() { undoHistory.undone(inverse: makeInView(change)) }
        return finish()
    }

    /// Redoes the change that was undone last.
    package mutating func redo() -> [ReplicaAction] {
        if let change = undoHistory.popRedo() { undoHistory.redone(inverse: makeInView(change)) }
        return finish()
    }

    /// Applies an undo or redo to the view, and returns its inverse.
    private mutating func makeInView(_ change: Change) -> Change {
        do throws(ChangeError) {
            let inverse = try change.inverted(in: draft.text)
            try draft.type(change)
            noteTyped(change)
            actions.append(.edit(change))
            return inverse
        } catch {
            preconditionFailure("an undo or redo that was rebased to the view does not fit the view")
        }
    }

    private mutating func noteTyped(_ change: Change) {
        presence.viewChanged(by: change)
        if !presence.peers.isEmpty { peersChanged = true }
    }

    /// The user has selected something else in the view. Throws and changes nothing if a selection is outside
    /// the view or inside a character.
    package mutating func selected(_ selections: [Selection]) throws(TextError) -> [ReplicaAction] {
        for selection in selections {
            _ = try draft.text.length(before: selection.anchor)
            _ = try draft.text.length(before: selection.head)
        }
        presence.select(selections)
        return finish()
    }

    /// Tries refused edits again, perhaps after the user has changed them. Also ends the delay of a waiting
    /// retry.
    package mutating func retry() -> [ReplicaAction] {
        retryRefused()
        isWaiting = false
        switch link {
        case .waiting, .closed: open()
        case .offline, .opening, .open: break
        }
        return finish()
    }

    /// Drops all edits that are not committed.
    ///
    /// If the outcome of a push is unknown, the server may still commit it. Then its edits appear in the text
    /// again.
    package mutating func discard() -> [ReplicaAction] {
        show(draft.discard())
        inFlight = nil
        refusal = nil
        isWaiting = false
        return finish()
    }
}

// Events of the connection and the clock.
extension Replica {
    /// There is a connection, and the server has welcomed the client.
    package mutating func connected() -> [ReplicaAction] {
        guard link == .offline else { return finish() }
        openBackoff.reset()
        pushBackoff.reset()
        open()
        return finish()
    }

    /// The connection has ended.
    package mutating func disconnected() -> [ReplicaAction] {
        goOffline()
        return finish()
    }

    /// The delay of `ReplicaAction.retry` has passed.
    package mutating func timePassed() -> [ReplicaAction] {
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
        peersChanged = true
    }
}

extension Replica {
    /// Ends an event: sends a push or selections if possible, and returns all actions of the event.
    package mutating func finish() -> [ReplicaAction] {
        finishResolvedPush()
        push()
        sendSelections()
        if peersChanged { actions.append(.showPeers) }
        showState()
        defer { (actions, peersChanged) = ([], false) }
        return actions
    }

    /// Whether the replica may send pushes. A new push must also wait until no other push is in flight.
    var maySend: Bool {
        link == .open && mode == .edit && rights == .write && refusal == nil && !isWaiting
    }

    private mutating func push() {
        guard maySend, let position else { return }
        if inFlight == nil {
            if draft.unsent.isEmpty { return }
            draft.send()
            let push = SentPush(position: position, seq: nextSeq, change: draft.inFlight)
            nextSeq = nextSeq.next
            inFlight = InFlight(push)
            actions.append(.push(push))
        } else if let push = inFlight?.push, inFlight?.outcome == .unknown {
            inFlight?.outcome = .awaited
            inFlight?.wasResent = true
            actions.append(.push(push))
        }
    }

    /// Sends the selections if the server has acked all edits.
    // A caret that moves with the user's own typing needs no message, because the server moves selections
    // with this client's pushes too. While edits are not acked, selections cannot be sent: an offset inside
    // unacked text does not exist in the committed text.
    private mutating func sendSelections() {
        guard link == .open, inFlight == nil, !draft.hasUnsaved else { return }
        if let selections = presence.selectionsToSend(at: revision) {
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
        case .offline, .waiting, .opening: return position == nil && !isRestored ? .opening : .offline
        case .open: break
        }
        if !hasUnsaved { return .saved }
        return mode == .edit && rights == .write ? .sending : .refused(.forbidden)
    }

    /// Applies a change to the view.
    mutating func show(_ change: Change) {
        presence.viewChanged(by: change)
        undoHistory.viewChanged(by: change)
        if !change.isEmpty { actions.append(.edit(change)) }
        if !presence.peers.isEmpty { peersChanged = true }
    }

    /// Opens the document: from the replica's position, unless it needs the full text.
    mutating func open() {
        link = .opening
        actions.append(.open(from: needsFullText ? nil : position, as: mode))
    }

    /// Closes the document and opens it again. The first reopening is immediate. Later reopenings follow
    /// after growing delays.
    mutating func reopen() {
        inFlight?.loseAnswer()
        actions.append(.close)
        let isFirst = openBackoff.failures == 0
        let delay = openBackoff.nextDelay()
        if isFirst {
            open()
        } else {
            link = .waiting
            actions.append(.retry(after: delay))
        }
    }

    /// Opens the document again with the full text, because the server's messages do not fit the replica.
    package mutating func reloadText() {
        needsFullText = true
        reopen()
    }
}
