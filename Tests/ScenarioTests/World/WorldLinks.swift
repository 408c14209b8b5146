import CaretRooms
import CaretWire
import TestSupport

/// The network: delays bytes, splits them into pieces, and loses them with their connection.
extension World {
    func connect(_ client: Int, to server: ServerRun) -> Link {
        links += 1
        let buffer = dice.roll(.buffer, client, at: now).peek(0...3)
        let isHTTP = machines[client].kind == .http
        // Depends on the time, so a client may speak lines on one connection and WebSocket on the next.
        var random = dice.roll(.transport, client, at: now)
        let link = Link(
            number: links, client: client, node: server.node, buffer: [300, 2_000, 16_000, 64_000][buffer],
            longest: limits.announced.serverLine,
            random.chance(40) && !isHTTP ? ClientWebSocket(random) : nil)
        if isHTTP { link.http = ClientHTTP() }
        if link.webSocket != nil { link.up.append(ClientWebSocket.upgrade) }
        return link
    }

    // MARK: To the server

    func schedule(up link: Link) {
        if link.up.isScheduled || link.up.isPaused || link.isGone { return }
        if link.up.count == 0, !link.up.hasEnded || link.up.isEndDelivered { return }
        link.up.isScheduled = true
        agenda.add(.up(link), at: now + dice.delay(.link, 2 * link.number, at: now))
    }

    func deliverUp(_ link: Link) {
        link.up.isScheduled = false
        if link.isGone || link.up.isPaused || link.up.isDead { return }
        guard let server = nodes[link.node] else { return }
        if link.port == nil { accept(link, server) }
        guard let port = link.port, !port.isClosed, port.server === server else { return }
        if link.up.count > 0 {
            let bytes = link.up.take(piece(of: link.up.count, 2 * link.number))
            port.post(.received(link.webSocket == nil ? bytes : fault.received(bytes, on: link)))
        }
        if link.up.count > 0 { return schedule(up: link) }
        if link.up.hasEnded, !link.up.isEndDelivered {
            link.up.isEndDelivered = true
            port.post(.inputEnded)
        }
    }

    /// How many of the waiting bytes arrive at once.
    private func piece(of count: Int, _ subject: Int) -> Int {
        var random = dice.roll(.piece, subject, at: now)
        return random.chance(75) ? count : random.number(1...count)
    }

    func print(_ line: [UInt8], from client: Int) {
        Swift.print(time - World.epoch, "c\(client) >", String(decoding: line.dropLast(), as: UTF8.self))
    }

    // MARK: To the client

    /// A connection of the server sends lines, responses, or what a WebSocket carries.
    func send(_ bytes: [UInt8], on link: Link) {
        if link.http != nil { return send(response: bytes, on: link) }
        if link.webSocket != nil { return send(frames: bytes, on: link) }
        var rest = link.incompleteOutput + bytes
        let end = rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        for line in Array(rest[..<end]).linesApart { send(line: line, on: link) { $0 } }
        rest.removeFirst(end)
        link.incompleteOutput = rest
    }

    /// `bytes` are frames, of which the last one may be incomplete, or the response with which the server accepts a
    /// WebSocket.
    private func send(frames bytes: [UInt8], on link: Link) {
        // Before the first byte of the client, the server assumes that the client speaks lines. It may stop then.
        if link.port?.hasReceived == false || bytes.starts(with: Array("HTTP/".utf8)) {
            return transmit(bytes, on: link)
        }
        var rest = link.incompleteOutput + bytes
        defer { link.incompleteOutput = rest }
        while !rest.isEmpty {
            let next = Result { () throws(ServerFrame.Fault) in try ServerFrame(startOf: rest) }
            guard case .success(let whole) = next else {
                return fail(.wire, "the server sends something else than frames")
            }
            guard let frame = whole else { return }
            rest.removeFirst(frame.bytes.count)
            if frame.opcode == ServerFrame.text {
                send(line: frame.line, on: link) { fault.bytes(of: ServerFrame(line: $0)) }
            } else {
                transmit(fault.bytes(of: frame), on: link)
            }
        }
    }

