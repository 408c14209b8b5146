/// What happens to an open document, as it happens; it ends when the document is closed.
public struct DocumentUpdates: AsyncSequence, Sendable {
    private let subscription: UpdatesSubscription

    init(_ shell: ClientShell, _ key: DocumentKey) { subscription = UpdatesSubscription(shell, key) }

    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: UpdatesSubscription
        private var waiting: [DocumentUpdate] = []

        fileprivate init(subscription: UpdatesSubscription) { self.subscription = subscription }

        /// Nil at the end, and for a task that was cancelled.
        public mutating func next() async -> DocumentUpdate? {
            if waiting.isEmpty {
                // These updates end without an error, so there is none to tell.
                waiting = (try? await subscription.updates.next())?.reversed() ?? []
            }
            return waiting.popLast()
        }
    }
}

/// Takes no more updates once nobody reads them.
private final class UpdatesSubscription: Sendable {
    let updates: Pipe<PendingUpdates>
    private let shell: ClientShell
    private let key: DocumentKey

    init(_ shell: ClientShell, _ key: DocumentKey) {
        self.shell = shell
        self.key = key
        updates = shell.updates(of: key)
    }

    deinit { shell.end(updates, of: key) }
}
