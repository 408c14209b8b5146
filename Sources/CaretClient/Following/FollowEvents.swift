/// The events of all followed documents of a server.
package struct FollowEvents: AsyncSequence, Sendable {
    private let subscription: Subscription

    init(_ shell: ClientShell, _ events: CoalescingStream<PendingFollowEvents>) {
        subscription = Subscription(shell, events)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription
        private var waiting: [FollowEvent] = []

        fileprivate init(subscription: Subscription) { self.subscription = subscription }

        package mutating func next() async throws -> FollowEvent? {
            if waiting.isEmpty { waiting = try await subscription.events.next()?.reversed() ?? [] }
            return waiting.popLast()
        }
    }
}

/// Ends the `follow` on the server when the sequence and its iterators are released.
private final class Subscription: Sendable {
    let shell: ClientShell
    let events: CoalescingStream<PendingFollowEvents>

    init(_ shell: ClientShell, _ events: CoalescingStream<PendingFollowEvents>) {
        self.shell = shell
        self.events = events
    }

    deinit { shell.unfollow(events) }
}
