/// The updates of an open document. The sequence ends when the document is closed.
public struct DocumentUpdates: AsyncSequence, Sendable {
    private let subscription: UpdatesSubscription

    init(_ shell: ClientShell, _ user: DocumentUser?) { subscription = UpdatesSubscription(shell, user) }

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
    private let user: DocumentUser?

    init(_ shell: ClientShell, _ user: DocumentUser?) {
        self.shell = shell
        self.user = user
        updates = shell.updates(of: user)
    }

    deinit { shell.end(updates, of: user) }
}
