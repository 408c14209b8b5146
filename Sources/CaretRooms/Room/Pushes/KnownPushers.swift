import CaretCore
package import CaretLog

/// What the room knows of pushers: the highest committed push of each.
///
/// If the document has few pushers, and only this server uses the store, the room knows all of them and never asks the
/// store. Otherwise, a pusher is forgotten when it is no longer needed.
package struct KnownPushers: Sendable {
    enum PusherState: Equatable, Sendable {
        case lookingUp(Lookup)
        case known(PusherEntry?)
    }

    /// An unanswered store lookup of a pusher.
    struct Lookup: Equatable, Sendable {
        /// The requests that wait for the answer, in the order sent.
        var requests: [RoomRequest] = []
        /// The pusher's last revision that was committed during the lookup. An answer for a head before this
        /// revision is outdated.
        var committed: Revision?
    }

    /// The most pushers that a room knows although nobody needs them.
    package static let mostWithoutHolder = 32

    private var knowledge: [Pusher: PusherState] = [:]
    /// Whether a pusher that is not in `knowledge` has no committed push.
    private var isComplete: Bool
    /// How many sessions, pushes and running requests need each pusher.
    private var holders: [Pusher: Int] = [:]
    /// The pusher of each session whose open waits for a lookup.
    private var openers: [SessionID: Pusher] = [:]

    /// `all` are all pushers of the document, if they are known.
    package init(all: [KnownPusher]? = nil) {
        for known in all ?? [] { knowledge[known.pusher] = .known(known.entry) }
        isComplete = all != nil
    }

    subscript(pusher: Pusher) -> PusherState? { knowledge[pusher] ?? (isComplete ? .known(nil) : nil) }

    /// Whether no session, push or request needs any pusher.
    var areUnneeded: Bool {
        holders.isEmpty && !knowledge.values.contains { if case .lookingUp = $0 { true } else { false } }
    }

    /// The pusher of a session whose open waits for a lookup.
    func opener(of session: SessionID) -> Pusher? { openers[session] }

    /// The highest committed push; nil if there is none, or if it is not known.
    func entry(of pusher: Pusher) -> PusherEntry? {
        guard case .known(let entry)? = knowledge[pusher] else { return nil }
        return entry
    }

    /// Whether a push of this pusher waits for the lookup.
    func holdsPush(of pusher: Pusher) -> Bool {
        guard case .lookingUp(let lookup)? = knowledge[pusher] else { return false }
        return lookup.requests.holdsPush(of: pusher)
    }

    /// Whether a session, push or request needs a pusher.
    func isHeld(_ pusher: Pusher) -> Bool { holders[pusher] != nil }

    package func isKnown(_ pusher: Pusher) -> Bool {
        if case .known? = knowledge[pusher] { true } else { false }
    }

    // MARK: Lookups

    /// Begins a lookup, unless one is under way. Returns true if the caller must call the store.
    mutating func beginLookup(of pusher: Pusher) -> Bool {
        if case .lookingUp? = knowledge[pusher] { return false }
        knowledge[pusher] = .lookingUp(Lookup())
        return true
    }

    /// Makes a request wait for the lookup of its pusher. Returns the refusal if the request is refused.
    mutating func wait(_ request: RoomRequest, for pusher: Pusher) -> RequestRefusal? {
        guard case .lookingUp(var lookup)? = knowledge[pusher] else {
            preconditionFailure("a request waits for a lookup that was not begun")
        }
        if case .open(let opening) = request { openers[opening.session] = pusher }
        // The entry is removed first, so that its list of requests is not copied.
        knowledge[pusher] = .lookingUp(Lookup())
        defer { knowledge[pusher] = .lookingUp(lookup) }
        return lookup.requests.join(request)
    }

    /// Whether a push of this pusher was committed after this head. If so, the store's answer for this head
    /// does not contain that push.
    func isOutdated(_ pusher: Pusher, at head: Revision) -> Bool {
        guard case .lookingUp(let lookup)? = knowledge[pusher], let committed = lookup.committed else {
            return false
        }
        return head < committed
    }

    /// Ends a lookup with the store's answer. Returns the requests that waited for it.
    mutating func found(_ entry: PusherEntry?, of pusher: Pusher) -> [RoomRequest] {
        let requests = stopWaiting(for: pusher)
        knowledge[pusher] = .known(entry)
        return requests
    }

    /// Ends a lookup that the store could not answer. Returns the requests that waited for it.
    mutating func lookupFailed(_ pusher: Pusher) -> [RoomRequest] {
        let requests = stopWaiting(for: pusher)
        knowledge[pusher] = nil
        return requests
    }

    private mutating func stopWaiting(for pusher: Pusher) -> [RoomRequest] {
        guard case .lookingUp(let lookup)? = knowledge[pusher] else { return [] }
        for request in lookup.requests { openers[request.session] = nil }
        return lookup.requests
    }

    /// Replaces each waiting request with the result of `change`; nil removes the request.
    mutating func changeWaiting(_ change: (RoomRequest) -> RoomRequest?) {
        // The order of the dictionary does not matter, because requests of different pushers do not affect
        // each other.
        for (pusher, known) in knowledge {
            guard case .lookingUp(var lookup) = known else { continue }
            for request in lookup.requests { openers[request.session] = nil }
            lookup.requests = lookup.requests.compactMap(change)
            for case .open(let opening) in lookup.requests { openers[opening.session] = pusher }
            knowledge[pusher] = .lookingUp(lookup)
        }
    }

    /// All pushers with a lookup under way, in a deterministic order.
    var beingLookedUp: [Pusher] {
        knowledge.filter { if case .lookingUp = $0.value { true } else { false } }.keys.sorted()
    }

    // MARK: Commits

    /// Records a push that was committed by this room.
    package mutating func committed(_ entry: PusherEntry, by pusher: Pusher) {
        switch knowledge[pusher] {
        case .known: knowledge[pusher] = .known(entry)
        case .lookingUp(var lookup):
            lookup.committed = entry.revision
            knowledge[pusher] = .lookingUp(lookup)
        case nil:
            if isComplete { knowledge[pusher] = .known(entry) }
        }
    }

    /// Records a push that was read from the log. The log has no digests, so the pusher must be looked up
    /// again before repeats can be recognised.
    mutating func committed(_ revision: Revision, by pusher: Pusher) {
        switch knowledge[pusher] {
        case .known: knowledge[pusher] = nil
        case .lookingUp(var lookup):
            lookup.committed = revision
            knowledge[pusher] = .lookingUp(lookup)
        case nil: break
        }
        forgetUnheld()
    }

    /// Forgets everything except the lookups under way.
    mutating func forgetAll() {
        isComplete = false
        knowledge = knowledge.filter { if case .lookingUp = $0.value { true } else { false } }
    }

    // MARK: Holders

    package mutating func retain(_ pusher: Pusher) { holders[pusher, default: 0] += 1 }

    /// Undoes one `retain`. Forgets the pusher if it is no longer needed.
    package mutating func release(_ pusher: Pusher) {
        let left = (holders[pusher] ?? 1) - 1
        holders[pusher] = left > 0 ? left : nil
        if left > 0 || !isKnown(pusher) { return }
        if !isComplete || entry(of: pusher) == nil {
            knowledge[pusher] = nil
        } else if knowledge.count > KnownPushers.mostWithoutHolder,
            knowledge.keys.count(where: { holders[$0] == nil }) > KnownPushers.mostWithoutHolder
        {
            forgetUnheld()
        }
    }

    /// Stops knowing all pushers.
    private mutating func forgetUnheld() {
        if !isComplete { return }
        isComplete = false
        knowledge = knowledge.filter { holders[$0.key] != nil || !isKnown($0.key) }
    }
}

extension Pusher: Comparable {
    package static func < (left: Pusher, right: Pusher) -> Bool {
        (left.user, left.client) < (right.user, right.client)
    }
}
