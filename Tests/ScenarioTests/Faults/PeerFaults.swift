import CaretCore
import CaretLog
import CaretRooms
import TestSupport

// Faults that matter only with several servers over one store.

/// The room ignores hints and sweeps.
final class HintsIgnored: PlantedFault {
    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        if case .storeHead = event { return .timePassed }
        return super.changed(event, room)
    }
}

/// The room uses an answer about a pusher before it has the revisions up to the head of the answer.
final class HeadOfLookupIgnored: PlantedFault {
    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        guard case .answered(let id, .pusher(.success(let answer))) = event,
            answer.entry?.revision ?? 0 <= room.head
        else { return event }
        let head = min(answer.head, room.head)
        return .answered(id, .pusher(.success(PusherAnswer(entry: answer.entry, head: head))))
    }
}

/// Some lookups of pushers are skipped: the room gets the answer at once, as if it had reached the store's head.
class LookupSkipped: PlantedFault {
    func isAffected(_ event: RoomEvent, _ room: RoomState) -> Bool { false }

    override func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        let isAffected = isAffected(event, room)
        var actions = super.handle(event, in: &room, at: time)
        if !isAffected { return actions }
        for (index, action) in actions.enumerated().reversed() {
            guard case .call(let id, .pusher(let pusher, let document)) = action,
                let answer = try? world.store.model.pusher(pusher, in: document).get()
            else { continue }
            actions.remove(at: index)
            let entry = answer.entry.flatMap { $0.revision > room.head ? nil : $0 }
            let known = PusherAnswer(entry: entry, head: room.head)
            actions += room.handle(.answered(id, .pusher(.success(known))), at: time)
        }
        return actions
    }
}

/// An open is answered from what the room knows, without a lookup.
final class OpenNotLookedUp: LookupSkipped {
    override func isAffected(_ event: RoomEvent, _ room: RoomState) -> Bool {
        if case .open = event { true } else { false }
    }
}

/// A push with a base beyond the head is validated without a lookup.
final class BaseNotLookedUp: LookupSkipped {
    override func isAffected(_ event: RoomEvent, _ room: RoomState) -> Bool {
        if case .push(let push) = event { push.base > room.head } else { false }
    }
}

/// A room that has used the store's lock once never stops using it.
final class LockWithoutEnd: PlantedFault {
    override func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        guard case .answered(_, .appendedLocked) = event else {
            return super.handle(event, in: &room, at: time)
        }
        room.beginGathering()
        var actions = super.handle(event, in: &room, at: time)
        for _ in 0..<2 { room.pushes.noteConflict() }
        actions += room.endGathering()
        room.beginGathering()
        return actions
    }
}

/// The servers keep what they know of a pusher, although it may push at another server.
final class PusherKept: PlantedFault {
    private var known: [Pusher: PusherEntry] = [:]

    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        switch (call, answer) {
        case (.pusher(let pusher, _), .pusher(.success(let found))):
            return .pusher(.success(PusherAnswer(entry: kept(found.entry, of: pusher), head: found.head)))
        case (.open(_, let pusher, _), .loaded(.success(var loaded))):
            loaded.opener = kept(loaded.opener, of: pusher)
            return .loaded(.success(loaded))
        default: return answer
        }
    }

    private func kept(_ entry: PusherEntry?, of pusher: Pusher) -> PusherEntry? {
        guard let entry else { return nil }
        let kept = known[pusher] ?? entry
        known[pusher] = kept
        return kept
    }
}

/// The store appends without comparing the expected head with the document's head.
final class ConflictIgnored: PlantedFault {
    override func append(_ append: Append) -> Append {
        guard let head = try? world.store.model.entry(of: append.document).get().head else { return append }
        return Append(
            document: append.document, epoch: append.epoch, expected: head, changes: append.changes,
            lineBreak: append.lineBreak)
    }
}

/// The answer to an append under the lock lacks the revisions that it was rebased over.
final class MissedChangesLost: PlantedFault {
    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard case .appendedLocked(_, .committed(let head)) = answer else { return answer }
        return .appendedLocked(missed: [], .committed(head: head))
    }
}

/// Reads of some kind come from a copy of the store that lags behind.
class LaggingCopy: PlantedFault {
    private var copies: [StoreModel] = []

    func isAffected(_ call: StoreCall) -> Bool { false }

    override func append(_ append: Append) -> Append {
        copies.append(world.store.model)
        if copies.count > 3 { copies.removeFirst() }
        return append
    }

    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard isAffected(call), var copy = copies.first else { return answer }
        let old = copy.answer(call)
        switch (old, answer) {
        case (.pusher(.success), _), (.read(.success), _): return old
        case (.loaded(.success(let old)), .loaded(.success(var loaded))):
            (loaded.opener, loaded.pushers) = (old.opener, old.pushers)
            return .loaded(.success(loaded))
        default: return answer
        }
    }
}

/// Comparisons of documents with the store return what they have returned first.
class FirstEntryKept: PlantedFault {
    private var first: [DocumentID: DocumentEntry] = [:]

    /// What the answer shows instead of the current entry.
    func shown(_ entry: DocumentEntry, first: DocumentEntry) -> DocumentEntry { first }

