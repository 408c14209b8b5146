import CaretCore
import CaretLog
import CaretReplica
import CaretWire

/// A client's end of the network: connects, says hello, and converts between lines and messages.
final class Machine {
    let index: Int
    let kind: Plan.Kind
    unowned let world: World
    let unit: CodeUnit
    private(set) var program: (any Program)!
    /// The newest connection.
    private(set) var link: Link?
    private(set) var isAway = false
    private var isConnecting = false

    init(_ index: Int, _ kind: Plan.Kind, _ world: World) {
        self.index = index
        self.kind = kind
        self.world = world
        unit = kind.unit
        program = kind.program(self)
    }

    var isWelcomed: Bool { link?.isWelcomed ?? false }

    // MARK: Connecting

    func connect() {
        if isAway || isConnecting || link != nil { return }
        guard let server = world.runningServer(for: index) else { return connectLater() }
        begin(server)
    }

    private func begin(_ server: ServerRun) {
        let link = world.connect(index, to: server)
        self.link = link
        if kind == .http {
            link.isWelcomed = true
            return program.welcomed()
        }
        let unknown = WireString("token-\(index)")
        send(
            .hello(Hello(client: WireString(Names.client(index).string), units: [unit], token: unknown)),
            isAnswered: true, on: link)
    }

    func connectLater() {
        if isConnecting { return }
        isConnecting = true
        let delay = world.dice.roll(.reconnect, index, at: world.now).peek(500...150_000)
        world.after(Int64(delay)) { [unowned self] in
            isConnecting = false
            connect()
        }
    }

    func leave() {
        isAway = true
        if let link { end(link) }
    }

    func comeBack() {
        isAway = false
        connect()
    }

    /// Closes a connection without losing what the client has sent.
    private func end(_ link: Link) {
        endOutput(of: link)
        forget(link)
    }

    /// A client with a WebSocket sends a close frame. Sometimes it then waits for the server to end the connection.
    private func endOutput(of link: Link) {
        let close = link.webSocket?.close() ?? []
        link.up.append(close)
        link.up.hasEnded = close.isEmpty || world.dice.roll(.transport, index, at: world.now).peek(0...1) == 0
        world.schedule(up: link)
    }

    private func forget(_ link: Link) {
        guard link === self.link else { return }
        let wasWelcomed = link.isWelcomed
        self.link = nil
        if wasWelcomed { program.lost() }
        if !isAway { connectLater() }
    }

    func linkBroke(_ link: Link) {
        world.breakLink(link)
        forget(link)
    }

    /// The server has ended its side of a connection.
    func outputEnded(_ link: Link) {
        link.up.hasEnded = true
        world.schedule(up: link)
        forget(link)
    }

    func serverIsGone(_ server: ServerRun) {
        if let link, link.node == server.node { linkBroke(link) }
    }

    func perform(_ operation: ClientOperation) {
        switch operation {
        case .leaves: leave()
        case .returns: comeBack()
        case .connectsAgain: connectAgain()
        case .isCut: if let link { linkBroke(link) }
        case .vanishes: vanish()
        case .hearsNothing(let span): loseForAWhile(span) { $0.down.isDead = true }
        case .isNotHeard(let span): loseForAWhile(span) { $0.up.isDead = true }
        case .endsOutput: if let link { endOutput(of: link) }
        case .stopsReading(let span): stopReading(span)
        case .pings where kind != .http: if isWelcomed { send(.ping(Ping()), isAnswered: true) }
        case .babbles(let line) where kind != .http: if isWelcomed { sendMalformed(line) }
        default: program.perform(operation)
        }
    }

    private func connectAgain() {
        guard let old = link, old.isWelcomed, let server = world.runningServer(for: index) else { return }
        link = nil
        program.lost()
        // The client does not close its old connection. The server must end it.
        _ = old
        begin(server)
    }

    private func vanish() {
        guard let link else { return }
        world.breakLink(link, serverHears: false)
        forget(link)
    }

    private func loseForAWhile(_ span: Int, _ lose: (Link) -> Void) {
        guard let link else { return }
        lose(link)
        world.after(Int64(span) * 1_000) { [unowned self] in if !link.isGone { linkBroke(link) } }
    }

    private func stopReading(_ span: Int) {
        guard let link else { return }
        link.down.isPaused = true
        world.after(Int64(span) * 1_000) { [unowned self] in
            link.down.isPaused = false
            world.schedule(down: link)
        }
    }

    // MARK: Lines

