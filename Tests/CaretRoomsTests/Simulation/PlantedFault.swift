import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// Something that is wrong with a room, so that it can be told whether a simulation finds it: what the room wants
/// done, or what it is told, is changed on the way.
struct PlantedFault: Sendable {
    let name: String
    var actions: @Sendable ([RoomAction], inout Seeded) -> [RoomAction] = { actions, _ in actions }
    /// Handles an event, which may be the answer to a call.
    var handle: @Sendable (inout RoomState, RoomEvent, StoreCall?, Int64) -> [RoomAction] = {
        room, event, _, time in
        room.handle(event, at: time)
    }

    static let all: [PlantedFault] = [
        PlantedFault("a change is lost on its way") { lines, place in lines.remove(at: place) },
        PlantedFault("a change is handed twice") { lines, place in lines.insert(lines[place], at: place) },
        PlantedFault("a change changes places with what follows", swapped),
        toldTooEarly, unknownIsFailure, strangers, unmapped, boundless, withoutDuplicate, anotherRevision,
        nobodyLeaves,
    ]

    /// A fault of some change lines.
    private init(
        _ name: String, _ spoil: @escaping @Sendable (inout [RoomAction], Int) -> Void
    ) {
        self.name = name
        actions = { actions, random in
            guard let place = actions.firstIndex(where: { $0.says(#"{"type":"change""#) }), random.chance(3)
            else { return actions }
            var spoilt = actions
            spoil(&spoilt, place)
            return spoilt
        }
    }

    private init(name: String) { self.name = name }

    private static func swapped(_ lines: inout [RoomAction], _ place: Int) {
        guard case .send(let session, _) = lines[place] else { return }
        let next = lines.indices.first { index in
            guard index > place, case .send(session, _) = lines[index] else { return false }
            return true
        }
        if let next { lines.swapAt(place, next) }
    }

    // MARK: What the store says

    private static let toldTooEarly = answering(
        "whatever the store says of an append, it is taken for committed"
    ) { answer, call, _ in
        guard case .append(let append) = call else { return answer }
        return .appended(.committed(head: Revision(append.expected.value + append.changes.count)))
    }

    private static let unknownIsFailure = answering("an unknown outcome is taken for a failure") {
        answer, _, _ in
        answer == .appended(.unknown) ? .appended(.failed) : answer
    }

    private static let strangers = answering("nobody has pushed anything before") { answer, call, room in
        guard case .pusher = call else { return answer }
        return .pusher(.success(PusherAnswer(entry: nil, head: room.head)))
    }

    // MARK: What the room keeps

    private static let unmapped = faulty("selections stay where they are while the text changes") {
        room, event, call, time in
        guard case .append = call else { return room.handle(event, at: time) }
        let before = room.sessions.all
        let actions = room.handle(event, at: time)
        for session in before {
            if let index = room.sessions.index(of: session.id) {
                room.sessions[index].presence = session.presence
            }
        }
        return actions
    }

    private static let boundless = faulty("what a session was sent is forgotten") { room, event, call, time in
        if call != nil { for index in room.sessions.indices { room.sessions[index].stream.taken(.max) } }
        return room.handle(event, at: time)
    }

    // MARK: What is said

    private static let withoutDuplicate = saying("an answer to a repeat is not marked as one") {
        $0.replacing(#","duplicate":true"#, with: "")
    }

    private static let anotherRevision = saying("an ack says the revision before") { line in
        guard line.hasPrefix(#"{"type":"ack""#), !line.contains("unchanged"),
            let place = line.firstRange(of: #""rev":"#),
            let revision = Int(line[place.upperBound...].prefix { $0.isNumber })
        else { return line }
        return line.replacing(#""rev":\#(revision)"#, with: #""rev":\#(revision - 1)"#)
    }

    private static let nobodyLeaves = saying("whoever has left is not told of") {
        $0.contains(#""left":true"#) ? "" : $0
    }

    private static func faulty(
        _ name: String,
        _ handle: @escaping @Sendable (inout RoomState, RoomEvent, StoreCall?, Int64) -> [RoomAction]
    ) -> PlantedFault {
        var fault = PlantedFault(name: name)
        fault.handle = handle
        return fault
    }

    /// A fault of what the store answers.
    private static func answering(
        _ name: String, _ spoil: @escaping @Sendable (StoreAnswer, StoreCall, RoomState) -> StoreAnswer
    ) -> PlantedFault {
        faulty(name) { room, event, call, time in
            guard let call, case .answered(let id, let answer) = event else {
                return room.handle(event, at: time)
            }
            return room.handle(.answered(id, spoil(answer, call, room)), at: time)
        }
    }

    /// A fault of lines, of which an empty one is not sent.
    private static func saying(
        _ name: String, _ spoil: @escaping @Sendable (String) -> String
    ) -> PlantedFault {
        var fault = PlantedFault(name: name)
        fault.actions = { actions, _ in
            actions.compactMap { action in
                guard case .send(let session, let output) = action else { return action }
                let spoilt = spoil(String(decoding: output.bytes, as: UTF8.self))
                return spoilt.isEmpty ? nil : .send(session, RoomOutput(output.kind, Array(spoilt.utf8)))
            }
        }
        return fault
    }
}

extension RoomAction {
    fileprivate func says(_ beginning: String) -> Bool {
        guard case .send(_, let output) = self else { return false }
        return output.bytes.starts(with: beginning.utf8)
    }
}