    /// `bytes` are a response, or the body of the response before them.
    private func send(response bytes: [UInt8], on link: Link) {
        guard bytes.starts(with: Array("HTTP/".utf8)) else { return transmit(bytes, on: link) }
        link.http?.responses += 1
        if printsMessages {
            Swift.print(time - World.epoch, "c\(link.client) <", String(decoding: bytes, as: UTF8.self))
        }
        if !link.down.isDead { link.sent.append(SentLine(serial: referee.ledger.serial, time: now)) }
        let altered = fault.response(bytes, on: link)
        link.addedBytes += altered.count - bytes.count
        transmit(altered, on: link)
    }

    /// `form` makes the bytes that carry a line.
    private func send(line: [UInt8], on link: Link, as form: ([UInt8]) -> [UInt8]) {
        referee.longestSent = max(referee.longestSent, line.count)
        for line in fault.lines(line) {
            if printsMessages {
                Swift.print(
                    time - World.epoch, "c\(link.client) <", String(decoding: line.dropLast(), as: UTF8.self))
            }
            if !link.down.isDead {
                link.sent.append(SentLine(serial: referee.ledger.serial, time: now))
            }
            transmit(form(line), on: link)
        }
    }

    private func transmit(_ bytes: [UInt8], on link: Link) {
        trace.add(UInt64(bitPattern: now))
        trace.add(bytes)
        link.down.append(bytes)
        fill(link)
        schedule(down: link)
    }

    /// Moves bytes to the network's buffer, as far as it has room.
    private func fill(_ link: Link) {
        guard let port = link.port, !port.isClosed else { return }
        let taken = min(link.down.count, link.buffer) - link.buffered
        if taken <= 0 { return }
        link.buffered += taken
        let counted = max(0, taken - link.addedBytes)
        link.addedBytes -= taken - counted
        if counted > 0 { port.post(.wrote(counted)) }
    }

    func schedule(down link: Link) {
        if link.down.isScheduled || link.down.isPaused || link.isGone || link.down.isDead { return }
        if link.down.count == 0, !link.down.hasEnded || link.down.isEndDelivered { return }
        link.down.isScheduled = true
        agenda.add(.down(link), at: now + dice.delay(.link, 2 * link.number + 1, at: now))
    }

    func deliverDown(_ link: Link) {
        link.down.isScheduled = false
        if link.isGone || link.down.isPaused || link.down.isDead { return }
        let most = link.port == nil ? link.down.count : min(link.down.count, max(1, link.buffered))
        if most > 0 {
            let bytes = link.down.take(piece(of: most, 2 * link.number + 1))
            link.buffered = max(0, link.buffered - bytes.count)
            fill(link)
            machines[link.client].received(bytes, on: link)
        }
        if link.isGone { return }
        if link.down.count > 0 { return schedule(down: link) }
        if link.down.hasEnded, !link.down.isEndDelivered {
            link.down.isEndDelivered = true
            machines[link.client].outputEnded(link)
        }
    }

    // MARK: Ends

    /// The server has closed the connection.
    func closedByServer(_ link: Link) {
        link.up.isDead = true
        link.up.drop()
        // If the server closes a socket with unread or unwritten bytes, a reset may lose the bytes that are
        // on their way to the client.
        if !link.down.hasEnded, dice.roll(.close, link.number, at: now).peek(0...1) == 0 {
            link.down.drop()
        }
        link.buffered = link.down.count
        link.down.hasEnded = true
        link.down.isPaused = false
        schedule(down: link)
    }

    /// Breaks a connection. The server notices after a while; without `serverHears` it never gets an event.
    func breakLink(_ link: Link, serverHears: Bool = true) {
        if link.isGone { return }
        link.isGone = true
        link.up.drop()
        link.down.drop()
        (link.up.isDead, link.down.isDead) = (true, true)
        guard serverHears, let port = link.port else { return }
        after(dice.delay(.loss, link.number, at: now)) {
            if !port.isClosed, !port.server.isDead { port.post(.lost) }
        }
    }
}
