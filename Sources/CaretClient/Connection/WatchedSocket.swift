@preconcurrency import Dispatch
import Glibc

/// A descriptor with the sources that watch it. Confined to the queue of the sources.
///
/// A descriptor that is closed while a source still watches it makes the next source of that number deaf, so it is closed
/// once all are cancelled. A source is never suspended: one that was resumed again now and then stayed silent.
final class WatchedSocket {
    let descriptor: Int32
    private let queue: DispatchQueue
    private let input: any DispatchSourceRead
    /// There while output is watched for.
    private var output: (any DispatchSourceWrite)?
    private let writable: () -> Void
    /// The sources that are not cancelled yet.
    private let sources = DispatchGroup()
    private var isClosed = false

    /// Watches for input at once. The handlers are called on the queue, and not after `close`.
    init(
        _ descriptor: Int32, _ queue: DispatchQueue, readable: @escaping () -> Void,
        writable: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        self.queue = queue
        self.writable = writable
        input = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        begin(input, readable)
    }

    private func begin(_ source: any DispatchSourceProtocol, _ handler: @escaping () -> Void) {
        let sources = sources
        sources.enter()
        source.setEventHandler(handler: handler)
        source.setCancelHandler { sources.leave() }
        source.activate()
    }

    /// Whether `writable` is called as long as the socket takes output.
    func watchOutput(_ watches: Bool) {
        if isClosed || watches == (output != nil) { return }
        output?.cancel()
        output = nil
        if !watches { return }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        begin(source, writable)
        output = source
    }

    func close() {
        if isClosed { return }
        isClosed = true
        input.cancel()
        output?.cancel()
        let descriptor = descriptor
        sources.notify(queue: queue) { Glibc.close(descriptor) }
    }

    deinit { precondition(isClosed, "a socket is let go that was not closed") }
}
