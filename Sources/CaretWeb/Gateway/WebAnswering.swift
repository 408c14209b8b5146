package import CaretRooms
package import CaretWire

/// Answering a request with the messages of a member.
extension WebState {
    /// Begins a request that needs a member.
    mutating func begin(
        _ head: RequestHead, _ route: Route, _ target: RequestTarget, for otherSite: String?
    ) throws(WebRefusal) {
        let identity = try identity(of: head, target, route)
        let seq = try seq(of: head, at: route, by: identity)
        guard let exchange = try route.exchange(head, target, seq: seq ?? 1, settings.assistant) else {
            return
        }
        try checkLength(of: head)
        pending.set(PendingRequest(exchange, head, for: otherSite))
        phase = .answering
        // Without a name, each push is the first one of a new client. Otherwise a proxy that sends the
        // requests of many people over one connection would make them pushes of one client.
        let isNew = identity.client == nil && route.pushes(head.method)
        let isWelcomed = requester.read { $0.identity == identity && !$0.isOver ? $0.isWelcomed : nil } ?? nil
        if let isWelcomed, !isNew {
            if isWelcomed { beginExchange() }
            return
        }
        dropRequester()
        var member = WebMember(
            identity,
            ConnectionState(
                id, settings: settings.connection, from: peer, framing: .messages,
                isNewClient: identity.client == nil, sessionsAfter: lastSession, at: now),
            limits: limits.announced)
        member.start(as: identity.client ?? settings.makeClientID(), at: now)
        requester.set(member)
        withRequester { _ in }
    }

    // MARK: Who requests

    private mutating func identity(
        of head: RequestHead, _ target: RequestTarget, _ route: Route
    ) throws(WebRefusal) -> WebMember.Identity {
        let client = try single("caret-client", of: head)
        let token = try token(of: head)
        let proxied: Identity?
        do throws(ProxySignInFault) {
            // A proxy signs in people. The program of an assistant has a token of its own.
            proxied = route == .assistant ? nil : try proxiedIdentity(of: head, isLasting: route.isEndless)
        } catch {
            actions.append(.noteSignIn(error))
            throw WebRefusal(.unauthorized, .unauthorized, error.description)
        }
        return WebMember.Identity(
            token: token, proxied: proxied, client: client.map { WireString($0) },
            unit: try Query(target, allowing: target.names).unit())
    }

    /// The user that a proxy names for a request. Nil if the request has a token, or comes from no proxy.
    func proxiedIdentity(
        of head: RequestHead, isWebSocket: Bool = false, isLasting: Bool
    ) throws(ProxySignInFault) -> Identity? {
        guard listener == .proxy, let signIn = settings.proxySignIn else { return nil }
        if !head.fields["authorization"].isEmpty {
            if isWebSocket { throw .tokenInHello }
            return nil
        }
        let isFromOwnPage = settings.siteGuard.isOfOwnPage(
            head, isWebSocket: isWebSocket, isSecure: security == .tls)
        return try signIn.identity(
            of: head, isFromOwnPage: isFromOwnPage, lastingFrom: isLasting ? now : nil)
    }

