import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

// Faults in the actions of a room.

/// A room loses a change that it sends.
final class ChangeLost: AlteredChanges {
    override func alter(_ actions: inout [RoomAction], at index: Int) { actions.remove(at: index) }
}

/// A room sends a change twice.
final class ChangeSentTwice: AlteredChanges {
    override func alter(_ actions: inout [RoomAction], at index: Int) {
        actions.insert(actions[index], at: index)
    }
}

/// A room swaps a change with the next line to the same session.
final class ChangesOutOfOrder: AlteredChanges {
    override func alter(_ actions: inout [RoomAction], at index: Int) {
        guard case .send(let session, _) = actions[index] else { return }
        let next = actions.indices.first { other in
            guard other > index, case .send(session, _) = actions[other] else { return false }
            return true
        }
        if let next { actions.swapAt(index, next) }
    }
}

/// Alters every thirtieth change that a room sends.
class AlteredChanges: PlantedFault {
    private var changes = 0

    func alter(_ actions: inout [RoomAction], at index: Int) {}

    override func actions(_ actions: [RoomAction]) -> [RoomAction] {
        var apart = actions.flatMap(\.linesApart)
        guard let index = apart.firstIndex(where: { $0.says(#"{"type":"change""#) }) else { return actions }
        changes += 1
        if changes % 30 == 0 { alter(&apart, at: index) }
        return apart
    }
}

/// A wait for more pushes never ends.
final class WaitWithoutEnd: PlantedFault {
    override func actions(_ actions: [RoomAction]) -> [RoomAction] {
        actions.filter { $0 != .waitForPushes(isLong: false) && $0 != .waitForPushes(isLong: true) }
    }
}

/// While the store renames or deletes the document, the room refuses pushes. The store may then refuse.
final class PushesRefusedDuringOrder: PlantedFault {
    private var ordered: Set<DocumentID> = []

    override func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        switch event {
        case .push(let push) where ordered.contains(room.log.document):
            return [.send(push.session, RoomOutput(.stream, refusal(of: push)))]
        case .answered(_, .renamed), .answered(_, .deleted): ordered.remove(room.log.document)
        default: break
        }
        return super.handle(event, in: &room, at: time)
    }

    override func actions(_ actions: [RoomAction]) -> [RoomAction] {
        for case .call(_, let call) in actions {
            switch call {
            case .rename(let document, _), .delete(let document, _): ordered.insert(document)
            default: break
            }
        }
        return actions
    }

    private func refusal(of push: RoomPush) -> [UInt8] {
        var writer = JSONWriter()
        ErrorReport(
            .notFound, "there is no such document", document: push.document, seq: PushNumber(push.seq)
        ).encode(id: push.id, into: &writer)
        return writer.bytes
    }
}

/// The room does not move selections over committed changes.
final class SelectionsNotMapped: PlantedFault {
    override func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        guard case .answered(_, .appended) = event else {
            return super.handle(event, in: &room, at: time)
        }
        let before = room.sessions.all
        let actions = super.handle(event, in: &room, at: time)
        for session in before {
            if let index = room.sessions.index(of: session.id) {
                room.sessions[index].presence = session.presence
            }
        }
        return actions
    }
}

/// A room forgets how much it has sent to a session, and sends without bound.
final class CreditForgotten: PlantedFault {
    override func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        if case .answered = event {
            for index in room.sessions.indices { room.sessions[index].stream.delivered(.max) }
        }
        return super.handle(event, in: &room, at: time)
    }
}

/// The ack of a repeat is not marked as a duplicate.
final class RepeatNotMarked: AlteredLines {
    override func alter(_ line: String) -> String { line.replacing(#","duplicate":true"#, with: "") }
}

/// An ack names the revision before the correct revision.
final class AckOfTheRevisionBefore: AlteredLines {
    override func alter(_ line: String) -> String {
        guard line.hasPrefix(#"{"type":"ack""#), !line.contains("unchanged"),
            let place = line.firstRange(of: #""rev":"#),
            let revision = Int(line[place.upperBound...].prefix { $0.isNumber })
        else { return line }
        return line.replacing(#""rev":\#(revision)"#, with: #""rev":\#(revision - 1)"#)
    }
}

/// The room does not report that a session has left.
final class LeavingNotReported: AlteredLines {
    override func alter(_ line: String) -> String { line.contains(#""left":true"#) ? "" : line }
}

/// Alters the lines that a room sends. If `alter` returns an empty line, nothing is sent.
class AlteredLines: PlantedFault {
    func alter(_ line: String) -> String { line }

    override func actions(_ actions: [RoomAction]) -> [RoomAction] {
        actions.flatMap(\.linesApart).compactMap { action in
            guard case .send(let session, let output) = action else { return action }
            let altered = alter(String(decoding: output.bytes, as: UTF8.self))
            return altered.isEmpty ? nil : .send(session, RoomOutput(output.kind, Array(altered.utf8)))
        }
    }
}

extension RoomAction {
    fileprivate func says(_ beginning: String) -> Bool {
        guard case .send(_, let output) = self else { return false }
        return output.bytes.starts(with: beginning.utf8)
    }

    /// The action, split into one action for each line that it sends.
    fileprivate var linesApart: [RoomAction] {
        guard case .send(let session, let output) = self else { return [self] }
        return output.bytes.linesApart.map { .send(session, RoomOutput(output.kind, $0)) }
    }
}
