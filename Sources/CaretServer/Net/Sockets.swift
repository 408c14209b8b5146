import CaretConcurrency
import Glibc

/// The index of a loop among the server's loops.
package struct LoopNumber: Hashable, Sendable {
    package let rawValue: Int

    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// Only code on a loop has the loop's context. So the context proves that the code runs there.
extension LoopNumber: Confinement {
    package func check(_ loop: any LoopContext) {
        precondition(loop.number == self, "loop \(loop.number) touches a value of loop \(self)")
    }
}

/// The sockets of one loop, with their deadlines and counters. Confined to the loop's queue. Other threads
/// must post jobs.
package final class Sockets {
    private enum Content {
        case mailbox
        case alarm
        case connection(Connection)
        case acceptor(Acceptor)
    }

    /// How long a turn waits for events.
    enum PollWait {
        case none
        case untilEvent
    }

    enum WriteResult {
        case wrote(Int, isAll: Bool)
        case failed(Int32)
    }

    package let number: LoopNumber
    package let settings: LoopSettings
    /// When this turn began.
    package private(set) var now: Moment
    package var counters = LoopCounters()
    /// Called twice in a turn: once after the turn's events and before its writes, and once at the end of the
    /// turn.
    package var afterEvents: (() -> Void)?
    /// For connections with TLS.
    private(set) lazy var secureBuffers = SecureChannel.Buffers()
    private var handshakeStepsLeft = 0
    /// The bytes read last. Each read of any connection overwrites them.
    let readBuffer: UnsafeMutableRawBufferPointer
    private let poller: Poller
    private let mailbox: Mailbox
    private let pieces: UnsafeMutableBufferPointer<iovec>
    private var alarm: Alarm
    private var slots = Slots<Content>()
    private var deadlines = Deadlines()
    /// Jobs for a later time. There are only a few.
    private var laterJobs: [(moment: Moment, job: Mailbox.Job)] = []
    private var unflushed: [Connection] = []
    /// An empty array with capacity, which replaces `unflushed` during a flush.
    private var emptyList: [Connection] = []
    private var resumed: [Connection] = []
    private var ended: [(connection: Connection, reason: CloseReason)] = []

    init(_ number: LoopNumber, _ mailbox: Mailbox, _ settings: LoopSettings) throws(SystemFault) {
        self.number = number
        self.settings = settings
        self.mailbox = mailbox
        now = settings.clock()
        poller = try Poller(events: settings.eventsATurn)
        readBuffer = .allocate(byteCount: settings.readBytes, alignment: 16)
        pieces = .allocate(capacity: settings.payloadsAWrite)
        alarm = try Alarm()
        try poller.add(mailbox.descriptor, as: slots.insert { _ in .mailbox }, for: [.input, .edges])
        try poller.add(alarm.descriptor, as: slots.insert { _ in .alarm }, for: [.input, .edges])
    }

    deinit {
        readBuffer.deallocate()
        pieces.deallocate()
    }

    // MARK: Connections

    /// Nil if the connection has ended.
    package subscript(id: SocketID) -> Connection? {
        guard id.loop == number, case .connection(let connection) = slots[id.slot] else { return nil }
        return connection
    }

    /// All connections that have not ended.
    package var connections: [Connection] {
        slots.contents.compactMap {
            switch $0 {
            case .connection(let connection): connection
            case .mailbox, .alarm, .acceptor: nil
            }
        }
    }

    /// Takes ownership of a connected socket. Returns nil, and closes the socket, if the system cannot watch
    /// it.
    @discardableResult
    package func adopt(_ socket: AcceptedSocket, _ make: HandlerMaker) -> Connection? {
        var made: Connection?
        slots.insert { slot in
            let id = SocketID(loop: number, slot: slot)
            let connection = Connection(id, socket, on: self)
            made = connection
            return .connection(connection)
        }
        guard let made else { return nil }
        do throws(SystemFault) {
            try poller.add(socket.descriptor, as: made.id.slot, for: .input)
        } catch {
            slots.remove(made.id.slot)
            close(socket.descriptor)
            reportRefusal()
            return nil
        }
        counters.opened += 1
        made.begin(make(made))
        return made
    }

    // MARK: Turns

    /// Whether the next turn has work even without an event.
    var hasWork: Bool { !unflushed.isEmpty || !resumed.isEmpty || !ended.isEmpty }

    /// Waits for events, and runs a turn.
    func turn(_ waiting: PollWait) {
        if let next = nextDeadline { alarm.set(for: next, now: now) }
        let events = poller.wait(milliseconds: waiting == .none ? 0 : -1)
        now = settings.clock()
        handshakeStepsLeft = settings.handshakeStepsATurn
        counters.turns += 1
        counters.events += events
        for index in 0..<events { dispatch(poller[index]) }
        run(mailbox.takeAll())
        if !laterJobs.isEmpty { runLaterJobs() }
        handlePassedDeadlines()
        finishTurn()
    }

    private var nextDeadline: Moment? {
        laterJobs.reduce(deadlines.next) { min($0 ?? $1.moment, $1.moment) }
    }

    package func run(at moment: Moment, _ job: @escaping @Sendable (any LoopContext) -> Void) {
        laterJobs.append((moment, job))
    }

    private func runLaterJobs() {
        let due = laterJobs.filter { $0.moment <= now }
        if due.isEmpty { return }
        laterJobs.removeAll { $0.moment <= now }
        for (_, job) in due { job(self) }
    }

    private func dispatch(_ readiness: Readiness) {
        switch slots[readiness.slot] {
        case .connection(let connection): connection.ready(readiness)
        case .acceptor(let acceptor): acceptor.ready()
        // The mailbox and the alarm need no call here, because every turn checks jobs and deadlines anyway.
        // Nil means that the connection of this event ended earlier in this turn.
        case .mailbox, .alarm, nil: return
        }
    }

    private func run(_ jobs: [Mailbox.Job]) {
        counters.jobs += jobs.count
        for job in jobs { job(self) }
    }

    private func handlePassedDeadlines() {
        while let slot = deadlines.popDue(by: now) {
            switch slots[slot] {
            case .connection(let connection): connection.deadlinePassed()
            case .acceptor(let acceptor): acceptor.resume()
            case .mailbox, .alarm, nil:
                preconditionFailure("slot \(slot) has a deadline, but no connection or acceptor")
            }
        }
    }

    private func finishTurn() {
        if !resumed.isEmpty { deliverKeptInput() }
        afterEvents?()
        // The output of these jobs is still written in this turn.
        run(mailbox.takeAll())
        if !unflushed.isEmpty { flush() }
        if !ended.isEmpty { notifyEnded() }
        afterEvents?()
    }

    private func deliverKeptInput() {
        let list = resumed
        resumed = []
        for connection in list { connection.deliverKeptInput() }
    }

    private func flush() {
        var list = emptyList
        emptyList = []
        swap(&list, &unflushed)
        for connection in list { connection.flush() }
        list.removeAll(keepingCapacity: true)
        emptyList = list
    }

    private func notifyEnded() {
        let list = ended
        ended = []
        for (connection, reason) in list { connection.notifyClosed(reason) }
    }

    /// Runs the remaining jobs, writes once more, and closes all sockets.
    func stop() {
        run(mailbox.close())
        finishTurn()
        for content in slots.contents {
            switch content {
            case .connection(let connection): connection.close(.loopStopped)
            case .acceptor(let acceptor): acceptor.close()
            case .mailbox, .alarm: continue
            }
        }
        while !ended.isEmpty { notifyEnded() }
        close(alarm.descriptor)
        close(poller.descriptor)
    }

    // MARK: For connections and acceptors

    /// Counts and reports a connection that was refused.
    func reportRefusal() {
        counters.refused += 1
        settings.refused(self)
    }

    func flushLater(_ connection: Connection) { unflushed.append(connection) }

    func resumed(_ connection: Connection) { resumed.append(connection) }

    /// Whether a handshake may continue in this turn. If not, it must wait for the next one.
    func claimHandshakeStep() -> Bool {
        if handshakeStepsLeft == 0 { return false }
        handshakeStepsLeft -= 1
        return true
    }

    func deadline(of slot: SlotID) -> Moment? { deadlines[Int(slot.slot)] }

    func setDeadline(_ moment: Moment?, of slot: SlotID) { deadlines[Int(slot.slot)] = moment }

    /// Closes the descriptor now. The handler's `closed` is called at the end of the turn, so that it never
    /// runs inside another call.
    func remove(_ connection: Connection, _ reason: CloseReason) {
        setDeadline(nil, of: connection.id.slot)
        slots.remove(connection.id.slot)
        close(connection.descriptor)
        counters.closed += 1
        ended.append((connection, reason))
    }

    func watch(_ descriptor: Int32, as slot: SlotID, for interest: Interest) {
        poller.change(descriptor, as: slot, for: interest)
    }

    func unwatch(_ descriptor: Int32) { poller.remove(descriptor) }

    /// Watches a connection that was not watched.
    func watchAgain(_ connection: Connection, for interest: Interest) {
        do throws(SystemFault) {
            try poller.add(connection.descriptor, as: connection.id.slot, for: interest)
        } catch {
            connection.close(.lost(error))
        }
    }

    func addAcceptor(_ make: (SlotID) -> Acceptor) throws(SystemFault) -> SlotID {
        var made: Acceptor?
        slots.insert {
            let acceptor = make($0)
            made = acceptor
            return .acceptor(acceptor)
        }
        guard let made else { preconditionFailure("the new slot has no acceptor") }
        do throws(SystemFault) {
            try poller.add(made.descriptor, as: made.slot, for: .input)
        } catch {
            slots.remove(made.slot)
            throw error
        }
        return made.slot
    }

    func closeAcceptor(_ slot: SlotID) {
        guard case .acceptor(let acceptor) = slots[slot] else { return }
        acceptor.close()
    }

    /// Removes the acceptor's slot. The acceptor closes its descriptor itself.
    func remove(_ acceptor: Acceptor) {
        setDeadline(nil, of: acceptor.slot)
        slots.remove(acceptor.slot)
    }

    // MARK: System calls

    /// Reads at most `limit` bytes into the shared buffer. Returns the result of `recv`.
    func read(from descriptor: Int32, upTo limit: Int = .max) -> Int {
        let size = min(limit, readBuffer.count)
        let count = uninterrupted { recv(descriptor, readBuffer.baseAddress, size, 0) }
        counters.reads += 1
        if count > 0 { counters.bytesRead += count }
        return count
    }

    /// Writes as many of the first bytes as a turn may write and as fit in one system call. The queue must not be empty.
    func write(_ output: borrowing OutputQueue, to descriptor: Int32) -> WriteResult {
        let limit = settings.writeBytes
        let (front, isAll) = output.front
        if isAll || front.count >= limit {
            return write(UnsafeRawBufferPointer(rebasing: front.prefix(limit)), to: descriptor)
        }
        let used = UnsafeMutableBufferPointer(rebasing: pieces[..<output.fill(pieces, upTo: limit)])
        var message = msghdr()
        message.msg_iov = used.baseAddress
        message.msg_iovlen = used.count
        let count = uninterrupted { sendmsg(descriptor, &message, Self.writeFlags) }
        return result(of: count, size: used.reduce(0) { $0 + $1.iov_len })
    }

    /// Writes as many of the bytes as fit in one system call.
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> WriteResult {
        let count = uninterrupted {
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Self.writeFlags)
        }
        return result(of: count, size: bytes.count)
    }

    // Without this flag, writing to a closed connection would kill the process with SIGPIPE.
    private static let writeFlags = Int32(MSG_NOSIGNAL)

    private func result(of count: Int, size: Int) -> WriteResult {
        counters.writes += 1
        return count < 0 ? notWritten(errno) : wrote(count, of: size)
    }

    private func wrote(_ count: Int, of size: Int) -> WriteResult {
        counters.bytesWritten += count
        if count < size { counters.blockedWrites += 1 }
        return .wrote(count, isAll: count == size)
    }

    private func notWritten(_ code: Int32) -> WriteResult {
        if code != EAGAIN && code != EWOULDBLOCK { return .failed(code) }
        counters.blockedWrites += 1
        return .wrote(0, isAll: false)
    }
}
