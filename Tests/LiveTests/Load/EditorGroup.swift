import CaretWire
import Glibc
import TestSupport

/// Many editors on connections of their own, driven by one thread.
final class EditorGroup {
    private struct EditorConnection {
        var editor: Editor
        /// Nil if it is not connected.
        var descriptor: Int32?
        var input: [UInt8] = []
        var output: [UInt8] = []
    }

    private var seats: [EditorConnection]
    private var decoder = MessageDecoder()
    /// The acks of all editors, on all their connections.
    private(set) var acks = 0

    private static let patience: Int32 = 60_000

    /// Makes `count` editors, spread over documents.
    init(_ count: Int, documents: Int) {
        seats = (0..<count).map { EditorConnection(editor: Editor($0, in: "doc-\($0 % documents)")) }
    }

    deinit { for seat in seats { seat.descriptor.map { _ = close($0) } } }

    var editors: [Editor] { seats.map(\.editor) }
    /// The number of connected editors.
    var present: Int { seats.count { $0.descriptor != nil } }

    // MARK: Work

    /// Connects all editors that are not connected. They continue where they were.
    func connect(to server: LiveServer) throws {
        for index in seats.indices where seats[index].descriptor == nil {
            let descriptor = try Address.loopback(port: server.port).connected()
            seats[index].descriptor = descriptor
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            (seats[index].input, seats[index].output) = ([], [])
            try send([seats[index].editor.hello()], index)
        }
    }

    /// Works until the condition holds. Editors may lose their connections meanwhile; the caller checks that.
    func work(until isSo: (EditorGroup) -> Bool) throws {
        while !isSo(self) {
            if present == 0 { throw Unexpected("the connection of every editor has ended") }
            guard try turn(Self.patience) else { throw Unexpected("no editor receives anything any more") }
        }
    }

    /// Works until nothing has arrived for some time.
    func work(untilSilentFor milliseconds: Int32) throws {
        while present > 0, try turn(milliseconds) {}
    }

    /// Does the work that is ready now, in at most `turns` turns.
    func work(forAtMost turns: Int) throws { for _ in 0..<turns where try turn(0) {} }

    /// Works until every push is acked. Editors push nothing new meanwhile.
    func waitForAcks() throws {
        for index in seats.indices { seats[index].editor.isResting = true }
        try work { group in group.seats.allSatisfy(\.editor.isSettled) }
        for index in seats.indices { seats[index].editor.isResting = false }
    }

    /// Works until every connection has ended, for any reason.
    func workToTheEnd() throws { while present > 0, try turn(Self.patience) {} }

    // MARK: One turn

    /// Waits for events and handles them. Returns false if no event came within this time.
    private func turn(_ milliseconds: Int32) throws -> Bool {
        let places = seats.indices.filter { seats[$0].descriptor != nil }
        var asked = places.map { place in
            let events = POLLIN | (seats[place].output.isEmpty ? 0 : POLLOUT)
            return pollfd(fd: seats[place].descriptor ?? -1, events: Int16(events), revents: 0)
        }
        if poll(&asked, nfds_t(asked.count), milliseconds) == 0 { return false }
        for (place, answer) in zip(places, asked) where answer.revents != 0 {
            if answer.revents & Int16(POLLOUT) != 0 { try write(place) }
            if answer.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { try read(place) }
        }
        return true
    }

    private func read(_ place: Int) throws {
        guard let descriptor = seats[place].descriptor else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN { return }
        // After a kill of the server, the connection ends or is reset.
        if count <= 0 { return leave(place) }
        seats[place].input += buffer[..<count]
        var rest = seats[place].input[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try handle(Array(rest[..<end]), place)
            rest = rest[(end + 1)...]
        }
        seats[place].input = Array(rest)
    }

    private func leave(_ place: Int) {
        seats[place].descriptor.map { _ = close($0) }
        seats[place].descriptor = nil
    }

    private func handle(_ line: [UInt8], _ place: Int) throws {
        guard let envelope = try decoder.serverMessage(line) else {
            throw Unexpected("a line of an unknown kind: \(String(decoding: line, as: UTF8.self))")
        }
        let known = seats[place].editor.acked.count
        let answers = try seats[place].editor.received(envelope.message)
        acks += seats[place].editor.acked.count - known
        try send(answers, place)
    }

    private func send(_ lines: [String], _ place: Int) throws {
        if lines.isEmpty { return }
        for line in lines { seats[place].output += Array(line.utf8) + [UInt8(ascii: "\n")] }
        try write(place)
    }

    /// Writes as much as fits. The next read detects an error of the connection.
    private func write(_ place: Int) throws {
        guard let descriptor = seats[place].descriptor, !seats[place].output.isEmpty else { return }
        let count = Glibc.send(
            descriptor, seats[place].output, seats[place].output.count, Int32(MSG_NOSIGNAL))
        if count > 0 { seats[place].output.removeFirst(count) }
    }
}
