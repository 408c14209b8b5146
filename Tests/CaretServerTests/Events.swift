import CaretServer
import Synchronization

/// Events in order, for a test that awaits them.
final class Events<Event: Sendable>: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func tell(_ event: Event) { continuation.yield(event) }

    /// The next event that was not returned yet.
    func next() async -> Event? {
        for await event in stream { return event }
        return nil
    }
}

/// The calls of a handler.
enum Told: Equatable {
    case received(String)
    case inputEnded
    case wrote(Int)
    case deadlinePassed
    case closed(CloseReason)
}

/// A handler that reports its calls to a test and behaves as the test defines.
final class TellingHandler: ConnectionHandler {
    struct Behaviour: Sendable {
        /// Returns how many of the received bytes the handler accepts.
        var takes: @Sendable (Int) -> Int = { $0 }
        var onReceived: @Sendable (any ConnectionPort, UnsafeRawBufferPointer) -> Void = { _, _ in }
        var onInputEnded: @Sendable (any ConnectionPort) -> Void = { _ in }
        var onDeadline: @Sendable (any ConnectionPort) -> Void = { _ in }
        /// Whether the handler reports each write.
        var tellsWritten = false
    }

    private let events: Events<Told>
    private let behaviour: Behaviour

    /// Makes handlers that read nothing until the test resumes reading.
    static func paused(_ events: Events<Told>, _ ids: Events<SocketID>) -> HandlerMaker {
        { connection in
            connection.pauseReading()
            ids.tell(connection.id)
            return TellingHandler(events)
        }
    }

    init(_ events: Events<Told>, _ behaviour: Behaviour = Behaviour()) {
        self.events = events
        self.behaviour = behaviour
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int {
        let taken = behaviour.takes(bytes.count)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<taken])
        if taken > 0 { events.tell(.received(String(decoding: piece, as: UTF8.self))) }
        behaviour.onReceived(connection, piece)
        return taken
    }

    func inputEnded(on connection: any ConnectionPort) {
        events.tell(.inputEnded)
        behaviour.onInputEnded(connection)
    }

    func wrote(_ bytes: Int, on connection: any ConnectionPort) {
        if behaviour.tellsWritten { events.tell(.wrote(bytes)) }
    }

    func deadlinePassed(on connection: any ConnectionPort) {
        events.tell(.deadlinePassed)
        behaviour.onDeadline(connection)
    }

    func closed(_ reason: CloseReason, on connection: any ConnectionPort) { events.tell(.closed(reason)) }
}

/// Echoes what it receives, and closes once everything is written and the input has ended.
final class EchoHandler: ConnectionHandler {
    private var hasEnded = false

    func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int {
        connection.send(Payload(bytes))
        return bytes.count
    }

    func inputEnded(on connection: any ConnectionPort) {
        hasEnded = true
        closeIfDone(connection)
    }

    func wrote(_ bytes: Int, on connection: any ConnectionPort) { closeIfDone(connection) }

    private func closeIfDone(_ connection: any ConnectionPort) {
        guard hasEnded, let connection = connection as? Connection, connection.waitingBytes == 0 else {
            return
        }
        connection.close()
    }

    func deadlinePassed(on connection: any ConnectionPort) {}

    func closed(_ reason: CloseReason, on connection: any ConnectionPort) {}
}

/// A value that several queues use.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    var value: Value { mutex.withLock { $0 } }

    func change(_ body: (inout sending Value) -> Void) { mutex.withLock { body(&$0) } }
}
