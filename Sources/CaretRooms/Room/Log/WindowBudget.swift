/// Divides the memory for recent history among many rooms.
///
/// Every room has the same share. If all rooms together exceed the limit, the share is halved. If they are
/// far below it, the share is doubled. So active rooms can use what idle rooms do not need. A room that
/// handles events keeps to the share by itself. `excess` returns the other rooms above the share, a few at a
/// time.
package struct WindowBudget: Equatable, Sendable {
    private let bound: Int
    private let most: Int
    /// The share of a room, in bytes.
    package private(set) var share: Int
    /// The bytes that each room keeps, by the room's index.
    private var held: [Int] = []
    private var sum = 0
    /// From this index on, rooms must still be compared with the share; nil if all keep to it.
    private var next: Int?

    /// The smallest share, in bytes. It is enough for some keystrokes of a few people.
    package static let least = 16 << 10
    /// How many rooms `excess` returns at once. Each takes at most a tenth of a millisecond to release its
    /// excess.
    package static let atOnce = 4

    /// `bound` limits the bytes of all rooms together, and `most` those of one room.
    package init(bound: Int, most: Int) {
        (self.bound, self.most) = (bound, most)
        share = most
    }

    /// Records how much a room keeps now; 0 once it is gone.
    package mutating func keeps(_ bytes: Int, at place: Int) {
        if place >= held.count { held += Array(repeating: 0, count: place + 1 - held.count) }
        sum += bytes - held[place]
        held[place] = bytes
    }

    /// The indices of rooms that must release what exceeds the share.
    package mutating func excess() -> [Int] {
        adjust()
        var found: [Int] = []
        while let place = next, found.count < WindowBudget.atOnce {
            next = place < held.count ? place + 1 : nil
            if place < held.count, held[place] > share { found.append(place) }
        }
        return found
    }

    /// The share grows only after all rooms keep to the current one.
    private mutating func adjust() {
        if next != nil { return }
        if sum > bound, share > WindowBudget.least {
            share = max(WindowBudget.least, share / 2)
            next = 0
        } else if sum < bound / 4, share < most {
            share = min(most, 2 * share)
        }
    }
}
