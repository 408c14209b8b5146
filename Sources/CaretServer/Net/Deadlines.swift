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
        var heapIndex: Int?
    }

    private var entries: [Entry] = []
    private var heap: [Int] = []

    package init() {}

    /// When to call `popDue` next: no deadline passes before this time. Nil if no slot is in the heap.
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
        if let heapIndex = entries[slot].heapIndex {
            if due >= entries[slot].scheduled { return }
            entries[slot].scheduled = due
            siftUp(from: heapIndex)
        } else {
            entries[slot].scheduled = due
            entries[slot].heapIndex = heap.count
            heap.append(slot)
            siftUp(from: heap.count - 1)
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
            siftDown(from: 0)
        }
        return nil
    }

    private mutating func removeFirst() {
        entries[heap[0]].heapIndex = nil
        let last = heap.removeLast()
        if heap.isEmpty { return }
        place(last, at: 0)
        siftDown(from: 0)
    }

    private func isEarlier(_ left: Int, _ right: Int) -> Bool {
        entries[heap[left]].scheduled < entries[heap[right]].scheduled
    }

    private mutating func place(_ slot: Int, at heapIndex: Int) {
        heap[heapIndex] = slot
        entries[slot].heapIndex = heapIndex
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        let slot = heap[left]
        place(heap[right], at: left)
        place(slot, at: right)
    }

    private mutating func siftUp(from start: Int) {
        var heapIndex = start
        while heapIndex > 0 {
            let parent = (heapIndex - 1) / 2
            if !isEarlier(heapIndex, parent) { return }
            exchange(heapIndex, parent)
            heapIndex = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var heapIndex = start
        while true {
            var least = heapIndex
            for child in [2 * heapIndex + 1, 2 * heapIndex + 2]
            where child < heap.count && isEarlier(child, least) {
                least = child
            }
            if least == heapIndex { return }
            exchange(heapIndex, least)
            heapIndex = least
        }
    }
}
