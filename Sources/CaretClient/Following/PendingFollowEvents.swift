import CaretWire

/// Follow events that the reader has not received yet. For each document name, at most two events wait: the
/// latest `gone`, and the latest event of the document that now has the name.
package struct PendingFollowEvents: CoalescingBuffer {
    /// The numbers of the waiting events about one document name. A number is nil if no such event waits.
    private struct Numbers {
        var gone: Int?
        var document: Int?
    }

    /// The waiting events, by number. They are delivered in the order of their numbers.
    private var events: [Int: FollowEvent] = [:]
    private var count = 0
    private var numbers: [WireString: Numbers] = [:]

    package init() {}

    package mutating func add(_ next: FollowEvent) {
        switch next {
        // `restarted` begins a new list of all documents, so the waiting events are out of date.
        case .restarted:
            self = PendingFollowEvents()
            _ = append(next)
        case .complete: _ = append(next)
        case .gone(let gone):
            var old = numbers[gone.document] ?? Numbers()
            if let number = old.gone { events[number] = nil }
            if let number = old.document, case .document(let summary) = events[number],
                gone.epoch == nil || gone.epoch == summary.epoch
            {
                events[number] = nil
                old.document = nil
            }
            numbers[gone.document] = Numbers(gone: append(next), document: old.document)
        case .document(let summary):
            if let number = numbers[summary.document]?.document {
                events[number] = next
            } else {
                numbers[summary.document, default: Numbers()].document = append(next)
            }
        }
    }

    private mutating func append(_ next: FollowEvent) -> Int {
        count += 1
        events[count] = next
        return count
    }

    package mutating func drain() -> [FollowEvent] {
        defer { self = PendingFollowEvents() }
        return events.sorted { $0.key < $1.key }.map(\.value)
    }
}
