package import CaretCore
import CaretRooms

extension WebState {
    /// Throws the first invariant that does not hold. All invariants must hold after every event.
    package func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check("every action was returned to the caller", actions.isEmpty)
        try BrokenInvariant.check(
            "the number of undelivered bytes is not negative", waitingOutput >= 0)
        try BrokenInvariant.check(
            "one member at most speaks for the client",
            [requester.isEmpty, socket.isEmpty, stream.isEmpty].count { !$0 } <= 1)
        try checkPhase()
        try checkRequest()
        try checkTime()
        try member?.checkInvariants()
    }

    private func checkPhase() throws(BrokenInvariant) {
        let isAnswering = if case .answering = phase { true } else { false }
        try BrokenInvariant.check(
            "a request is pending if, and only if, the connection is answering it",
            pending.isEmpty != isAnswering)
        switch phase {
        case .requests, .answering:
            try BrokenInvariant.check("only a connection that was upgraded has a WebSocket", socket.isEmpty)
        case .webSocket:
            try BrokenInvariant.check(
                "the WebSocket is open, and the member for HTTP requests was dropped",
                socket.value?.isOver == false && requester.isEmpty)
        case .events:
            try BrokenInvariant.check(
                "the event stream is open, and the member for HTTP requests was dropped",
                stream.value?.isOver == false && requester.isEmpty)
        case .closing, .closed:
            try BrokenInvariant.check(
                "a connection that is closing has no member for HTTP requests", requester.isEmpty)
        }
        let isPausing = if case .closed = phase { false } else { !wantsInput }
        try BrokenInvariant.check(
            "reading is paused if, and only if, the connection wants no input", isReadingPaused == isPausing)
    }

    private func checkRequest() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "all actions and messages of the member were handled", requester.value?.isSettled != false)
        try BrokenInvariant.check(
            "a member that has ended is dropped",
            requester.value?.isOver != true && requester.value?.state.isClosed != true)
        guard let pending = pending.value else { return }
        try BrokenInvariant.check(
            "a pending request has a member that speaks the protocol for it", !requester.isEmpty)
        try BrokenInvariant.check(
            "a pending request is in the phase `joining` until its member is welcomed",
            (pending.phase == .joining) == (requester.value?.isWelcomed == false))
        try BrokenInvariant.check(
            "a request in the phase `body` has a message for the body, and the body has not ended",
            pending.phase != .body || pending.frame != nil && !pending.body.isAtEnd)
        try BrokenInvariant.check(
            "a response is sent in parts only while its request waits for the server",
            !pending.hasBegunResponse || pending.phase == .waiting)
    }

    private func checkTime() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "the member is woken at the time that its state requested, or earlier",
            requester.value.map { $0.wakesAt ?? .max <= $0.state.requestedWake ?? .max } ?? true)
        let next = min(deadline ?? .max, wakeOfMember)
        try BrokenInvariant.check(
            "a wake is requested for each deadline, or for an earlier time", (wakes ?? .max) <= next)
    }
}
