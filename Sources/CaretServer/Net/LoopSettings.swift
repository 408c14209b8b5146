/// What bounds the work of a loop, each with its reason.
package struct LoopSettings: Sendable {
    /// Bytes that are read from one connection a turn: enough for hundreds of messages, and the others wait a
    /// millisecond for them at most. The buffer is the loop's and not the connection's, since most are idle.
    package var readBytes = 64 << 10
    /// Events a turn: what is answered to the first of them waits for the last.
    package var eventsATurn = 256
    /// Payloads that go to the system in one call.
    package var payloadsAWrite = 128
    /// Connections that are taken off a listening socket a turn: the connections that are there go on meanwhile.
    package var acceptsATurn = 32
    /// Descriptors that connections leave to the rest of the process, where these are no more than a quarter of all: the
    /// store opens files, and libdispatch, which looks at its threads once a second, ends the process where it cannot.
    package var descriptorsLeft = 64
    /// Milliseconds for which nothing is accepted where the system has no memory or descriptor left.
    package var acceptPauseMilliseconds = 100
    /// The clock; another one in tests.
    package var clock: @Sendable () -> Moment = { .now }

    /// What a connection is sent for which there is no descriptor; nothing where it is empty.
    package var refusal: [UInt8] = []
    /// Told on the loop of each connection for which there was no descriptor or memory.
    package var refused: @Sendable (Sockets) -> Void = { _ in }

    package init() {}
}
