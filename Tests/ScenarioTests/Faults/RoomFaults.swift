import CaretCore
import CaretLog
import CaretRooms
import CaretWire

/// The rebase begins one revision too late: `>` in place of `>=`.
final class RevisionSkipped: PlantedFault {
    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        guard case .push(let push) = event, case .edits = push.content, push.base < room.head else {
            return event
        }
        return .push(push.with(base: push.base.next))
    }
}

/// If two insertions are at one offset, the server puts the later insertion first. Clients put it second.
final class TieReversed: PlantedFault {
    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        guard case .push(let push) = event, case .edits(let edits) = push.content,
            let history = push.epoch.flatMap({ world.referee.ledger[$0] }), push.base < room.head,
            room.log.epoch.wire == history.epoch, let base = history.text(at: push.base),
            let change = base.change(edits, in: push.participant.unit)
        else { return event }
        let moved = history.coreChanges(from: push.base, to: room.head).reduce(change) {
            $0.rebased(over: $1, tie: .selfFirst)
        }
        let content = room.text.wire(moved, in: push.participant.unit)
        return .push(push.with(base: room.head, content: .edits(content)))
    }
}

/// The server counts a character beyond the Basic Multilingual Plane as one code unit. The client counts two.
final class AstralOffByOne: PlantedFault {
    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        guard case .push(let push) = event, case .edits(let edits) = push.content,
            push.participant.unit == .utf16,
            let text = push.epoch.flatMap({ world.referee.ledger[$0] })?.text(at: push.base)
        else { return event }
        let moved = edits.map { edit in
            guard let start = text.length(to: edit.range.start, in: .utf16), start.utf16 > start.scalars
            else {
                return edit
            }
            return WireEdit(WireRange(edit.range.start - 1, edit.range.end - 1), edit.text)
        }
        return .push(push.with(content: .edits(moved)))
    }
}

/// The room treats a selection at an old revision as a selection at the head.
final class PresenceNotMapped: PlantedFault {
    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        guard case .select(let session, var select, let id) = event else { return event }
        select.revision = max(select.revision, room.head)
        return .select(session, select, id)
    }
}

/// When a client resumes, the room assumes that the client has one revision less than it says.
final class ResumeOneShort: PlantedFault {
    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        guard case .open(let opening) = event, let resume = opening.resume, resume.revision > 0 else {
            return event
        }
        let short = WirePosition(epoch: resume.epoch, revision: Revision(resume.revision.value - 1))
        return .open(
            RoomOpening(
                session: opening.session, id: opening.id, document: opening.document,
                participant: opening.participant, rights: opening.rights, resume: short, mode: opening.mode,
                squashes: opening.squashes))
    }
}

/// The server looks up rights only once, when a client connects.
final class RightsCachedTooLong: PlantedFault {
    override var forgetsGrants: Bool { true }
}

/// Rooms notify the hub before they send to connections.
final class HubBeforeConnections: PlantedFault {
    override var notifiesHubFirst: Bool { true }
}

/// A read reaches the store before an earlier push of the same client.
final class ReadBeforeOwnPush: PlantedFault {
    override var readsWithoutWaiting: Bool { true }
}

/// A check has the checksum of another text.
final class ChecksumOfAnotherText: PlantedFault {
    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        guard case .computed(let id, .checksum(let crc32)) = event else { return event }
        return .computed(id, .checksum(crc32 ^ 1))
    }
}

extension RoomPush {
    fileprivate func with(base: Revision? = nil, content: Content? = nil) -> RoomPush {
        var push = self
        push.base = base ?? self.base
        push.content = content ?? self.content
        return push
    }
}
