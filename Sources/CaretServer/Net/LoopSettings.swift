/// The limits of a loop.
package struct LoopSettings: Sendable {
    /// The most bytes that a turn reads from one connection. This is enough for hundreds of messages, and
    /// delays other connections by at most a millisecond. All connections of a loop share one buffer, because
    /// most of them are idle.
    package var readBytes = 64 << 10
    /// The most bytes that a turn writes to one connection, so that long texts for many connections delay the others by
    /// little. The rest is written in the next turns.
    package var writeBytes = 64 << 10
    /// The most events that a turn handles. Replies to the first event wait until the last event is handled.
    package var eventsATurn = 256
    /// The most payloads that one system call writes.
    package var payloadsAWrite = 128
    /// The most steps of TLS handshakes in a turn. One step may take a millisecond, and delays the other
    /// connections.
    package var handshakeStepsATurn = 2
    /// The most connections that a turn accepts. The number is limited so that existing connections are not
    /// delayed.
    package var acceptsATurn = 32
    /// The number of descriptors that connections may not use, because the rest of the process needs them. If
    /// a quarter of all descriptors is less than this number, a quarter is kept. The store opens files.
    /// libdispatch also opens files, and crashes the process if it cannot.
    package var descriptorsLeft = 64
    /// After the system has run out of memory or descriptors, no connection is accepted for this many
    /// milliseconds.
    package var acceptPauseMilliseconds = 100
    /// The clock; tests use another one.
    package var clock: @Sendable () -> Moment = { .now }

    /// The line that a client gets if no descriptor is free for its connection. If the line is empty, nothing
    /// is sent.
    package var refusal: [UInt8] = []
    /// Called on the loop for each connection that was refused because no descriptor or memory was free.
    package var refused: @Sendable (Sockets) -> Void = { _ in }

    package init() {}
}
