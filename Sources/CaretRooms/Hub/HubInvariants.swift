package import CaretCore
import CaretLog

extension HubState {
    /// Throws the first invariant that does not hold. All invariants must hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("every action was returned to the caller", actions.isEmpty)
        try checkNames()
        try checkSessions()
        try checkFollowers()
        try checkTokenEnds()
        try checkSignOuts()
        try checkRemoteChanges()
    }

    private func checkNames() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "each entry of `names` has the current name of its document",
            names.allSatisfy { rooms[$0.value]?.name == $0.key }
        )
        try BrokenInvariant.check(
            "each document with a room is found by its name, unless another document took the name",
            rooms.allSatisfy { document, room in
                room.name.map { (names[$0] == document) != room.isNameReassigned } ?? !room.isNameReassigned
            })
        try BrokenInvariant.check(
            "requests wait for the opening of a document only while the store is called to open it",
            Set(openings.keys) == Set(calls.values.compactMap(\.openedName)))
        try BrokenInvariant.check(
            "`orderDeadlines` has the deadline of each room that renames or deletes its document",
            rooms.allSatisfy { document, room in
                room.waitsUntil.map { orderDeadlines.contains(OrderDeadline(document: document, until: $0)) }
                    ?? true
            })
        try BrokenInvariant.check(
            "`orderDeadlines` is sorted by time",
            zip(orderDeadlines, orderDeadlines.dropFirst()).allSatisfy { $0.until <= $1.until }
        )
    }

    private func checkSessions() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "each session is in the room that `sessions` names",
            sessions.allSatisfy { session, document in rooms[document]?.sessions.contains(session) ?? false })
        try BrokenInvariant.check(
            "`sessions` names the room of each session",
            rooms.allSatisfy { document, room in room.sessions.allSatisfy { sessions[$0] == document } })
        try BrokenInvariant.check(
            "each session in `slowSessions` exists", slowSessions.allSatisfy { sessions[$0] != nil })
        try BrokenInvariant.check(
            "each connection in `rejoiningConnections` is leaving",
            rejoiningConnections.keys.allSatisfy { joinedConnections.isLeaving($0) })
        try BrokenInvariant.check(
            "each session belongs to a connection that lists it",
            sessions.keys.allSatisfy { joinedConnections[$0.connection]?.sessions.contains($0) ?? false })
    }

    private func checkFollowers() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "each follower is a known connection", followers.keys.allSatisfy { joinedConnections[$0] != nil })
        try BrokenInvariant.check(
            "updates of documents are kept if, and only if, there is a follower",
            feed.isWatched == !followers.isEmpty)
        try feed.checkInvariants()
        try BrokenInvariant.check(
            "each waiting read belongs to a known connection",
            waitingReads.keys.allSatisfy { joinedConnections[$0] != nil })
        try BrokenInvariant.check(
            "each waiting read is stored under its own connection",
            waitingReads.allSatisfy { $0.key == $0.value.connection })
        let blaming = waitingBlames.map(\.request.connection)
        try BrokenInvariant.check(
            "requests about who changed texts wait for known connections, one for each at most",
            Set(blaming).count == blaming.count && blaming.allSatisfy { joinedConnections[$0] != nil })
        try BrokenInvariant.check(
            "a request about who changed a text waits only while the store has enough of them",
            waitingBlames.isEmpty || blames >= HubState.mostBlames)
    }

    private func checkTokenEnds() throws(BrokenInvariant) {
        let joined = joinedConnections.connections.compactMap { joinedConnections[$0] }
        try BrokenInvariant.check(
            "no token ends before the next known end of its kind",
            joined.allSatisfy { one in
                one.end ?? .max >= joinedConnections.nextEnds[one.identity.credential.clock] ?? .max
            })
        try BrokenInvariant.check(
            "the hub wakes when the next token ends, or earlier to look at the wall clock",
            nextTokenCheck.map { $0 >= requestedWake ?? .max } ?? true)
    }

    private func checkSignOuts() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "sign-outs are being read if, and only if, an answer of the store is awaited",
            signOuts.isBeingRead == calls.values.contains(.readSignOuts))
        try BrokenInvariant.check(
            "a sign-in waits only until the sign-outs were read for the first time",
            waitingSignIns.isEmpty || signOuts.isBeingRead && !signOuts.wereRead)
        try BrokenInvariant.check(
            "no connection that joined has a token that was signed out",
            joinedConnections.connections.allSatisfy { connection in
                guard let joined = joinedConnections[connection], joined.isSignedIn,
                    joinedConnections.isPresent(connection),
                    case .signed(let signed) = joined.identity.credential
                else { return true }
                return !signOuts.contain(signed, of: joined.identity.user)
            })
    }

    private func checkRemoteChanges() throws(BrokenInvariant) {
        guard let remoteChanges else { return }
        try remoteChanges.checkInvariants(isComparing: calls.values.contains(.comparison))
        try BrokenInvariant.check(
            "the hub wakes for the next sweep", remoteChanges.nextTime >= requestedWake ?? .max)
    }
}

extension HubState.Call {
    /// The name of the document that the store is called to open.
    fileprivate var openedName: DocumentName? {
        guard case .lookUp(let waiting) = self, waiting.isOpening else { return nil }
        return waiting.request.question.document?.name
    }
}

extension HubRoom {
    /// The deadline of an order to rename or delete the document; nil if there is no such order. Requests for
    /// the document wait until the order is done or this time has passed.
    fileprivate var waitsUntil: Int64? {
        switch state {
        case .runningOrder(let until): until
        case .dropping(let orderUntil): orderUntil
        case .open, .changingInStore: nil
        }
    }
}
