import CaretRooms
import CaretWire

/// Reading requests, and deciding what answers them.
extension WebState {
    mutating func read(_ rest: inout UnsafeRawBufferPointer) {
        switch phase {
        case .requests(let reader) where waitingOutput == 0: readHead(reader, &rest)
        case .requests: break
        case .answering: readBody(&rest)
        case .webSocket:
            let time = now
            withSocket { $0.received(&rest, at: time) }
        case .events:
            let count = rest.count
            withStream { $0.received(bytes: count) }
            rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
        case .closing(let dropped):
            phase = .closing(droppedBytes: dropped + rest.count)
            if dropped + rest.count > limits.closingBytes { close() }
            rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
        case .closed: rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
        }
    }

    private mutating func readHead(_ reader: RequestReader, _ rest: inout UnsafeRawBufferPointer) {
        if !reader.hasBegun {
            since = now
            if readAgain(&rest) { return }
        }
        var reader = reader
        let (start, isWhole) = (rest, !reader.hasBegun)
        do throws(RequestFault) {
            let head = try reader.next(of: &rest)
            phase = .requests(reader)
            guard let head else { return }
            answer(head)
            if isWhole, let pending = pending.value,
                let read = RepeatableRead(start.dropLast(rest.count), pending)
            {
                repeatable.set(read)
            }
        } catch {
            respond(WebRefusal(error).response, to: Response.Recipient(isHead: false, closes: true))
            // The bytes after an invalid head cannot be read as requests, so they are dropped.
            rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
        }
    }

    /// Answers a request that has the same bytes as the last read of a newest text. Its checks would have the same
    /// results, so they are not repeated. The member still decides whether the client may read.
    private mutating func readAgain(_ rest: inout UnsafeRawBufferPointer) -> Bool {
        if isStopping || repeatable.isEmpty { return false }
        let input = rest
        guard let read = repeatable.read({ input.starts(with: $0.head) ? $0 : nil }) ?? nil else {
            return false
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[read.head.count...])
        pending.set(read.request)
        phase = .answering
        beginExchange()
        return true
    }

    private mutating func answer(_ head: RequestHead) {
        // A body that is not read hides where the next request begins.
        let hasBody = head.body != .none && head.body != .bytes(0)
        var recipient = Response.Recipient(
            isHead: head.method == "HEAD", closes: !head.keepsAlive || isStopping || hasBody)
        do throws(WebRefusal) {
            let target = try checked(head)
            recipient.otherSite = settings.siteGuard.otherSite(of: head)
            let route = Route(target.path).flatMap { exists($0) ? $0 : nil }
            if head.method == "OPTIONS" {
                return respond(options(of: route, for: recipient.otherSite), to: recipient)
            }
            guard let route else {
                if MissingPage.isWanted(by: head) { return respond(MissingPage.response, to: recipient) }
                throw WebRefusal(.notFound, .notFound, "there is nothing at \(target.path.prefix(100))")
            }
            if let response = try response(to: head, at: route, target.path) {
                return respond(response, to: recipient)
            }
            if isStopping {
                throw WebRefusal(.serviceUnavailable, .shuttingDown, "the server is shutting down")
            }
            if route == .webSocket { return try beginWebSocket(head) }
            try begin(head, route, target, for: recipient.otherSite)
        } catch {
            respond(error.response, to: recipient)
        }
    }

    private func exists(_ route: Route) -> Bool {
        if case .file(let path) = route { settings.files[path] != nil } else { true }
    }

    /// The methods of a resource. A path without a resource has only this one.
    private func options(of route: Route?, for otherSite: String?) -> Response {
        let methods = (route?.methods ?? ["OPTIONS"]).joined(separator: ", ")
        var response = Response(.noContent).adding("Allow", methods)
        if otherSite != nil { CrossOrigin.addPermissions(to: &response, methods: methods) }
        return response
    }

    /// The response of a resource that needs no member; nil if this resource needs one.
    private func response(
        to head: RequestHead, at route: Route, _ path: String
    ) throws(WebRefusal) -> Response? {
        let methods = route.methods.joined(separator: ", ")
        guard route.methods.contains(head.method) else {
            throw WebRefusal(
                .methodNotAllowed, .badMethod,
                "\(path.prefix(100)) has no method \(head.method.prefix(20)), only \(methods)"
            )
            .adding("Allow", methods)
        }
        if case .file(let path) = route { return settings.files[path]?.response(to: head) }
        guard route == .health else { return nil }
        return Response(
            isStopping ? .serviceUnavailable : .ok, MediaType.text.contentType,
            Array((isStopping ? "stopping\n" : "ok\n").utf8)
        ).adding("Cache-Control", "no-store")
    }

    private mutating func checked(_ head: RequestHead) throws(WebRefusal) -> RequestTarget {
        let target: RequestTarget
        do throws(RequestFault) { target = try RequestTarget(head.target) } catch { throw WebRefusal(error) }
        if security == .missing {
            throw WebRefusal(
                .upgradeRequired, .upgradeRequired, "this server requires TLS; use https:// or wss://"
            )
            .adding("Upgrade", "TLS/1.2, HTTP/1.1").adding("Connection", "upgrade")
        }
        do throws(WebRefusal) {
            try settings.siteGuard.check(head, target.path, at: listener, isSecure: security == .tls)
        } catch {
            let origin = head.fields["origin"].first.flatMap { Origin(String(decoding: $0, as: UTF8.self)) }
            if let code = error.webCode { actions.append(.noteRefusal(code, origin)) }
            throw error
        }
        if listener == .tcp, settings.proxySignIn?.isIn(head) == true { actions.append(.noteDroppedSignIn) }
        guard head.fields["expect"].allSatisfy({ $0.equals("100-continue") }) else {
            throw WebRefusal(
                .expectationFailed, .badRequest, "the field Expect can only be 100-continue")
        }
        return target
    }

    private mutating func beginWebSocket(_ head: RequestHead) throws(WebRefusal) {
        let response = try Handshake.response(to: head, sha1: settings.sha1)
        dropRequester()
        let member = ConnectionState(
            id, settings: settings.connection, from: peer, framing: .messages, sessionsAfter: lastSession,
            at: now)
        // If the field signs in nobody, a token in `hello` still may.
        let proxied = Result { () throws(ProxySignInFault) in
            try proxiedIdentity(of: head, isWebSocket: true, isLasting: true)
        }
        socket.set(WebSocketState(member, signedIn: proxied))
        phase = .webSocket
        wakes = nil
        let bytes = response.bytes(at: now, to: Response.Recipient(isHead: false, closes: false))
        withSocket { $0.start(after: bytes) }
    }
}
