package import CaretCore
package import CaretLog
import CaretWire

/// Whether the store may have more than the head.
enum CatchUp: Equatable, Sendable {
    case none
    /// What is behind the head is being read.
    case reading
    /// The store could not say; it is asked again.
    case resting
}

/// The way back to the store's head: after a conflict, an unknown outcome, or news of a revision that is not known.
extension RoomState {
    mutating func readBehindHead() { if catchUp == .none { readOn() } }

    mutating func readOn() {
        catchUp = .reading
        // An answer to an earlier question may come first, and may be from before the store named that head.
        readingReaches = reads[head] == nil ? storeHead : 0
        // Not what was asked before: it may be from before what it is to tell.
        reads[head, default: 0] += 1
        ask(.read(after: head))
    }

    /// Asks for what is behind a revision, once for all who wait for that.
    mutating func read(after revision: Revision) {
        if reads[revision] != nil { return }
        reads[revision] = 1
        ask(.read(after: revision))
    }

    private mutating func noteRead(after revision: Revision) {
        let left = (reads[revision] ?? 1) - 1
        reads[revision] = left > 0 ? left : nil
    }

    /// The store's answer to `read`.
    package mutating func historyRead(
        after revision: Revision, _ result: Result<Reading, HistoryRefusal>
    ) -> [RoomAction] {
        storeCalls -= 1
        noteRead(after: revision)
        if over != nil { return finished() }
        switch result {
        case .success(let reading) where reading.segment.first != revision.next:
            // Nobody may be told what is of another place, nor be moved over it.
            findDamage()
            return finished()
        case .failure(.refused(.damaged)), .failure(.wrongText):
            damage()
            return finished()
        case .failure(.refused(.gone)): needReload()
        case .failure(.refused(.full)), .failure(.refused(.failed)): letStoreRest()
        case .failure(.ahead), .failure(.trimmed), .success: break
        }
        if catchUp == .reading, revision == head { takeIn(result) }
        if over == nil { follow(after: revision, result) }
        if over == nil { answerRepeats(behind: revision, result) }
        if over == nil { serve(from: revision, result) }
        return finished()
    }

    /// Takes in what the log has behind the head.
    private mutating func takeIn(_ result: Result<Reading, HistoryRefusal>) {
        switch result {
        case .success(let reading):
            for logged in reading.segment.changes where over == nil { takeIn(logged) }
            if over != nil { return }
            if head < reading.head { return readOn() }
            // The store has less than it said: to ask again would never end.
            if head < readingReaches { return findDamage() }
            if head < storeHead { return readOn() }
            endCatchUp()
            headMoved()
        case .failure(.refused(.full)), .failure(.refused(.failed)): catchUp = .resting
        // The store's history is another than the room's. Whoever waits for its head waits for the reload.
        case .failure:
            endCatchUp()
            needReload()
        }
    }

    private mutating func endCatchUp() {
        catchUp = .none
        // What of an uncertain segment is not in the log is not on disk, and is appended again.
        if let segment = inFlight { giveBack(segment) }
    }

    /// Takes in a revision as the log has it. Where a push of its pusher is on its way it may be this one, which what
    /// the store knows of him tells.
    mutating func takeIn(_ logged: LoggedChange) {
        // A log that does not fit its text is damage, whatever it is that does not.
        guard let change = try? logged.change, let text = try? window.head.text.applying(change) else {
            return findDamage()
        }
        let pusher = logged.pusher
        var committed = Committed(revision: head.next, logged: logged, change: change, text: text)
        if !logged.fits(limits.announced.serverList) {
            let joined = change.joined(making: text, toBytes: limits.announced.serverList)
            committed = Committed(
                revision: head.next, logged: logged.with(joined, in: window.head.text), change: joined,
                text: text)
        }
        if let segment = inFlight, segment.isUncertain, pending[pusher]?.push.seq == logged.seq,
            let own = segment.holds(logged, at: committed.revision),
            own.digest == pending[pusher]?.push.digest
        {
            conflicts = 0
            return settle(pusher, as: committed)
        }
        pushers.committed(committed.revision, by: pusher)
        take(committed)
        judgeAgain(pusher)
    }
}
