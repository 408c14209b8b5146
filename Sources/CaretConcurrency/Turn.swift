public import Glibc
public import Synchronization

/// Lets threads take turns: one at a time is inside, and each sees what the previous one has done.
///
/// A turn makes nobody wait. Its users keep the order by other means, such as a `CoalescingQueue`. If they
/// fail to, this traps.
public final class Turn: Confinement {
    /// The thread that is inside; zero if there is none.
    @usableFromInline let holder: Atomic<pthread_t> = Atomic(0)

    @inlinable public init() {}

    /// Runs `body` inside. Traps if another thread is inside, or if this one already is.
    @inlinable public func run<Answer>(_ body: () -> Answer) -> Answer {
        let other = holder.exchange(pthread_self(), ordering: .acquiring)
        precondition(other == 0, "two callers are inside one turn")
        defer { holder.store(0, ordering: .releasing) }
        return body()
    }

    @inlinable public func check(_: Void) {
        precondition(holder.load(ordering: .relaxed) == pthread_self(), "a call from outside the turn")
    }
}
