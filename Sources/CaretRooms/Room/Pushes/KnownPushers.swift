import CaretCore
package import CaretLog

/// What is known of pushers: each one's highest committed push, kept while somebody needs it.
package struct KnownPushers: Sendable {
    enum Knowledge: Equatable, Sendable {
        case asked(Asked)
        case known(PusherEntry?)
    }

    /// The store was asked.
    struct Asked: Equatable, Sendable {
        /// What waits for its answer, in its order.
        var requests: [RoomRequest] = []
        /// The last revision of his that was committed since: an answer from before it is not the last word.
        var pushed: Revision?
    }

    private var knowledge: [Pusher: Knowledge] = [:]
    /// How many sessions, pushes and requests at work need a pusher.
    private var holders: [Pusher: Int] = [:]
    /// Who is opening, of the sessions that wait.
    private var openers: [SessionID: Pusher] = [:]

    subscript(pusher: Pusher) -> Knowledge? { knowledge[pusher] }

    var isEmpty: Bool { knowledge.isEmpty }

    /// Whose opening waits.
    func opener(of session: SessionID) -> Pusher? { openers[session] }

    /// The highest committed push; nil where there is none or it is not known.
    func entry(of pusher: Pusher) -> PusherEntry? {
        guard case .known(let entry)? = knowledge[pusher] else { return nil }
        return entry
    }

    /// Whether a push of his waits until he is known.
    func holdsPush(of pusher: Pusher) -> Bool {
        if case .asked(let asked)? = knowledge[pusher] { asked.requests.holdsPush(of: pusher) } else { false }
    }

    /// Whether a session, push or request needs what is known of a pusher.
    func isHeld(_ pusher: Pusher) -> Bool { holders[pusher] != nil }

    package func isKnown(_ pusher: Pusher) -> Bool {
        if case .known? = knowledge[pusher] { true } else { false }
    }

    // MARK: Asking

    /// Lets the store be asked for a pusher who is needed; true where it was not asked yet.
    mutating func ask(for pusher: Pusher) -> Bool {
        if case .asked? = knowledge[pusher] { return false }
        knowledge[pusher] = .asked(Asked())
        return true
    }

    /// Lets a request wait until the pusher is known, for which the store was asked; or refuses it.
    mutating func wait(_ request: RoomRequest, for pusher: Pusher) -> RequestRefusal? {
        guard case .asked(var asked)? = knowledge[pusher] else {
            preconditionFailure("a request waits for an answer that nobody asked for")
        }
        if case .open(let opening) = request { openers[opening.session] = pusher }
        // Taken out, so that its requests are not copied.
        knowledge[pusher] = .asked(Asked())
        defer { knowledge[pusher] = .asked(asked) }
        return asked.requests.join(request)
    }

    /// An answer from this head misses what the pusher has pushed since.
    func isOutdated(_ pusher: Pusher, at head: Revision) -> Bool {
        guard case .asked(let asked)? = knowledge[pusher], let pushed = asked.pushed else { return false }
        return head < pushed
    }

    /// Takes the store's answer; what waited for it goes on.
    mutating func found(_ entry: PusherEntry?, of pusher: Pusher) -> [RoomRequest] {
        let requests = stopWaiting(for: pusher)
        knowledge[pusher] = .known(entry)
        return requests
    }

    /// The store could not answer.
    mutating func notFound(_ pusher: Pusher) -> [RoomRequest] {
        let requests = stopWaiting(for: pusher)
        knowledge[pusher] = nil
        return requests
    }

    private mutating func stopWaiting(for pusher: Pusher) -> [RoomRequest] {
        guard case .asked(let asked)? = knowledge[pusher] else { return [] }
        for request in asked.requests { openers[request.session] = nil }
        return asked.requests
    }

    /// Puts others in place of the requests that wait; nil takes one away.
    mutating func changeWaiting(_ change: (RoomRequest) -> RoomRequest?) {
        // Each pusher's own requests keep their order, and no two pushers' are joined here.
        for (pusher, known) in knowledge {
            guard case .asked(var asked) = known else { continue }
            for request in asked.requests { openers[request.session] = nil }
            asked.requests = asked.requests.compactMap(change)
            for case .open(let opening) in asked.requests { openers[opening.session] = pusher }
            knowledge[pusher] = .asked(asked)
        }
    }

    /// All pushers whose answer is waited for, in an order that is the same everywhere.
    var asked: [Pusher] {
        knowledge.filter { if case .asked = $0.value { true } else { false } }.keys.sorted()
    }

    // MARK: What is committed

    /// A push of his was committed.
    package mutating func committed(_ entry: PusherEntry, by pusher: Pusher) {
        switch knowledge[pusher] {
        case .known: knowledge[pusher] = .known(entry)
        case .asked(var asked):
            asked.pushed = entry.revision
            knowledge[pusher] = .asked(asked)
        case nil: break
        }
    }

    /// A push of his was read from the log, which does not say by what its repeat is known.
    mutating func committed(_ revision: Revision, by pusher: Pusher) {
        switch knowledge[pusher] {
        case .known: knowledge[pusher] = nil
        case .asked(var asked):
            asked.pushed = revision
            knowledge[pusher] = .asked(asked)
        case nil: break
        }
    }

    /// Nothing that is known of anybody is so any more.
    mutating func forgetAll() {
        knowledge = knowledge.filter { if case .asked = $0.value { true } else { false } }
    }

    // MARK: Who is needed

    package mutating func retain(_ pusher: Pusher) { holders[pusher, default: 0] += 1 }

    /// What is known is forgotten with the last who needs it.
    package mutating func release(_ pusher: Pusher) {
        let left = (holders[pusher] ?? 1) - 1
        holders[pusher] = left > 0 ? left : nil
        if left <= 0, isKnown(pusher) { knowledge[pusher] = nil }
    }
}

extension Pusher: Comparable {
    package static func < (left: Pusher, right: Pusher) -> Bool {
        (left.user, left.client) < (right.user, right.client)
    }
}
