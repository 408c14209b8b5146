@preconcurrency import Dispatch
import Glibc

/// A descriptor with the two sources that watch it. Confined to the queue of the sources.
///
/// A source that is let go while it is suspended ends the process, and a descriptor that is closed while a source
/// still watches it makes the next source of that number deaf. So both are resumed, cancelled, and only then is the
/// descriptor closed.
final class WatchedSocket {
    let descriptor: Int32
    private let input: any DispatchSourceRead
    private let output: any DispatchSourceWrite
    private var watchesOutput = false
    private var isClosed = false

    /// Watches for input at once. The handlers are called on the queue, and not after `close`.
    init(
        _ descriptor: Int32, _ queue: DispatchQueue, readable: @escaping () -> Void,
        writable: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        input = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        output = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        input.setEventHandler(handler: readable)
        output.setEventHandler(handler: writable)
        let group = DispatchGroup()
        for source in [input, output] as [any DispatchSourceProtocol] {
            group.enter()
            source.setCancelHandler { group.leave() }
        }
        group.notify(queue: queue) { Glibc.close(descriptor) }
        input.activate()
        // A source must have been activated before it may be suspended or cancelled.
        output.activate()
        output.suspend()
    }

    /// Whether `writable` is called as long as the socket takes output.
    func watchOutput(_ watches: Bool) {
        if isClosed || watches == watchesOutput { return }
        watchesOutput = watches
        if watches { output.resume() } else { output.suspend() }
    }

    func close() {
        if isClosed { return }
        watchOutput(true)
        isClosed = true
        input.cancel()
        output.cancel()
    }

    deinit { precondition(isClosed, "a socket is let go that was not closed") }
}
