/// When which slot is due: a heap that has each slot at most once.
///
/// A deadline is mostly moved to later, again and again, and hardly ever met. So to move it later only writes it down;
/// the heap is put right when the earlier time comes. A value; the moments are the caller's, so any clock will do.
package struct Deadlines {
    private struct Entry {
        /// When the slot is due; nil for never.
        var due: Moment?
        /// For when it stands in the heap: never later than `due`.
        var scheduled = Moment(nanoseconds: 0)
        /// Where it stands in the heap; nil where it does not.
        var place: Int?
    }

    private var entries: [Entry] = []
    private var heap: [Int] = []

    package init() {}

    /// The moment at which to look again: no slot is due before. Nil where none is due ever.
    package var next: Moment? { heap.first.map { entries[$0].scheduled } }

    /// When a slot is due.
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

    /// A slot that was due by `now`, which then is due no more; to be asked until there is none.
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
