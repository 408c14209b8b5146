/// The updates of an open document. The sequence ends when the document is closed.
public struct DocumentUpdates: AsyncSequence, Sendable {
    private let subscription: UpdatesSubscription

    init(_ shell: ClientShell, _ key: DocumentKey) { subscription = UpdatesSubscription(shell, key) }

    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: UpdatesSubscription
        private var waiting: [DocumentUpdate] = []

        fileprivate init(subscription: UpdatesSubscription) { self.subscription = subscription }

        /// Drops the updates that have arrived already.
        mutating func skipWaiting() { waiting = [] }

        /// Returns nil at the end, or if the task was cancelled.
        public mutating func next() async -> DocumentUpdate? {
            if waiting.isEmpty {
                // This stream never ends with an error.
                waiting = (try? await subscription.updates.next())?.reversed() ?? []
            }
            return waiting.popLast()
        }
    }
}

/// Ends the updates when the sequence and its iterators are released.
private final class UpdatesSubscription: Sendable {
    let updates: CoalescingStream<PendingUpdates>
    private let shell: ClientShell
    private let key: DocumentKey

    init(_ shell: ClientShell, _ key: DocumentKey) {
        self.shell = shell
        self.key = key
        updates = shell.updates(of: key)
    }

    deinit { shell.end(updates, of: key) }
}