    private func token(of head: RequestHead) throws(WebRefusal) -> WireString? {
        guard let value = try single("authorization", of: head) else { return nil }
        let parts = value.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw WebRefusal(.unauthorized, .unauthorized, "Authorization must be: Bearer TOKEN")
        }
        return WireString(String(parts[1]))
    }

    /// The number by which the server recognises a repeated push.
    private func seq(
        of head: RequestHead, at route: Route, by identity: WebMember.Identity
    ) throws(WebRefusal) -> Int? {
        let text = try single("caret-seq", of: head)
        guard route.pushes(head.method) else { return nil }
        guard (text == nil) == (identity.client == nil) else {
            throw WebRefusal(
                .badRequest, .badRequest, "a push has both Caret-Client and Caret-Seq, or neither")
        }
        guard let text else { return nil }
        guard let seq = Int(digits: text) else {
            throw WebRefusal(.badRequest, .badRequest, "Caret-Seq must be a number, not \(text.prefix(64))")
        }
        return seq
    }

    /// The value of a field that may occur once.
    private func single(_ name: String, of head: RequestHead) throws(WebRefusal) -> String? {
        let values = head.fields[name]
        guard values.count <= 1 else {
            throw WebRefusal(.badRequest, .badRequest, "the field \(name) occurs \(values.count) times")
        }
        return values.first.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Refuses a body that is too long before any of it is read. A text may be twice as
    /// long as its document, because it may have CR LF for each LF.
    private func checkLength(of head: RequestHead) throws(WebRefusal) {
        let most = max(2 * limits.announced.document, limits.announced.line)
        guard case .bytes(let count) = head.body, count > most else { return }
        throw WebRefusal(
            .contentTooLarge, .tooLarge, "the body has \(count) bytes; at most \(most) are allowed")
    }

    // MARK: The exchange

    mutating func beginExchange() {
        let step = pending.change {
            $0.phase = .waiting
            return $0.exchange.begin()
        }
        if let step { perform(step) }
    }

    private mutating func perform(_ step: ExchangeStep) {
        let time = now
        switch step {
        case .send(let message): withRequester { $0.send(message, at: time) }
        case .read(let read, let name):
            if requester.read({ $0.mayReadAtOnce(name, at: time) }) == true {
                actions.append(.findText(name, read))
            } else {
                withRequester { $0.send(.read(read), at: time) }
            }
        case .sendBody(let frame): readBody(into: frame)
        case .takeBody: readBody(into: BodyFrame())
        case .sendAgain(let frame, let body): sendAgain(frame, body)
        case .wait: break
        case .waitAtMost(let seconds): pending.change { $0.until = time + Int64(seconds) * 1_000 }
        case .respond(let response): respond(response)
        case .part(let part): send(part)
        case .compute(let computation):
            computations += 1
            let number = computations
            pending.change { $0.computation = number }
            actions.append(.compute(computation, number: number))
        case .stream(let form, let line): beginStream(form, line)
        }
    }

    private mutating func readBody(into frame: BodyFrame) {
        let time = now
        pending.change {
            $0.frame = frame
            $0.phase = .body
        }
        withRequester { $0.sendPart(frame.start, at: time) }
        if pending.read({ $0.awaitsContinue && !$0.body.isAtEnd }) == true {
            send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        endBodyIfRead()
    }

    private mutating func sendAgain(_ frame: BodyFrame, _ body: [UInt8]) {
        var frame = frame
        let bytes = frame.start + body.withUnsafeBytes { frame.bytes(for: $0) } + frame.end()
        let time = now
        withRequester {
            $0.sendPart(bytes, at: time)
            $0.endMessage(withTextAfter: frame.head, at: time)
        }
        step { $0.sentBody(frame) }
    }

    private mutating func beginStream(_ form: EventWriter.Form, _ line: ServerLine) {
        repeatable = Boxed()
        guard var member = requester.take() else { return }
        var response = Response(endless: "text/event-stream")
        response.add("Cache-Control", "no-store")
        // Without this field, an nginx proxy would buffer the events instead of forwarding each at once.
        response.add("X-Accel-Buffering", "no")
        let recipient = Response.Recipient(isHead: false, closes: true, otherSite: pending.value?.otherSite)
        let head = response.bytes(at: now, to: recipient)
        var lines = [line]
        while let line = member.nextLine() { lines.append(line) }
        pending.take()
        phase = .events
        stream.set(EventStreamState(member.state, form, limits: limits, wakesAt: member.wakesAt))
        // Forgotten, so that the earlier of the new deadlines is requested.
        wakes = nil
        withStream { $0.start(head + Array("retry: 1000\n\n".utf8), lines) }
    }

    /// The server has looked for a text in memory; nil if it is not there.
    package mutating func found(_ text: ReadText?, for read: Read) -> [WebAction] {
        let time = now
        let limits = limits
        if let text {
            step { $0.found(text, limits) }
        } else {
            withRequester { $0.send(.read(read), at: time) }
        }
        return finishEvent()
    }

    /// A response was computed. If its request was answered meanwhile, the response is dropped. If the server's memory
    /// for output is used up, a long one is refused.
    package mutating func computed(_ response: Response, number: Int) -> [WebAction] {
        if pending.read({ $0.computation == number }) == true {
            let isRefused =
                response.bodyLength > Limits.freeOutput && settings.connection.isOutputUsedUp()
            respond(isRefused ? ErrorReport(.noMemoryForAnswer, document: nil).response() : response)
        }
        return finishEvent()
    }

    private mutating func send(_ part: ResponsePart) {
        guard let pending = pending.value else { return }
        let recipient = pending.recipient(isStopping: isStopping)
        var bytes = pending.hasBegunResponse ? [] : part.head.bytes(at: now, to: recipient)
        if !pending.isHead { bytes += Response.chunk(part.bytes, isLast: part.isLast) }
        self.pending.change { $0.hasBegunResponse = true }
        send(bytes)
        if part.isLast || pending.isHead { endResponse(to: recipient) }
    }

    /// The connection has accepted all parts of a response that were sent so far.
    mutating func deliveredPart() {
        let isWaiting = pending.read { $0.hasBegunResponse && $0.phase == .waiting }
        if isWaiting == true { step { $0.delivered() } }
    }

    private mutating func endResponse(to recipient: Response.Recipient) {
        pending.take()
        phase = .requests(RequestReader())
        if recipient.closes { beginClosing() }
    }

    private mutating func respond(_ response: Response) {
        guard let pending = pending.value else { return }
        var recipient = pending.recipient(isStopping: isStopping)
        // The client must not mistake the sent parts for the whole response, so the connection closes.
        if pending.hasBegunResponse { return close() }
        // A room may still send an answer for the ended member. The next request's member must not get it.
        if requester.read({ $0.isOver && $0.isWelcomed }) == true { recipient.closes = true }
        self.pending.take()
        phase = .requests(RequestReader())
        respond(response, to: recipient)
    }

    /// Handles a message of the server.
    private mutating func received(_ line: ServerLine) {
        let time = now
        switch line.message {
        case .ping:
            // Inside a message with a body, no pong can be sent. The body's bytes also end the silence.
            if pendingPhase != .body { withRequester { $0.send(.pong(Pong()), at: time) } }
        case .bye(let bye):
            if let pending = pending.value { respond(pending.exchange.outcome ?? bye.response) }
        case .welcome: beginExchange()
        case .error(let report):
            if pendingPhase == .joining {
                // The server was stopping already when it accepted this connection.
                if report.code == .known(.shuttingDown) { isStopping = true }
                return respond(report.response(line.bytes))
            }
            step { $0.refused(report, line.bytes) }
        default: step { $0.received(line) }
        }
    }

    mutating func step(_ next: (inout any Exchange) -> ExchangeStep) {
        if let step = pending.change({ next(&$0.exchange) }) { perform(step) }
    }

    // MARK: The body

    var wantsBody: Bool { pendingPhase == .body && requester.read { $0.state.isReadingPaused } == false }

    private var pendingPhase: PendingRequest.Phase? { pending.read { $0.phase } }

    mutating func readBody(_ rest: inout UnsafeRawBufferPointer) {
        guard wantsBody, let pending = pending.value, var frame = pending.frame else { return }
        var body = pending.body
        var (parts, hasContent): ([UInt8], Bool) = ([], false)
        do throws(RequestFault) {
            try body.read(&rest) {
                parts += frame.bytes(for: $0)
                hasContent = true
            }
            self.pending.change { ($0.body, $0.frame) = (body, frame) }
            if let byte = frame.wrongByte(isAtEnd: body.isAtEnd) { return refuseText(at: byte) }
            let time = now
            // Content ends the silence of the client, even if it adds nothing to the message yet.
            if hasContent { withRequester { $0.sendPart(parts, at: time) } }
            // If the body already differs, its rest does not matter. The body may have no end, so the rest is
            // not read.
            endBodyIfRead(orIf: hasContent && frame.isDifferent)
            withRequester { $0.claimMemory() }
        } catch {
            // The end of the body is unknown, so the connection closes.
            rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
            respond(WebRefusal(error).response)
        }
    }

    private mutating func refuseText(at byte: Int) {
        respond(WebRefusal(.badRequest, .badText, "byte \(byte) of the body is not UTF-8").response)
        // The member has read a part of a message.
        dropRequester()
    }

    private mutating func endBodyIfRead(orIf isDecided: Bool = false) {
        guard let pending = pending.value, pending.phase == .body, pending.body.isAtEnd || isDecided,
            let frame = pending.frame
        else {
            return
        }
        self.pending.change { $0.phase = .waiting }
        let time = now
        if frame.isTaken { return takeMessage(at: time) }
        withRequester {
            $0.sendPart(frame.end(), at: time)
            $0.endMessage(withTextAfter: frame.head, at: time)
        }
        step { $0.sentBody(frame) }
    }

    private mutating func takeMessage(at time: Int64) {
        var message: [UInt8]?
        withRequester { message = $0.takeMessage(at: time) }
        if let message { step { $0.took(message) } }
    }

    // MARK: The member

    mutating func withRequester(_ event: (inout WebMember) -> Void) {
        let orders = requester.change {
            event(&$0)
            return $0.takeActions()
        }
        guard let orders else { return }
        actions += orders
        while let line = requester.change({ $0.nextLine() }) ?? nil { received(line) }
        guard requester.read({ $0.isOver }) == true else { return }
        if let pending = pending.value {
            let refusal = WebRefusal(.serviceUnavailable, .overloaded, "the server ended this request")
            respond(pending.exchange.outcome ?? refusal.response)
        }
        dropRequester()
    }

    /// Ends the member. The caller has answered the member's requests, or their connection has ended.
    mutating func dropRequester() {
        repeatable = Boxed()
        guard var member = requester.take() else { return }
        member.handle { $0.connectionLost() }
        refusals.merge(member.takeRefusals() ?? [:], uniquingKeysWith: +)
        actions += member.takeActions()
        lastSession = member.state.lastSession
    }
}

extension Bye {
    /// The response to a request that the server no longer answers.
    fileprivate var response: Response {
        guard case .known(let reason) = reason else {
            return WebRefusal(.serviceUnavailable, .overloaded, "the server ended this request").response
        }
        return switch reason {
        case .shuttingDown:
            ErrorReport(
                .shuttingDown, "the server is shutting down", retryAfterMilliseconds: retryAfterMilliseconds
            ).response()
        case .tokenEnded: ErrorReport(.tokenEnded, "the token has ended").response()
        case .revoked: WebRefusal(.unauthorized, .unauthorized, "the token was revoked or has ended").response
        case .replaced:
            WebRefusal(.conflict, .replaced, "another connection uses the same Caret-Client").response
        case .idle, .tooSlow:
            WebRefusal(.requestTimeout, .badRequest, "the body of the request arrived too slowly").response
        }
    }
}
