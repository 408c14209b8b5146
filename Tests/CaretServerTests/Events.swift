import CaretRooms
import CaretServer

/// A sequence of events, which a test can await one by one.
final class Events<Event: Sendable>: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func record(_ event: Event) { continuation.yield(event) }

    /// Waits for the next event.
    func next() async -> Event? {
        for await event in stream { return event }
        return nil
    }
}

/// The calls of a handler.
enum HandlerCall: Equatable {
    case received(String)
    case inputEnded
    case wrote(Int)
    case deadlinePassed
    case closed(CloseReason)
}

/// A handler that reports its calls to the test.
final class RecordingHandler: ConnectionHandler {
    struct Behaviour: Sendable {
        /// How many of the received bytes the handler accepts.
        var takes: @Sendable (Int) -> Int = { $0 }
        var onReceived: @Sendable (any ConnectionPort, UnsafeRawBufferPointer) -> Void = { _, _ in }
        var onInputEnded: @Sendable (any ConnectionPort) -> Void = { _ in }
        var onDeadline: @Sendable (any ConnectionPort) -> Void = { _ in }
        /// If true, the handler reports writes too.
        var recordsWritten = false
    }

    private let events: Events<HandlerCall>
    private let behaviour: Behaviour

    /// Makes handlers that pause reading at once. The test must resume it.
    static func paused(_ events: Events<HandlerCall>, _ ids: Events<SocketID>) -> HandlerMaker {
        { connection in
            connection.pauseReading()
            ids.record(connection.id)
            return RecordingHandler(events)
        }
    }

    init(_ events: Events<HandlerCall>, _ behaviour: Behaviour = Behaviour()) {
        self.events = events
        self.behaviour = behaviour
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: any ConnectionPort) -> Int {
        let taken = behaviour.takes(bytes.count)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<taken])
        if taken > 0 { events.record(.received(String(decoding: piece, as: UTF8.self))) }
        behaviour.onReceived(connection, piece)
        return taken
    }

    func inputEnded(on connection: any ConnectionPort) {
        events.record(.inputEnded)
        behaviour.onInputEnded(connection)
    }

    func wrote(_ bytes: Int, on connection: any ConnectionPort) {
        if behaviour.recordsWritten { events.record(.wrote(bytes)) }
    }

    func deadlinePassed(on connection: any ConnectionPort) {
        events.record(.deadlinePassed)
        behaviour.onDeadline(connection)
    }

    func closed(_ reason: CloseReason, on connection: any ConnectionPort) { events.record(.closed(reason)) }
}

/// Echoes its input. After the end of the input, closes the connection once all output is written.
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
