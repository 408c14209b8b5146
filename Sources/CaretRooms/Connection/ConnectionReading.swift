import CaretLog
import CaretWire

/// Reading bytes and lines.
extension ConnectionState {
    /// Handles received bytes. The buffer is valid only during the call.
    ///
    /// If the server was busy, the bytes may have arrived long before `time`. So they are handled before any
    /// deadline is checked.
    package mutating func received(_ bytes: UnsafeRawBufferPointer, at time: Int64) -> [ConnectionAction] {
        now = max(now, time)
        silence = .heard(now)
        switch phase {
        case .closed: break
        case .closing(let until, let dropped):
            phase = .closing(until: until, droppedBytes: dropped + bytes.count)
            if dropped + bytes.count > limits.closingBytes { close() }
        case .finishing: break
        case .expectingHello, .authenticating, .joining, .welcomed: read(bytes)
        }
        meetDueDeadlines()
        return finishEvent()
    }

    package mutating func received(_ bytes: [UInt8], at time: Int64) -> [ConnectionAction] {
        bytes.withUnsafeBytes { received($0, at: time) }
    }

    /// Handles the end of a message, after all its bytes were received. If `head` is given, only the first `head` bytes
    /// are JSON: a push with an empty text. The other bytes are the text of the push.
    ///
    /// Only connections with the framing `messages` get this event, and only while reading is not paused.
    package mutating func messageEnded(
        withTextAfter head: Int? = nil, at time: Int64
    ) -> [ConnectionAction] {
        now = max(now, time)
        if mayRead,
            case .line(let result, let bytes) = head.map({ input.endText(after: $0) }) ?? input.endMessage()
        {
            handle(result, bytes)
        }
        meetDueDeadlines()
        return finishEvent()
    }

    /// Handles the end of a message that is not one of this protocol, and returns its bytes. Nil if the connection is ending.
    package mutating func messageTaken(
        at time: Int64
    ) -> (message: [UInt8]?, actions: [ConnectionAction]) {
        now = max(now, time)
        let message = mayRead ? input.takeMessage() : nil
        meetDueDeadlines()
        return (message, finishEvent())
    }

    /// Adapts the reserved budget to the incomplete message. The caller sends this event after each group of
    /// received bytes, because its answer must arrive before any more input.
    package mutating func claimForMessage() -> [ConnectionAction] {
        claim()
        return finishEvent()
    }

    /// The peer has stopped sending. The peer may still read.
    package mutating func inputEnded() -> [ConnectionAction] {
        input.hasEnded = true
        return finishEvent()
    }

    /// The connection broke, or was closed.
    package mutating func connectionLost() -> [ConnectionAction] {
        close()
        return finishEvent()
    }

    /// This many bytes of output were delivered.
    package mutating func written(_ bytes: Int) -> [ConnectionAction] {
        let delivered = output.delivered(bytes, at: now)
        delivered.forEachSession { countDelivered($1, of: $0) }
        if delivered.endsDocuments, isWelcomed { emit(.deliveredDocuments) }
        return finishEvent()
    }

    private mutating func countDelivered(_ bytes: Int, of session: SessionID) {
        // Delivered bytes are reported to the room once they are at least `some`. The credit of a session is
        // four times `some`, so a room never waits for a smaller report.
        let some = limits.creditBytes / 4
        guard let delivered = documents.countDelivered(bytes, of: session, reportingEvery: some) else {
            return
        }
        sendToRoom(.written(session, bytes: delivered), of: session)
    }

    /// The server's budget is too small for more bytes of the incomplete line.
    package mutating func lineRefused() -> [ConnectionAction] {
        input.claimRefused()
        switch phase {
        case .welcomed:
            fail(.overloaded, "the server has no memory left for another long line; try again later", nil)
            beginClosing(.refused(.overloaded))
        case .expectingHello, .authenticating, .joining, .finishing, .closing, .closed: break
        }
        return finishEvent()
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) {
        if input.hasUnread { return input.keep(bytes) }
        var rest = bytes
        readLines { $0.next(of: &rest) }
        if !rest.isEmpty { input.keep(rest) }
    }

    /// Handles waiting messages and unread bytes, until no more of them may be handled now.
    mutating func proceed() {
        runWaiting()
        while input.hasUnread, mayRead {
            readLines { $0.next() }
            runWaiting()
        }
        input.forgetRead()
    }

    /// Whether the next line may be read.
    private var mayRead: Bool {
        switch phase {
        case .expectingHello, .welcomed:
            !waiting.isFull(limits) && mayAnswer
        case .authenticating, .joining, .finishing, .closing, .closed: false
        }
    }

