/// What happens to the documents of a server, as it happens.
package struct DocumentNewsSequence: AsyncSequence, Sendable {
    private let subscription: Subscription

    init(_ shell: ClientShell, _ news: Pipe<PendingNews>) { subscription = Subscription(shell, news) }

    package func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription
        private var waiting: [DocumentNews] = []

        fileprivate init(subscription: Subscription) { self.subscription = subscription }

        package mutating func next() async throws -> DocumentNews? {
            if waiting.isEmpty { waiting = try await subscription.news.next()?.reversed() ?? [] }
            return waiting.popLast()
        }
    }
}

/// Ends what the server tells once nobody listens any more.
private final class Subscription: Sendable {
    let shell: ClientShell
    let news: Pipe<PendingNews>

    init(_ shell: ClientShell, _ news: Pipe<PendingNews>) {
        self.shell = shell
        self.news = news
    }

    deinit { shell.unfollow(news) }
}
