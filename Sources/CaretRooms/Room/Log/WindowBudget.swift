/// Divides the memory for recent history among many rooms.
///
/// Every room has the same share. If all rooms together exceed the limit, the share is halved. If they are
/// far below it, the share is doubled. So active rooms can use what idle rooms do not need. A room that
/// handles events reduces its own memory to the share. `roomsOverShare` returns the other rooms above the
/// share, a few at a time, so that they are reduced too.
package struct WindowBudget: Equatable, Sendable {
    private let limit: Int
    private let limitPerRoom: Int
    /// The share of a room, in bytes.
    package private(set) var share: Int
    /// The bytes that each room keeps, by the room's index.
    private var bytesByRoom: [Int] = []
    private var sum = 0
    /// The next room to compare with the share; nil if all rooms were compared.
    private var next: Int?

    /// The smallest share, in bytes. It is enough for some keystrokes of a few people.
    package static let leastShare = 16 << 10
    /// How many rooms `roomsOverShare` returns at once. Each room releases its excess in at most a tenth of a
    /// millisecond.
    package static let mostRoomsAtOnce = 4

    /// `limit` applies to the bytes of all rooms together, and `limitPerRoom` to the bytes of one room.
    package init(limit: Int, limitPerRoom: Int) {
        (self.limit, self.limitPerRoom) = (limit, limitPerRoom)
        share = limitPerRoom
    }

    /// Records how many bytes a room keeps now: 0 if the room was dropped.
    package mutating func record(_ bytes: Int, ofRoom room: Int) {
        if room >= bytesByRoom.count {
            bytesByRoom += Array(repeating: 0, count: room + 1 - bytesByRoom.count)
        }
        sum += bytes - bytesByRoom[room]
        bytesByRoom[room] = bytes
    }

    /// The indices of rooms that must release what exceeds the share.
    package mutating func roomsOverShare() -> [Int] {
        adjust()
        var found: [Int] = []
        while let room = next, found.count < WindowBudget.mostRoomsAtOnce {
            next = room < bytesByRoom.count ? room + 1 : nil
            if room < bytesByRoom.count, bytesByRoom[room] > share { found.append(room) }
        }
        return found
    }

    /// The share changes only after all rooms were compared with the current one.
    private mutating func adjust() {
        if next != nil { return }
        if sum > limit, share > WindowBudget.leastShare {
            share = max(WindowBudget.leastShare, share / 2)
            next = 0
        } else if sum < limit / 4, share < limitPerRoom {
            share = min(limitPerRoom, 2 * share)
        }
    }
}
