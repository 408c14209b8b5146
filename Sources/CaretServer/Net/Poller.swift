import CLinux
import Glibc

/// The events for which a descriptor is watched.
struct Interest: OptionSet {
    let rawValue: UInt32

    static let input = Interest(rawValue: EPOLLIN.rawValue)
    static let output = Interest(rawValue: EPOLLOUT.rawValue)
    /// Edge-triggered: each arrival of data is reported once, not in every turn while data waits.
    static let edges = Interest(rawValue: EPOLLET.rawValue)
}

/// An event of a watched descriptor.
struct Readiness {
    let slot: SlotID
    private let bits: UInt32

    init(_ event: epoll_event) {
        slot = SlotID(word: event.data.u64)
        bits = event.events
    }

    var hasInput: Bool { bits & EPOLLIN.rawValue != 0 }
    var isWritable: Bool { bits & EPOLLOUT.rawValue != 0 }
    /// The peer has disconnected or the connection has failed. The system reports this even without an
    /// interest in it.
    var hasHungUp: Bool { bits & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
}

/// An epoll instance.
struct Poller: ~Copyable {
    let descriptor: Int32
    private let events: UnsafeMutableBufferPointer<epoll_event>

    /// Makes a poller that returns at most this many events per wait.
    init(events: Int) throws(SystemFault) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        if descriptor < 0 { throw SystemFault("epoll_create1") }
        self.events = .allocate(capacity: events)
    }

    deinit { events.deallocate() }

    func add(_ watched: Int32, as slot: SlotID, for interest: Interest) throws(SystemFault) {
        if control(EPOLL_CTL_ADD, watched, slot, interest) != 0 { throw SystemFault("epoll_ctl") }
    }

    /// Changes the events for which a descriptor is watched.
    func change(_ watched: Int32, as slot: SlotID, for interest: Interest) {
        let code = control(EPOLL_CTL_MOD, watched, slot, interest)
        precondition(code == 0, "epoll does not know a watched descriptor: \(SystemFault("epoll_ctl"))")
    }

    func remove(_ watched: Int32) {
        let code = control(EPOLL_CTL_DEL, watched, SlotID(word: 0), [])
        precondition(code == 0, "epoll does not know a watched descriptor: \(SystemFault("epoll_ctl"))")
    }

    /// Waits up to `milliseconds` for events, and returns their number.
    func wait(milliseconds: Int32) -> Int {
        let count = epoll_wait(descriptor, events.baseAddress!, Int32(events.count), milliseconds)
        if count >= 0 { return Int(count) }
        // A signal interrupted the call. The next turn gets the events.
        if errno == EINTR { return 0 }
        preconditionFailure("waiting for events failed: \(SystemFault("epoll_wait"))")
    }

    /// One of the events of the last wait.
    subscript(index: Int) -> Readiness { Readiness(events[index]) }

    private func control(_ operation: Int32, _ watched: Int32, _ slot: SlotID, _ interest: Interest) -> Int32
    {
        var event = epoll_event()
        event.events = interest.rawValue
        event.data.u64 = slot.word
        return epoll_ctl(descriptor, operation, watched, &event)
    }
}
