/// How much of their histories many rooms keep at hand together.
///
/// Each may keep as much as every other one. Where all of them together are over the bound, that share is halved, and where
/// they are far below it, doubled: so a room that is written to has what those leave that are not. A room that is told
/// something keeps to the share by itself; the others are named by `excess`, a few at a time.
package struct WindowBudget: Equatable, Sendable {
    private let bound: Int
    private let most: Int
    /// Bytes that each may keep at hand.
    package private(set) var share: Int
    /// What each keeps, by its place.
    private var held: [Int] = []
    private var sum = 0
    /// The place from which on it is yet to be seen who keeps more than the share; nil where all keep to it.
    private var next: Int?

    /// Bytes below which the share does not fall: some keys of a few people.
    package static let least = 16 << 10
    /// So many are named at once: to have one let go of what it keeps takes a tenth of a millisecond at most.
    package static let atOnce = 4

    /// `bound` is for all together, `most` for one.
    package init(bound: Int, most: Int) {
        (self.bound, self.most) = (bound, most)
        share = most
    }

    /// The room at a place keeps so much by now; nothing, once it is gone.
    package mutating func keeps(_ bytes: Int, at place: Int) {
        if place >= held.count { held += Array(repeating: 0, count: place + 1 - held.count) }
        sum += bytes - held[place]
        held[place] = bytes
    }

    /// The places of rooms that are to let go of what they keep beyond the share.
    package mutating func excess() -> [Int] {
        adjust()
        var found: [Int] = []
        while let place = next, found.count < WindowBudget.atOnce {
            next = place < held.count ? place + 1 : nil
            if place < held.count, held[place] > share { found.append(place) }
        }
        return found
    }

    /// Not before all keep to the share that is.
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
