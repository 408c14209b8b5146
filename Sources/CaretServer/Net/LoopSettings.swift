/// The limits of a loop's work, each with its reason.
package struct LoopSettings: Sendable {
    /// Bytes read from one connection in a turn. That is enough for hundreds of messages, and delays the
    /// others by at most a millisecond. The buffer belongs to the loop, because most connections are idle.
    package var readBytes = 64 << 10
    /// Events handled in a turn. Replies to the first of them wait for the last.
    package var eventsATurn = 256
    /// Payloads written in one system call.
    package var payloadsAWrite = 128
    /// Connections accepted in a turn, so that existing connections are not delayed.
    package var acceptsATurn = 32
    /// Descriptors that are left for the rest of the process, unless that is more than a quarter of all. The
    /// store opens files, and libdispatch ends the process if it cannot open one to check its threads.
    package var descriptorsLeft = 64
    /// Milliseconds without accepting after the system has run out of memory or descriptors.
    package var acceptPauseMilliseconds = 100
    /// The clock; tests use another one.
    package var clock: @Sendable () -> Moment = { .now }

    /// What a client is sent if there is no descriptor for its connection; nothing if empty.
    package var refusal: [UInt8] = []
    /// Called on the loop for each connection without a descriptor or memory.
    package var refused: @Sendable (Sockets) -> Void = { _ in }

    package init() {}
}
