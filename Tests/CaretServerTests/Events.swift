import CaretServer
import Synchronization

/// What happened, in order, for a test that waits for it.
final class Events<Event: Sendable>: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func tell(_ event: Event) { continuation.yield(event) }

    /// The next event that nobody has waited for.
    func next() async -> Event? {
        for await event in stream { return event }
        return nil
    }
}

/// What a handler was told.
enum Told: Equatable {
    case received(String)
    case inputEnded
    case wrote(Int)
    case deadlinePassed
    case closed(CloseReason)
}

/// A handler that tells a test what it is told, and does what the test says.
final class TellingHandler: ConnectionHandler {
    struct Behaviour: Sendable {
        /// How many of so many bytes it takes.
        var takes: @Sendable (Int) -> Int = { $0 }
        var onReceived: @Sendable (Connection, UnsafeRawBufferPointer) -> Void = { _, _ in }
        var onInputEnded: @Sendable (Connection) -> Void = { _ in }
        var onDeadline: @Sendable (Connection) -> Void = { _ in }
        /// What is written is told in so many words.
        var tellsWritten = false
    }

    private let events: Events<Told>
    private let behaviour: Behaviour

    init(_ events: Events<Told>, _ behaviour: Behaviour = Behaviour()) {
        self.events = events
        self.behaviour = behaviour
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> Int {
        let taken = behaviour.takes(bytes.count)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<taken])
        if taken > 0 { events.tell(.received(String(decoding: piece, as: UTF8.self))) }
        behaviour.onReceived(connection, piece)
        return taken
    }

    func inputEnded(on connection: Connection) {
        events.tell(.inputEnded)
        behaviour.onInputEnded(connection)
    }

    func wrote(_ bytes: Int, on connection: Connection) {
        if behaviour.tellsWritten { events.tell(.wrote(bytes)) }
    }

    func deadlinePassed(on connection: Connection) {
        events.tell(.deadlinePassed)
        behaviour.onDeadline(connection)
    }

    func closed(_ reason: CloseReason, on connection: Connection) { events.tell(.closed(reason)) }
}

/// Sends back what comes, and closes once all of it is written and the input has ended.
final class EchoHandler: ConnectionHandler {
    private var hasEnded = false

    func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> Int {
        connection.send(Payload(bytes))
        return bytes.count
    }

    func inputEnded(on connection: Connection) {
        hasEnded = true
        closeIfDone(connection)
    }

    func wrote(_ bytes: Int, on connection: Connection) { closeIfDone(connection) }

    private func closeIfDone(_ connection: Connection) {
        if hasEnded, connection.waitingBytes == 0 { connection.close() }
    }

    func deadlinePassed(on connection: Connection) {}

    func closed(_ reason: CloseReason, on connection: Connection) {}
}

/// A value that several queues touch.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    var value: Value { mutex.withLock { $0 } }

    func change(_ body: (inout sending Value) -> Void) { mutex.withLock { body(&$0) } }
}
