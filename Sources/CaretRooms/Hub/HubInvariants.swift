import CaretLog

extension HubState {
    /// Fails where a law is broken that holds behind every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("all actions were handed out", actions.isEmpty)
        try checkNames()
        try checkSessions()
        try checkFollowers()
    }

    private func checkNames() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "a name is that of the document that has it", names.allSatisfy { rooms[$0.value]?.name == $0.key }
        )
        try BrokenInvariant.check(
            "a document with a room is found by its name",
            rooms.allSatisfy { document, room in room.name.map { names[$0] == document } ?? true })
        try BrokenInvariant.check(
            "requests wait only for as long as their rooms end",
            endings.allSatisfy { document, until in rooms[document]?.waitsUntil == until }
                && rooms.allSatisfy { document, room in room.waitsUntil == endings[document] })
    }

    private func checkSessions() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "a session is in the room that is noted",
            sessions.allSatisfy { session, document in rooms[document]?.sessions.contains(session) ?? false })
        try BrokenInvariant.check(
            "a room has the sessions that are noted",
            rooms.allSatisfy { document, room in room.sessions.allSatisfy { sessions[$0] == document } })
        try BrokenInvariant.check(
            "who is slow has a session", slowSessions.allSatisfy { sessions[$0] != nil })
        try BrokenInvariant.check(
            "a connection has its sessions until they have ended",
            sessions.keys.allSatisfy { attendance[$0.connection]?.sessions.contains($0) ?? false })
    }

    private func checkFollowers() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "only who has not left follows", followers.keys.allSatisfy { attendance[$0] != nil })
        try BrokenInvariant.check(
            "commits are watched for those who follow, and only for them",
            feed.isWatched == !followers.isEmpty)
        try BrokenInvariant.check(
            "a reading waits for one who has not left", readings.keys.allSatisfy { attendance[$0] != nil })
        try BrokenInvariant.check(
            "a reading stands with its connection", readings.allSatisfy { $0.key == $0.value.connection })
    }
}

extension HubRoom {
    /// Until when requests wait for it to rename or delete its document.
    fileprivate var waitsUntil: Int64? {
        switch state {
        case .ending(let until): until
        case .loading, .open, .dropping, .changing: nil
        }
    }
}
