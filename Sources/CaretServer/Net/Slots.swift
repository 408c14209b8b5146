/// Identifies one use of a slot. A later use of the same slot has another generation.
package struct SlotID: Hashable, Sendable {
    package let slot: UInt32
    /// How often the slot was used before this use.
    let generation: UInt32

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    /// Decodes the 64-bit value that the system returns with an event.
    package init(word: UInt64) {
        self.init(slot: UInt32(truncatingIfNeeded: word), generation: UInt32(word >> 32))
    }

    package var word: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// Elements in numbered slots. Slots are reused, but the key of a removed element finds no later element.
package struct Slots<Content> {
    private struct Slot {
        var generation: UInt32 = 0
        var content: Content?
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    package var count: Int { slots.count - free.count }

    /// All elements, in the order of the slots.
    var contents: [Content] { slots.compactMap(\.content) }

    package subscript(id: SlotID) -> Content? {
        guard id.slot < slots.count, slots[Int(id.slot)].generation == id.generation else { return nil }
        return slots[Int(id.slot)].content
    }

    /// The current element of a slot.
    subscript(slot: Int) -> Content? { slots[slot].content }

    /// Chooses a key, adds the element that `make` returns for it, and returns the key.
    @discardableResult
    package mutating func insert(_ make: (SlotID) -> Content) -> SlotID {
        if free.isEmpty {
            free.append(UInt32(slots.count))
            slots.append(Slot())
        }
        let slot = free.removeLast()
        let id = SlotID(slot: slot, generation: slots[Int(slot)].generation)
        slots[Int(slot)].content = make(id)
        return id
    }

    package init() {}

    package mutating func remove(_ id: SlotID) {
        if self[id] == nil { return }
        slots[Int(id.slot)].content = nil
        slots[Int(id.slot)].generation &+= 1
        free.append(id.slot)
    }
}
