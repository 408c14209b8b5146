/// Events with their due times, the earliest first. Events that are due at the same time keep the order in
/// which they were added.
struct Agenda<Event> {
    private struct Entry {
        let time: Int64
        let order: Int
        let event: Event

        func precedes(_ other: Entry) -> Bool { (time, order) < (other.time, other.order) }
    }

    /// A heap: no entry precedes its parent.
    private var entries: [Entry] = []
    private var added = 0

    var isEmpty: Bool { entries.isEmpty }
    /// The time of the next event.
    var next: Int64? { entries.first?.time }

    mutating func add(_ event: Event, at time: Int64) {
        added += 1
        var place = entries.count
        let entry = Entry(time: time, order: added, event: event)
        entries.append(entry)
        while place > 0 {
            let above = (place - 1) / 2
            if !entry.precedes(entries[above]) { break }
            entries[place] = entries[above]
            place = above
        }
        entries[place] = entry
    }

    mutating func take() -> (time: Int64, event: Event)? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        if !entries.isEmpty { sink(last) }
        return (first.time, first.event)
    }

    /// Puts an entry at the root of the heap and moves it down to its level.
    private mutating func sink(_ entry: Entry) {
        var place = 0
        while true {
            var below = 2 * place + 1
            if below >= entries.count { break }
            if below + 1 < entries.count, entries[below + 1].precedes(entries[below]) { below += 1 }
            if !entries[below].precedes(entry) { break }
            entries[place] = entries[below]
            place = below
        }
        entries[place] = entry
    }
}
