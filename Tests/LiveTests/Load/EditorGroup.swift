import CaretWire
import Glibc
import TestSupport
import Testing

/// Many editors on connections of their own, driven by one thread.
final class EditorGroup {
    private struct EditorConnection {
        var editor: Editor
        let transport: Transport
        var framing: EditorFraming
        /// The socket; nil while the editor is not connected.
        var descriptor: Int32?
        /// The server of the last connection.
        var server: LiveServer?
        /// After `storage_failed`: when to connect again.
        var retryTime: ContinuousClock.Instant?
        var input: [UInt8] = []
        var output: [UInt8] = []
    }

    private var connections: [EditorConnection]
    private var decoder = MessageDecoder()
    /// The acks of all editors, on all their connections.
    private(set) var acks = 0
    /// An editor whose connection has ended chooses another one of these servers by itself. If there are none, the
    /// test connects the editors. Only after `storage_failed`, an editor then connects to the same server by itself.
    var servers: [LiveServer] = []
    /// How often an editor has received `storage_failed`.
    private(set) var storageFailures = 0
    /// The connections that a server has ended without `bye`.
    private(set) var endsWithoutBye = 0

    /// The most `storage_failed` for each editor that stays at its server.
    private static let mostFailures = 10
    private static let timeoutMilliseconds: Int32 = 60_000

    /// Makes `count` editors, spread over documents. The editors of each document use these transports in turn.
    init(_ count: Int, documents: Int, over transports: [Transport]) {
        connections = (0..<count).map {
            let transport = transports[$0 / documents % transports.count]
            return EditorConnection(
                editor: Editor($0, in: "doc-\($0 % documents)"), transport: transport,
                framing: EditorFraming(transport))
        }
    }

    deinit { for connection in connections { connection.descriptor.map { _ = close($0) } } }

    var editors: [Editor] { connections.map(\.editor) }
    /// The number of connected editors.
    var connectedCount: Int { connections.count { $0.descriptor != nil } }

    // MARK: Work

    /// Connects all editors that are not connected. They keep their texts and their unanswered pushes.
    func connect(to server: LiveServer) throws { try connect(to: [server]) }

    /// Spreads the editors that are not connected over these servers.
    func connect(to servers: [LiveServer]) throws {
        for index in connections.indices where connections[index].descriptor == nil {
            try connect(index, to: servers[index % servers.count])
        }
    }

    private func connect(_ index: Int, to server: LiveServer) throws {
        let transport = connections[index].transport
        let descriptor = try server.address.connected(
            trusting: transport.usesTLS ? server.trust : nil, speaking: transport.applicationProtocol)
        connections[index].descriptor = descriptor
        connections[index].server = server
        connections[index].retryTime = nil
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        connections[index].framing = EditorFraming(transport)
        connections[index].input = []
        connections[index].output = connections[index].framing.greeting
        try send([connections[index].editor.hello()], index)
    }

    /// Connects each editor that connects by itself to another server that accepts connections. Each chooses the server with
    /// the fewest editors. Otherwise all of them may end up at one server, and wait there while it is cut from PostgreSQL.
    private func reconnect() throws {
        for index in connections.indices where isReconnecting(index) {
            if let time = connections[index].retryTime, time > .now { continue }
            let choice = servers.isEmpty ? [connections[index].server].compactMap(\.self) : servers
            let (left, others) = (choice.filter { isAt($0, index) }, choice.filter { !isAt($0, index) })
            for server in others.sorted(by: { connectedCount(to: $0) < connectedCount(to: $1) }) + left {
                do {
                    try connect(index, to: server)
                    break
                } catch is SystemFailure {
                    // This server does not run now.
                }
            }
        }
    }

    /// Whether an editor without a connection connects by itself.
    private func isReconnecting(_ index: Int) -> Bool {
        let connection = connections[index]
        return connection.descriptor == nil && (!servers.isEmpty || connection.retryTime != nil)
    }

    private var isAnyReconnecting: Bool { connections.indices.contains(where: isReconnecting) }

    /// Ends the connections to a server, as a client does that gets no answer.
    func leave(_ server: LiveServer) {
        for index in connections.indices where isAt(server, index) { leave(index) }
    }

    /// The number of editors that are connected to a server.
    func connectedCount(to server: LiveServer) -> Int {
        connections.indices.count { connections[$0].descriptor != nil && isAt(server, $0) }
    }

    private func isAt(_ server: LiveServer, _ index: Int) -> Bool {
        connections[index].server?.address == server.address
    }

    /// Lets all editors send and receive until the condition holds. Some editors may lose their connections
    /// before the condition holds. The caller must check the connections.
    func work(until condition: (EditorGroup) -> Bool) throws {
        while !condition(self) {
            if connectedCount == 0, !isAnyReconnecting {
                throw Unexpected("the connection of every editor has ended")
            }
            guard try turn(Self.timeoutMilliseconds) else {
                throw Unexpected("no editor receives anything any more: \(editors)")
            }
        }
    }

    /// Lets all editors send and receive until no message has arrived for this time.
    func work(untilSilentFor milliseconds: Int32) throws {
        while connectedCount > 0, try turn(milliseconds) {}
    }