    /// Whether so little output waits that the client may get further answers.
    var mayAnswer: Bool {
        output.waiting <= limits.waitingOutput
            && (output.waiting <= Limits.freeOutput || !settings.isOutputUsedUp())
    }

    private mutating func readLines(_ next: (inout ConnectionInput) -> ConnectionInput.Next) {
        var isSameLine = true
        while mayRead {
            switch next(&input) {
            case .line(let result, let bytes):
                isSameLine = false
                handle(result, bytes)
            case .tooLong(let fault):
                refuse(fault)
            case .incomplete:
                input.noteIncomplete(at: now, isSameLine: isSameLine)
                return claimForLine()
            }
        }
        // Bytes after the last line are not read yet, so there is no incomplete line.
        if isWelcomed { input.noteIncomplete(at: now, isSameLine: isSameLine) }
        claimForLine()
    }

    /// With the framing `messages`, a message can end in the middle of received bytes. So with this framing,
    /// only `claimForMessage` reserves the budget for an incomplete message.
    private mutating func claimForLine() {
        if input.framing == .lines { claim() }
    }

    private mutating func claim() {
        let bytes = input.claim(limits)
        if bytes > 0 { emit(.claimLine(bytes: bytes)) }
        if bytes < 0 { emit(.releaseLine(bytes: -bytes)) }
    }

    /// Drops the incomplete line.
    mutating func dropInput() {
        input.dropAll()
        claim()
    }

    private mutating func handle(_ result: Result<Envelope<ClientMessage>, WireFault>, _ bytes: Int) {
        switch (result, isWelcomed) {
        case (.failure(let fault), _): refuse(fault)
        case (.success(let envelope), false): greet(envelope)
        case (.success(let envelope), true):
            if mayRun(envelope.message), !waiting.holdsBack(envelope.message) {
                run(envelope)
            } else {
                waiting.append(envelope, bytes: bytes)
            }
        }
    }

    private mutating func refuse(_ fault: WireFault) {
        if isWelcomed, let report = refusalEvenIfWellFormed(fault) { return fail(report, fault.id) }
        if !isWelcomed, fault.topic != .hello, ![.badJSON, .lineTooLong].contains(fault.code) {
            return failWithoutHello(fault.id)
        }
        fail(fault.report, fault.id)
        switch fault.code {
        case .badJSON, .badMessage, .unknownType:
            if isWelcomed, faults.add(at: now, limits: limits) { beginClosing(.refused(fault.code)) }
        default: break
        }
    }

    /// The refusal that a malformed message would get even if it were well-formed; nil if there is none.
    private func refusalEvenIfWellFormed(_ fault: WireFault) -> ErrorReport? {
        switch fault.topic {
        case .hello where isWelcomed: return ErrorReport(.alreadyHello, "hello was already sent")
        case .administration where isWelcomed && member?.identity.grants.isForServer == false:
            let refusal = RequestRefusal.notAdmin
            return ErrorReport(refusal.code, refusal.message, document: fault.document)
        case .hello, .administration, nil: return nil
        }
    }

    /// Runs the waiting messages that may run now.
    private mutating func runWaiting() {
        // These conditions are checked first, because passing `mayRun` copies the whole state.
        while !waiting.isEmpty, case .welcomed = phase, mayAnswer,
            let next = waiting.next(where: mayRun)
        {
            run(next)
        }
    }

    /// Whether a message may run now, even if a request is under way.
    private func mayRun(_ message: ClientMessage) -> Bool {
        guard let underway else { return true }
        return !needsAnswer(message) && !underway.isAbout(message)
    }

    /// Pauses or resumes reading, as needed.
    mutating func steerReading() {
        let shouldRead: Bool
        switch phase {
        case .closed: return
        case .closing: shouldRead = true
        case .finishing: shouldRead = false
        case .expectingHello, .welcomed: shouldRead = mayRead && !input.hasUnread
        case .authenticating, .joining: shouldRead = false
        }
        if shouldRead, input.isPaused {
            input.resume(at: now)
            // The peer could not be heard during the pause, so the time of its silence starts again now.
            silence = .heard(now)
            emit(.resumeReading)
        } else if !shouldRead, !input.isPaused {
            input.pause(at: now)
            emit(.pauseReading)
        }
    }
}

extension ConnectionState.Underway {
    func isAbout(_ message: ClientMessage) -> Bool {
        switch self {
        case .waitingForAnswer(let first): message.sharesDocument(with: first)
        case .authenticating: false
        case .opening(_, let name), .closing(_, let name, _, _), .diverged(_, let name):
            message.isAbout(name)
        }
    }
}
