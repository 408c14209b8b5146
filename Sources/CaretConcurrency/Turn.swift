#if canImport(Glibc)
    public import Glibc
    public import Synchronization

    /// A section that one thread at a time may enter. Each thread sees the memory writes of the previous
    /// thread.
    ///
    /// A turn is no lock: no thread waits for it. Callers ensure by other means, such as a `CoalescingQueue`,
    /// that only one thread enters. If two threads are inside at the same time, the program traps.
    public final class Turn: Confinement {
        /// The thread that is inside the turn; zero if the turn is free.
        @usableFromInline let holder: Atomic<pthread_t> = Atomic(0)

        @inlinable public init() {}

        /// Runs `body` inside the turn. Traps if a thread is already inside, even if it is the calling
        /// thread.
        @inlinable public func run<Answer>(_ body: () -> Answer) -> Answer {
            let other = holder.exchange(pthread_self(), ordering: .acquiring)
            precondition(other == 0, "the turn was entered while a thread was inside it")
            defer { holder.store(0, ordering: .releasing) }
            return body()
        }

        @inlinable public func check(_: Void) {
            precondition(
                holder.load(ordering: .relaxed) == pthread_self(), "the calling thread is not inside the turn"
            )
        }
    }
#endif
