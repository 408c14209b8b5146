import CaretWire

/// What a connection does as time passes.
extension ConnectionState {
    /// Sets the time, in milliseconds. The time never goes back.
    package mutating func timePassed(_ time: Int64) -> [ConnectionAction] {
        now = max(now, time)
        if !mayBeDue { return [] }
        meetDueDeadlines()
        return finishEvent()
    }

    /// Whether a deadline may have passed.
    private var mayBeDue: Bool { now >= requestedWake ?? .max }

    /// Handles the deadlines that have passed.
    mutating func meetDueDeadlines() {
        if mayBeDue {
            requestedWake = nil
            meetDeadlines()
        }
    }

    private mutating func meetDeadlines() {
        if let due = closingDeadline, now >= due { return close() }
        if let due = outputDeadline, now >= due { return giveUpOutput() }
        if let due = inputDeadline, now >= due { return giveUpInput() }
        if let due = silenceDeadline, now >= due { breakSilence() }
    }

    /// Requests `timePassed` for the next deadline. When this deadline has passed, the following one is
    /// requested.
    mutating func wakeInTime() {
        // Computed without an array, because this runs after every event.
        let ends = min(closingDeadline ?? .max, outputDeadline ?? .max)
        let next = min(ends, inputDeadline ?? .max, min(silenceDeadline ?? .max, outputCheck ?? .max))
        guard next < requestedWake ?? .max else { return }
        requestedWake = next
        emit(.wake(at: next))
    }

    private var closingDeadline: Int64? {
        guard case .closing(let until, _) = phase else { return nil }
        return until
    }

    /// The deadline for a line: a fixed time after its beginning, and more time for each byte.
    private func lineEnd(_ since: Int64, bytes: Int) -> Int64 {
        since + Int64(limits.lineSeconds + bytes / limits.lineBytesPerSecond) * 1_000
    }

    /// The deadline for delivering bytes, and for delivering the first line.
    private var outputDeadline: Int64? {
        if output.isEmpty || isClosed { return nil }
        let seconds = limits.outputTimeoutSeconds(
            waiting: output.waiting, isUsedUp: settings.isOutputUsedUp)
        let stalled = output.deliveredAt + Int64(seconds) * 1_000
        return min(stalled, lineEnd(output.frontSince, bytes: output.frontLength))
    }

    /// When to look whether the server's memory for output is used up meanwhile, so that a client that accepts nothing
    /// must end sooner.
    private var outputCheck: Int64? {
        isClosed ? nil : limits.outputCheck(waiting: output.waiting, since: output.deliveredAt, at: now)
    }

    private var inputDeadline: Int64? {
        switch phase {
        case .expectingHello: return helloUntil
        case .welcomed:
            guard let since = input.incompleteSince, !input.isPaused else { return nil }
            return lineEnd(since, bytes: input.incompleteBytes)
        case .authenticating, .joining, .finishing, .closing, .closed: return nil
        }
    }

    /// Silence counts only while the connection reads.
    private var silenceDeadline: Int64? {
        guard case .welcomed = phase, !input.isPaused, !input.hasEnded else { return nil }
        switch silence {
        case .heard(let then), .pinged(let then): return then + Int64(limits.pingSeconds) * 1_000
        }
    }

    private mutating func giveUpOutput() {
        switch phase {
        // The last line could not be delivered in time, and a `bye` after it would have to wait too.
        case .closing: close()
        case .expectingHello, .authenticating, .joining, .welcomed, .finishing: say(goodbye: .tooSlow)
        case .closed: break
        }
    }

    private mutating func giveUpInput() {
        if case .expectingHello = phase {
            fail(.helloTimeout, "hello did not arrive within \(limits.helloSeconds) s", nil)
        } else {
            say(goodbye: .tooSlow)
        }
    }

    private mutating func breakSilence() {
        switch silence {
        case .heard:
            silence = .pinged(now)
            send(.ping(Ping()))
        case .pinged: say(goodbye: .idle)
        }
    }
}