    @discardableResult
    func send(_ message: ClientMessage, isAnswered: Bool, on link: Link? = nil) -> RequestID? {
        guard let link = link ?? self.link, !link.hasEndedOutput else { return nil }
        var id: RequestID?
        if isAnswered {
            link.lastID += 1
            id = link.lastID % 3 == 0 ? .text(WireString("r\(link.lastID)")) : .number(link.lastID)
        }
        link.writer.bytes.removeAll(keepingCapacity: true)
        message.encode(id: id, into: &link.writer)
        world.referee.recordSent(message, id, on: link, unit: unit)
        if world.printsMessages { world.print(link.writer.bytes, from: index) }
        link.send(link.writer.bytes)
        world.schedule(up: link)
        return id
    }

    private func send(raw line: String) {
        guard let link, !link.hasEndedOutput else { return }
        link.send(Array((line + "\n").utf8))
        world.schedule(up: link)
    }

    func received(_ bytes: [UInt8], on link: Link) {
        if link.http != nil { return receivedResponses(bytes, on: link) }
        if link.webSocket != nil { return receivedFrames(bytes, on: link) }
        bytes.withUnsafeBytes { raw in
            var rest = UnsafeRawBufferPointer(rebasing: raw[...])
            while world.failure == nil, !link.isGone {
                let frame = link.framer.next(of: &rest) { line in
                    // If the line cannot be decoded, there is no envelope, and the code below fails the run.
                    try? link.decoder.serverMessage(line)
                }
                switch frame {
                case .incomplete: return
                case .tooLong(let bytes, let limit):
                    return world.fail(
                        .wire, "the server sent a line of \(bytes) bytes; the limit is \(limit)")
                case .line(let envelope):
                    guard let envelope else {
                        return world.fail(.wire, "client \(index) cannot decode a line")
                    }
                    received(envelope, on: link)
                }
            }
        }
    }

    private func receivedFrames(_ bytes: [UInt8], on link: Link) {
        link.webSocket?.receive(bytes)
        do throws(ServerFrame.Fault) {
            while world.failure == nil, !link.isGone, let event = try link.webSocket?.next() {
                handle(event, on: link)
            }
        } catch {
            world.fail(.wire, "client \(index): \(error.what)")
        }
    }

    private func handle(_ event: ClientWebSocket.Event, on link: Link) {
        switch event {
        case .upgraded:
            world.referee.counts.webSockets += 1
            if link.up.hasEnded { return }
            link.up.append(link.webSocket?.sendWaiting() ?? [])
            world.schedule(up: link)
        case .pong: world.referee.counts.pongs += 1
        case .close:
            world.referee.counts.webSocketCloses += 1
            if link.up.hasEnded { return }
            link.up.append(link.webSocket?.close() ?? [])
            world.schedule(up: link)
        case .message(let message):
            guard let envelope = try? link.decoder.serverMessage(message) else {
                return world.fail(.wire, "client \(index) cannot decode a message")
            }
            received(envelope, on: link)
        }
    }

    private func received(_ envelope: Envelope<ServerMessage>, on link: Link) {
        guard let sent = link.sent.next() else {
            return world.fail(.wire, "a client received a line that the server never sent")
        }
        world.referee.received(envelope, sent, on: link, unit: unit)
        if case .ping = envelope.message { send(.pong(Pong()), isAnswered: false, on: link) }
        guard link === self.link, world.failure == nil else { return }
        if case .welcome = envelope.message {
            link.isWelcomed = true
            program.welcomed()
        } else if link.isWelcomed {
            program.received(envelope)
        }
    }

    private func sendMalformed(_ line: MalformedLine) {
        switch line {
        case .json: send(raw: #"{"type":"push","doc":"a","doc":"b"}"#)
        case .type: send(raw: #"{"type":"dance"}"#)
        case .range: send(raw: #"{"type":"select","doc":"a","rev":0,"selections":[[5,900000]]}"#)
        case .carriage:
            send(raw: #"{"type":"push","doc":"a","base":0,"seq":0,"edits":[{"range":[0,0],"text":"\r"}]}"#)
        case .field: send(raw: #"{"type":"open"}"#)
        case .name: send(raw: #"{"type":"read","doc":"../a"}"#)
        case .hello: send(raw: #"{"type":"hello","protocol":1,"client":"somebody-else"}"#)
        }
    }
}

extension Plan.Kind {
    var unit: CodeUnit {
        switch self {
        case .editor16, .reader, .syncer, .http: .utf16
        case .editor8, .watcher: .utf8
        case .editor32, .squashed, .admin: .scalar
        }
    }

    fileprivate func program(_ machine: Machine) -> any Program {
        switch self {
        case .editor16, .editor8, .editor32: Editor(machine, .edit)
        case .reader: Editor(machine, .watch)
        case .syncer: Syncer(machine)
        case .watcher, .squashed: Watcher(machine, squashes: self == .squashed)
        case .admin: Admin(machine)
        case .http: HTTPClient(machine)
        }
    }
}