    /// Lets all editors send and receive for this time.
    func work(for time: Duration) throws {
        let end = ContinuousClock.now + time
        while .now < end { _ = try turn(20) }
    }

    /// Lets the editors send and receive what is possible without waiting, in at most `turns` turns.
    func work(forAtMost turns: Int) throws { for _ in 0..<turns where try turn(0) {} }

    /// Works until every push is acked. Editors push nothing new meanwhile.
    func waitForAcks() throws {
        try workPaused { group in group.editors.allSatisfy(\.hasNoPendingPush) }
    }

    /// Works until every push is acked and every editor has received all changes. Editors push nothing new
    /// meanwhile.
    func waitForChanges() throws {
        try waitForAcks()
        let heads = Dictionary(
            editors.map { ($0.document, $0.acked.values.max() ?? 0) }, uniquingKeysWith: max)
        try workPaused { group in group.editors.allSatisfy { $0.revision == heads[$0.document] } }
    }

    /// Expects that all editors of each document have the same text.
    func compareTexts() {
        for (document, editors) in Dictionary(grouping: editors, by: \.document) {
            #expect(Set(editors.map(\.text)).count == 1, "the texts of \(document) differ: \(editors)")
        }
    }

    private func workPaused(until condition: (EditorGroup) -> Bool) throws {
        for index in connections.indices { connections[index].editor.isPaused = true }
        try work(until: condition)
        for index in connections.indices { connections[index].editor.isPaused = false }
    }

    /// Works until every connection has ended, for any reason.
    func workUntilDisconnected() throws { while connectedCount > 0, try turn(Self.timeoutMilliseconds) {} }

    /// Lets all connected editors push again, after they have waited for acks or changes.
    func goOn() throws {
        for index in connections.indices where connections[index].descriptor != nil {
            try send(connections[index].editor.goOn(), index)
        }
    }

    // MARK: One turn

    /// Waits for events and handles them. Returns false if no event came within this time.
    private func turn(_ milliseconds: Int32) throws -> Bool {
        var left = milliseconds
        while isAnyReconnecting || !servers.isEmpty {
            try reconnect()
            // An editor without a connection tries again soon.
            let slice = isAnyReconnecting ? min(left, 50) : left
            if try handleEvents(within: slice) { return true }
            left -= slice
            if left <= 0 { return false }
        }
        return try handleEvents(within: milliseconds)
    }

    private func handleEvents(within milliseconds: Int32) throws -> Bool {
        let connected = connections.indices.filter { connections[$0].descriptor != nil }
        var polled = connected.map { index in
            let events = POLLIN | (connections[index].output.isEmpty ? 0 : POLLOUT)
            return pollfd(fd: connections[index].descriptor ?? -1, events: Int16(events), revents: 0)
        }
        if poll(&polled, nfds_t(polled.count), milliseconds) == 0 { return false }
        for (index, answer) in zip(connected, polled) where answer.revents != 0 {
            if answer.revents & Int16(POLLOUT) != 0 { try write(index) }
            if answer.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { try read(index) }
        }
        return true
    }

    private func read(_ index: Int) throws {
        guard let descriptor = connections[index].descriptor else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN { return }
        // After a kill of the server, the connection ends or is reset.
        if count <= 0 {
            if !connections[index].editor.hasReceivedBye { endsWithoutBye += 1 }
            return leave(index)
        }
        connections[index].input += buffer[..<count]
        var rest = connections[index].input[...]
        while connections[index].descriptor != nil,
            let message = try connections[index].framing.next(of: &rest)
        { try handle(message, index) }
        connections[index].input = Array(rest)
    }

    private func leave(_ index: Int) {
        connections[index].descriptor.map { _ = close($0) }
        connections[index].descriptor = nil
    }

    private func handle(_ line: [UInt8], _ index: Int) throws {
        guard let envelope = try decoder.serverMessage(line) else {
            throw Unexpected("a line of an unknown kind: \(String(decoding: line, as: UTF8.self))")
        }
        let known = connections[index].editor.acked.count
        let answers = try connections[index].editor.received(envelope.message)
        acks += connections[index].editor.acked.count - known
        if let pause = connections[index].editor.retryAfter {
            storageFailures += 1
            if servers.isEmpty, storageFailures > Self.mostFailures * connections.count {
                throw Unexpected("the store stays away: \(envelope.message)")
            }
            connections[index].retryTime = .now + .milliseconds(pause)
            return leave(index)
        }
        try send(answers, index)
    }

    private func send(_ lines: [String], _ index: Int) throws {
        if lines.isEmpty { return }
        for line in lines { connections[index].output += connections[index].framing.bytes(of: line) }
        try write(index)
    }

    /// Writes as much as fits. An error of the connection is ignored here, because the next read detects it.
    private func write(_ index: Int) throws {
        guard let descriptor = connections[index].descriptor, !connections[index].output.isEmpty else {
            return
        }
        let count = Glibc.send(
            descriptor, connections[index].output, connections[index].output.count, Int32(MSG_NOSIGNAL))
        if count > 0 { connections[index].output.removeFirst(count) }
    }
}
