import CaretCore
import CaretLog
import CaretWire

/// Catching up with the store's head: after a conflict, an unknown outcome, or a revision that the room does
/// not know.
extension RoomState {
    mutating func readAfterHead() { if catchUp.isIdle { forceReadAfterHead() } }

    /// Reads the revisions after the head, even if such a read is under way. That read may have begun too
    /// early.
    mutating func forceReadAfterHead() {
        catchUp.begin(isAlreadyReading: queries.isReading(after: head))
        callRead(after: head)
    }

    /// Reads the revisions after this one, unless such a read is under way. All sessions that need these
    /// revisions share the read.
    mutating func read(after revision: Revision) {
        if !queries.isReading(after: revision) { callRead(after: revision) }
    }

    private mutating func callRead(after revision: Revision) {
        // The limit is as much as a session can receive at once.
        call(.read(log.document, after: revision, limit: limits.creditBytes))
    }

    /// Handles the store's answer to a `read` call.
    mutating func historyRead(
        after revision: Revision, _ result: Result<HistorySlice, HistoryRefusal>
    ) {
        let waiting = queries.endReading(after: revision)
        if closedWith != nil { return }
        switch result {
        case .success(let reading) where reading.segment.first != revision.next:
            // The answer begins at another revision than requested. It must be neither sent nor used for
            // rebasing.
            reportDamage()
        case .failure(.refused(.damaged)), .failure(.wrongText): closeAsDamaged()
        case .failure(.refused(.gone)): requestReload()
        case .failure(.refused(.full)), .failure(.refused(.failed)), .failure(.refused(.away)): backOff()
        case .failure(.ahead), .failure(.trimmed), .success: break
        }
        if closedWith == nil, catchUp.phase == .reading, revision == head { apply(result) }
        if closedWith == nil { rebaseWaiting(after: revision, result) }
        if closedWith == nil { answerRepeats(after: revision, result) }
        if closedWith == nil { serve(waiting, from: revision, result) }
    }

    /// Applies the revisions that the store has after the room's head.
    private mutating func apply(_ result: Result<HistorySlice, HistoryRefusal>) {
        switch result {
        case .success(let reading):
            for logged in reading.segment.changes where closedWith == nil { apply(logged) }
            if closedWith != nil { return }
            if head < reading.head { return forceReadAfterHead() }
            // The store has fewer revisions than it reported, so reading again would never end.
            if head < catchUp.mustReach { return reportDamage() }
            if head < catchUp.storeHead { return forceReadAfterHead() }
            endCatchUp()
            headMoved()
        case .failure(.refused(.full)), .failure(.refused(.failed)), .failure(.refused(.away)):
            catchUp.backOff()
        // The store has another history than the room. Pushers that waited for the head to move now wait for
        // the reload.
        case .failure:
            endCatchUp()
            requestReload()
        }
    }

    private mutating func endCatchUp() {
        catchUp.end()
        // If the log does not contain the pushes of an uncertain segment, they are not on disk. So they are
        // appended again.
        pushes.returnSegment()
    }

    /// Applies a revision from the store's log. If it is a push of the uncertain segment, that push is
    /// resolved. If it is another push, a pending push of the same pusher is validated again.
    mutating func apply(_ logged: LoggedChange) {
        // If a change does not fit the text before it, the log is damaged.
        guard let change = try? logged.change, let text = try? self.text.applying(change) else {
            return reportDamage()
        }
        let pusher = logged.pusher
        var committed = Committed(revision: head.next, logged: logged, change: change, text: text)
        if !logged.fits(limits.announced.serverList) {
            let joined = change.joined(making: text, toBytes: limits.announced.serverList)
            committed = Committed(
                revision: head.next, logged: logged.with(joined, in: self.text), change: joined, text: text)
        }
        if let segment = pushes.inFlight, segment.isUncertain, pushes[pusher]?.push.seq == logged.seq,
            let own = segment.change(matching: logged, at: committed.revision),
            own.digest == pushes[pusher]?.push.digest
        {
            pushes.endConflict()
            return resolve(pusher, as: committed)
        }
        pushers.committed(committed.revision, by: pusher)
        apply(committed)
        validateAgain(pusher)
    }

    /// Uses the answers that waited for the head to move, and reads on if a hint names a later revision.
    mutating func headMoved() {
        for late in catchUp.takeWaiting() where closedWith == nil { found(late.answer, of: late.pusher) }
        if closedWith == nil { followHint() }
    }

    /// Looks up again the pushers whose answers waited, because the answers may belong to an older history.
    mutating func lookUpWaiting() {
        for late in catchUp.takeWaiting() { lookUp(late.pusher) }
    }

    // MARK: Hints of other servers

    /// Another server says that the store has at least this revision. A hint may be late, repeated or wrong.
    mutating func storeHead(is revision: Revision) {
        if closedWith != nil { return }
        catchUp.noteHint(revision)
        followHint()
    }

    /// Reads the revisions that a hint promises. An append in flight or a reload reports the store's head,
    /// so the hint waits for its end. If the next append takes the store's lock, that append reads these revisions, so
    /// the hint waits for it too.
    mutating func followHint() {
        if catchUp.isHinted(beyond: head), !pushes.isAppending, !isLockedAppendNext, !pause.awaits(.reload) {
            readAfterHead()
        }
    }
}
