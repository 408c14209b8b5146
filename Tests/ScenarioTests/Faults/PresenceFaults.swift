import CaretRooms
import CaretWire
import TestSupport

// Faults in the presence that a room sends.

/// The wake for a room's tick never comes.
final class TickWithoutEnd: PlantedFault {
    private var time: Int64 = 0

    override func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        self.time = time
        return super.handle(event, in: &room, at: time)
    }

    override func actions(_ actions: [RoomAction]) -> [RoomAction] {
        actions.filter { action in
            guard case .wake(let wake) = action else { return true }
            return wake > time + Int64(world.limits.peerMilliseconds)
        }
    }
}

/// A session that has selected gets the same buffer as the others, so also its own presence.
final class OwnPresenceSent: AlteredPresence {
    override func alter(_ actions: inout [RoomAction], _ indices: [Int]) {
        let buffers = indices.compactMap { AlteredPresence.bytes(of: actions[$0]) }
        guard let longest = buffers.max(by: { $0.count < $1.count }) else { return }
        for index in indices { AlteredPresence.send(longest, &actions[index]) }
    }
}

/// A buffer with the presence of several sessions lacks the last of them.
final class LastPresenceLost: AlteredPresence {
    override func alter(_ actions: inout [RoomAction], _ indices: [Int]) {
        for index in indices {
            let lines = AlteredPresence.bytes(of: actions[index])?.linesApart ?? []
            if lines.count > 1 { AlteredPresence.send(Array(lines.dropLast().joined()), &actions[index]) }
        }
    }
}

/// Presence is sent before the change that its offsets count in.
final class PresenceBeforeChange: AlteredPresence {
    override func alter(_ actions: inout [RoomAction], _ indices: [Int]) {
        for index in indices {
            guard case .send(let session, _) = actions[index] else { continue }
            let change = actions[..<index].firstIndex {
                guard case .send(session, let output) = $0 else { return false }
                return output.bytes.starts(with: #"{"type":"change""#.utf8)
            }
            if let change { actions.swapAt(change, index) }
        }
    }
}

/// Alters the presence that a room sends. `indices` are those of the actions that send presence.
class AlteredPresence: PlantedFault {
    func alter(_ actions: inout [RoomAction], _ indices: [Int]) {}

    override func actions(_ actions: [RoomAction]) -> [RoomAction] {
        var altered = actions
        let indices = actions.indices.filter { AlteredPresence.bytes(of: actions[$0]) != nil }
        if !indices.isEmpty { alter(&altered, indices) }
        return altered
    }

    /// The bytes of presence that an action sends; nil if it sends no presence.
    static func bytes(of action: RoomAction) -> [UInt8]? {
        guard case .send(_, let output) = action, output.bytes.starts(with: #"{"type":"peer""#.utf8) else {
            return nil
        }
        return output.bytes
    }

    static func send(_ bytes: [UInt8], _ action: inout RoomAction) {
        if case .send(let session, let output) = action {
            action = .send(session, RoomOutput(output.kind, bytes))
        }
    }
}
