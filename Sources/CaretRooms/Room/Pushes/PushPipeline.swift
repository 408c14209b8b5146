package import CaretCore
package import CaretLog
import CaretWire

/// The pushes that a room has accepted and not resolved: at most one per pusher.
package struct PushPipeline: Sendable {
    private var pending: [Pusher: PendingPush] = [:]
    /// The pushers whose push is ready, in the order in which they became ready.
    private var ready: [Pusher] = []
    package private(set) var inFlight: SegmentInFlight? { didSet { isAppending = inFlight != nil } }
    /// Whether a segment is in flight. Every event needs this, and reading it from the segment would copy the
    /// segment.
    private(set) var isAppending = false
    /// How many appends in a row lost against another writer.
    private(set) var conflicts = 0
    /// The computation that all other pushes wait for.
    private var priority: WorkID?

    package subscript(pusher: Pusher) -> PendingPush? { pending[pusher] }

    /// Whether a pending push is a whole text or a restore, or gets the whole text as its answer. Checks all pushes.
    var needWholeText: Bool { pending.contains { $0.value.push.needsWholeText } }
    var isEmpty: Bool { pending.isEmpty && !isAppending }
    /// Whether all other pushes wait for the computation of an expensive push.
    var isHeldUp: Bool { priority != nil }
    /// All pushers with a push here, in a deterministic order.
    var pushers: [Pusher] { pending.keys.sorted() }

    /// The pushers whose push is at a stage that `holds` accepts, in a deterministic order.
    func pushers(where holds: (PendingPush.Stage) -> Bool) -> [Pusher] {
        pending.filter { holds($0.value.stage) }.keys.sorted()
    }

    /// Whether this pusher's push is pending and its answer goes to this session.
    func owesAnswer(to session: SessionID, of pusher: Pusher) -> Bool {
        pending[pusher]?.push.session == session
    }

    // MARK: One push

    package mutating func add(_ push: PendingPush) { pending[push.push.pusher] = push }

    /// Removes a push. The caller sends the answer.
    mutating func remove(_ pusher: Pusher) -> PendingPush? {
        guard let removed = pending.removeValue(forKey: pusher) else { return nil }
        switch removed.stage {
        case .ready: ready.removeAll { $0 == pusher }
        case .computing(let id, _): if priority == id { priority = nil }
        case .needsText, .needsHistory, .inFlight: break
        }
        return removed
    }

    /// A pending push was sent again. The answer goes to the session that sent it last.
    mutating func repeated(_ push: RoomPush) {
        pending[push.pusher]?.repeated(push)
    }

    /// Redirects the answer of a pending push to a newer session of its pusher, although that session did not
    /// send it.
    mutating func moveAnswer(of pusher: Pusher, to session: SessionID) {
        guard let known = pending[pusher], known.push.session != session else { return }
        pending[pusher]?.push.session = session
        pending[pusher]?.push.id = nil
        pending[pusher]?.hasMoved = true
    }

    /// The pushers whose answer goes to this session. Checks all pushes.
    func pushers(answeredTo session: SessionID) -> [Pusher] {
        pending.filter { $0.value.push.session == session }.keys.sorted()
    }

    mutating func setRights(_ rights: Rights, of pusher: Pusher, in session: SessionID) {
        if owesAnswer(to: session, of: pusher) { pending[pusher]?.push.rights = rights }
    }

    mutating func setTarget(_ text: TextBuffer, of pusher: Pusher) { pending[pusher]?.target = text }

    package mutating func waitForHistory(_ pusher: Pusher, _ change: Change, at revision: Revision) {
        pending[pusher]?.stage = .needsHistory(change, at: revision)
    }

    mutating func becameReady(_ pusher: Pusher, _ intent: PushIntent, at revision: Revision) {
        guard let index = pending.index(forKey: pusher) else { return }
        pending.values[index].stage = .ready(intent, at: revision)
        if pending.values[index].hasPriority { ready.insert(pusher, at: 0) } else { ready.append(pusher) }
    }

    // MARK: Background work

    package mutating func beginComputing(_ pusher: Pusher, as id: WorkID, at revision: Revision) {
        guard let index = pending.index(forKey: pusher) else { return }
        pending.values[index].stage = .computing(id, at: revision)
        pending.values[index].rounds += 1
        if pending.values[index].hasPriority { priority = id }
    }

    /// Ends a background computation. Returns its push and the revision for which the change was computed;
    /// nil if no push waits for this computation.
    mutating func endComputing(_ id: WorkID) -> (known: PendingPush, revision: Revision)? {
        if priority == id { priority = nil }
        for known in pending.values {
            if case .computing(id, let revision) = known.stage { return (known, revision) }
        }
        return nil
    }

    // MARK: The segment

    /// Removes and returns the pushers that are ready, to plan a segment. `returnReady` puts back those that
    /// the segment does not contain.
    package mutating func takeReady() -> [Pusher] {
        defer { ready = [] }
        return ready
    }

    package mutating func returnReady(_ pushers: ArraySlice<Pusher>) {
        if !pushers.isEmpty { ready = pushers + ready }
    }

    var hasReady: Bool { !ready.isEmpty }
    var readyCount: Int { ready.count }

    package mutating func joinSegment(_ pusher: Pusher) { pending[pusher]?.stage = .inFlight }

    mutating func append(_ segment: SegmentInFlight) { inFlight = segment }

    package mutating func endAppend() { inFlight = nil }

    /// Marks the segment as uncertain: the store could not say whether it is on disk. A read of the log will
    /// show whether it is on disk.
    mutating func outcomeIsUnknown() { inFlight?.isUncertain = true }

    /// Resets the count of conflicts, because no other writer was first.
    mutating func endConflict() { conflicts = 0 }

    /// Counts a conflict, because another writer was first.
    package mutating func noteConflict() { conflicts += 1 }

    /// Ends an append that did not commit its segment. The pushes go to the front of the next segment.
    package mutating func returnSegment() {
        guard let segment = inFlight else { return }
        inFlight = nil
        var returned: [Pusher] = []
        for member in segment.plan.members {
            let pusher = member.push.pusher
            guard pending[pusher]?.stage == .inFlight else { continue }
            pending[pusher]?.stage = .ready(member.intent, at: segment.plan.head.revision)
            returned.append(pusher)
        }
        ready = returned + ready
    }

    /// Drops everything, because the room is closed. The room has already refused all pushes.
    mutating func close() { (inFlight, ready, priority, conflicts) = (nil, [], nil, 0) }
}

// MARK: Invariants

extension PushPipeline {
    func checkInvariants(at head: Revision) throws(BrokenInvariant) {
        let isReady = pending.filter { if case .ready = $0.value.stage { true } else { false } }
        try BrokenInvariant.check(
            "`ready` lists each push that is ready exactly once",
            ready.count == isReady.count && ready.allSatisfy { isReady[$0] != nil })
        try BrokenInvariant.check(
            "pushes wait for another push's computation only while the computation runs",
            priority.map { id in
                pending.values.contains { if case .computing(id, _) = $0.stage { true } else { false } }
            } ?? true)
        let waiting = pending.values.filter { $0.stage == .inFlight }.map(\.push.pusher)
        guard let inFlight else {
            return try BrokenInvariant.check("no push is in flight without an append", waiting.isEmpty)
        }
        let members = Set(inFlight.plan.members.map(\.push.pusher))
        try BrokenInvariant.check(
            "the append contains each push that is in flight", waiting.allSatisfy { members.contains($0) })
        try BrokenInvariant.check(
            "the append expects the current head, unless the outcome of the append is unknown",
            inFlight.append.expected == head || inFlight.isUncertain)
    }
}