    override func answer(_ answer: StoreAnswer, to call: StoreCall) -> StoreAnswer {
        guard case .entries(let documents) = call, case .entries(let results) = answer else { return answer }
        return .entries(
            zip(documents, results).map { document, result in
                if let entry = try? result.get() {
                    first[document] = first[document] ?? entry
                    return .success(shown(entry, first: first[document] ?? entry))
                }
                return first[document].map { .success($0) } ?? result
            })
    }
}

/// Comparisons of documents with the store show the first head that they have shown, and rooms ignore hints.
final class FirstHeadKept: FirstEntryKept {
    override func shown(_ entry: DocumentEntry, first: DocumentEntry) -> DocumentEntry {
        var entry = entry
        entry.head = first.head
        return entry
    }

    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        if case .storeHead = event { return .timePassed }
        return super.changed(event, room)
    }
}

/// No server publishes what its sessions have selected.
final class SelectionNotPublished: PlantedFault {
    override func published(_ notification: PeerNotification, hasPeers: Bool) -> PeerNotification? {
        if case .selected = notification { nil } else { notification }
    }
}

/// A server does not tell the others which documents it has open.
final class NeedNotTold: PlantedFault {
    override var needOfOpened: NeedOfOpened { .untold }
}

/// A server tells the others that it no longer needs the news of a document that it has open.
final class NeedEndedEarly: PlantedFault {
    override var needOfOpened: NeedOfOpened { .endedEarly }
}

/// What a server has published before it was told that another one needs it is not sent to that one.
final class EarlierNewsForgotten: PlantedFault {
    override var forgetsNews: Bool { true }
}

/// A server publishes no departure while no messages of other servers arrive.
final class DepartureNotPublished: PlantedFault {
    override func published(_ notification: PeerNotification, hasPeers: Bool) -> PeerNotification? {
        if case .left = notification, !hasPeers { nil } else { notification }
    }
}

/// A server does not publish its sessions again when messages of another server begin to arrive.
final class FoundServerIgnored: PlantedFault {
    override func received(_ event: BusEvent) -> BusEvent? {
        if case .found = event { nil } else { event }
    }
}

/// What a session has selected is published with the revision before the one in which it counts.
final class SelectionPublishedTooEarly: PlantedFault {
    override func published(_ notification: PeerNotification, hasPeers: Bool) -> PeerNotification? {
        guard case .selected(var session) = notification, session.revision > 0 else { return notification }
        session.revision = Revision(session.revision.value - 1)
        return .selected(session)
    }
}

/// No server notices that it has missed notifications.
final class MissedIgnored: PlantedFault {
    override func received(_ event: BusEvent) -> BusEvent? { event == .missed ? nil : event }
}

/// A room does not ask which sessions have the document open at other servers.
final class RosterNotAsked: PlantedFault {
    override func published(_ notification: PeerNotification, hasPeers: Bool) -> PeerNotification? {
        if case .roster = notification { nil } else { notification }
    }
}

/// Changes what rooms receive about remote sessions.
class AlteredRemoteSession: PlantedFault {
    func alter(_ session: inout PublishedSession, _ room: RoomState) {}

    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        guard case .bus(.received(let node, let notifications)) = event else {
            return super.changed(event, room)
        }
        let altered = notifications.map { notification in
            guard case .selected(var session) = notification else { return notification }
            alter(&session, room)
            return .selected(session)
        }
        return .bus(.received(node, altered))
    }
}

/// A selection at a revision that the room does not have yet is shown at once.
final class EarlySelectionShown: AlteredRemoteSession {
    override func alter(_ session: inout PublishedSession, _ room: RoomState) {
        session.revision = min(session.revision, room.head)
    }
}

/// A room does not recognise that a client with a remote session has a session here.
final class ClientShownTwice: AlteredRemoteSession {
    override func alter(_ session: inout PublishedSession, _ room: RoomState) {
        session.client = ByteString("other-" + session.client.string)
    }
}

/// A room does not move remote selections with the changes that it applies.
final class RemoteSelectionsNotMoved: PlantedFault {
    override func handle(_ event: RoomEvent, in room: inout RoomState, at time: Int64) -> [RoomAction] {
        let before = room.remoteSessions.all
        let actions = super.handle(event, in: &room, at: time)
        for index in room.remoteSessions.indices {
            let session = room.remoteSessions[index]
            if let old = before.first(where: { $0.name == session.name }),
                old.presence.selected == session.presence.selected
            {
                room.remoteSessions[index].presence = old.presence
            }
        }
        return actions
    }
}

/// A room keeps the sessions of a server that has ended, and those that were not published again after missed
/// notifications.
final class LostSessionKept: PlantedFault {
    override func changed(_ event: RoomEvent, _ room: RoomState) -> RoomEvent {
        switch event {
        case .bus(.gone), .bus(.missed): .timePassed
        default: super.changed(event, room)
        }
    }
}

/// Pushers are looked up in a copy of the store that lags behind.
final class LookupInLaggingCopy: LaggingCopy {
    override func isAffected(_ call: StoreCall) -> Bool {
        switch call {
        case .pusher, .open: true
        default: false
        }
    }
}

/// Revisions are read from a copy of the store that lags behind.
final class ReadFromLaggingCopy: LaggingCopy {
    override func isAffected(_ call: StoreCall) -> Bool { if case .read = call { true } else { false } }
}
