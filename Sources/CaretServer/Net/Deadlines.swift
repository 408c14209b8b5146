/// A deadline for each slot, in a heap that contains each slot at most once.
///
/// Most deadlines are moved to a later time again and again, and hardly ever pass. So when a deadline moves
/// to a later time, only the new time is stored. The heap is corrected when the old time comes. The caller
/// provides all times, so any clock can be used.
package struct Deadlines {
    private struct Entry {
        /// The deadline of the slot; nil for none.
        var due: Moment?
        /// The slot's key in the heap: never later than `due`.
        var scheduled = Moment(nanoseconds: 0)
        /// The slot's index in the heap; nil if it is not there.
        var place: Int?
    }

    private var entries: [Entry] = []
    private var heap: [Int] = []

    package init() {}

    /// The time of the next call of `popDue`. No deadline is earlier. Nil if no slot is in the heap.
    package var next: Moment? { heap.first.map { entries[$0].scheduled } }

    /// The deadline of a slot.
    package subscript(slot: Int) -> Moment? {
        get { slot < entries.count ? entries[slot].due : nil }
        set { set(slot, due: newValue) }
    }

    private mutating func set(_ slot: Int, due: Moment?) {
        while slot >= entries.count { entries.append(Entry()) }
        entries[slot].due = due
        guard let due else { return }
        if let place = entries[slot].place {
            if due >= entries[slot].scheduled { return }
            entries[slot].scheduled = due
            rise(from: place)
        } else {
            entries[slot].scheduled = due
            entries[slot].place = heap.count
            heap.append(slot)
            rise(from: heap.count - 1)
        }
    }

    /// Removes and returns a slot whose deadline has passed by `now`. Call it until it returns nil.
    package mutating func popDue(by now: Moment) -> Int? {
        while let slot = heap.first, entries[slot].scheduled <= now {
            guard let due = entries[slot].due else {
                removeFirst()
                continue
            }
            if due <= now {
                entries[slot].due = nil
                removeFirst()
                return slot
            }
            entries[slot].scheduled = due
            sink(from: 0)
        }
        return nil
    }

    private mutating func removeFirst() {
        entries[heap[0]].place = nil
        let last = heap.removeLast()
        if heap.isEmpty { return }
        put(last, at: 0)
        sink(from: 0)
    }

    private func isEarlier(_ left: Int, _ right: Int) -> Bool {
        entries[heap[left]].scheduled < entries[heap[right]].scheduled
    }

    private mutating func put(_ slot: Int, at place: Int) {
        heap[place] = slot
        entries[slot].place = place
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        let slot = heap[left]
        put(heap[right], at: left)
        put(slot, at: right)
    }

    private mutating func rise(from start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            if !isEarlier(place, parent) { return }
            exchange(place, parent)
            place = parent
        }
    }

    private mutating func sink(from start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && isEarlier(child, least) {
                least = child
            }
            if least == place { return }
            exchange(place, least)
            place = least
        }
    }
}
