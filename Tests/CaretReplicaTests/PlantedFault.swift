import CaretCore
import CaretReplica
import CaretWire

/// Something that is wrong with a client, so that it can be told whether the simulation finds it: what an event has made
/// of the replica, and what is to be done, is changed behind it.
struct PlantedFault: Sendable {
    /// What has happened to a replica, as far as faults care.
    enum Event {
        case received(ServerMessage)
        case cutOff
        case other
    }

    /// A replica before and after an event, and what it wants done.
    struct Turn {
        let event: Event
        let before: Replica
        var replica: Replica
        var actions: [Action]
    }

    let name: String
    let spoil: @Sendable (inout Turn) -> Void

    static let all: [PlantedFault] = [
        otherNumber, takenBackAtCut, ackTwice, repeatInStream, ownPushUnknown, refusedDropped,
        lostToWholeText,
        unsentNotRebased, presenceNotMapped, undoNotMapped, begunAnew, doubted,
    ]

    // MARK: What heals

    private static let begunAnew = PlantedFault(name: "the document is opened again after every ack") {
        turn in
        if turn.committed == nil { return }
        turn.replica.startAgain()
        turn.actions += turn.replica.finish()
    }

    private static let doubted = PlantedFault(name: "a check that holds is taken for one that does not") {
        turn in
        guard case .received(.check(let check)) = turn.event else { return }
        turn.again(.checked(check.revision, length: -1, crc32: 0))
    }

    // MARK: Pushes

    private static let otherNumber = PlantedFault(name: "a push is sent again under another number") { turn in
        for (index, action) in turn.actions.enumerated() {
            guard case .push(let push) = action, push == turn.before.inFlight?.push else { continue }
            let other = SentPush(place: push.place, seq: turn.replica.nextSeq, change: push.change)
            turn.replica.nextSeq = other.seq.next
            turn.replica.inFlight = InFlight(other)
            turn.actions[index] = .push(other)
        }
    }

    private static let takenBackAtCut = PlantedFault(name: "a push whose answer was cut off goes out anew") {
        if case .cutOff = $0.event { $0.replica.takeBack() }
    }

    private static let ackTwice = PlantedFault(name: "an ack is applied twice") { turn in
        guard let (ack, push) = turn.committed,
            let change = try? ack.edits.map({ try Change([Edit]($0)) }) ?? push.change,
            let edit = try? turn.replica.draft.advance(by: change)
        else { return }
        turn.actions.append(.edit(edit))
    }

    private static let repeatInStream = PlantedFault(
        name: "the answer to a repeat is taken for the next revision"
    ) { turn in
        guard case .received(.ack(var ack)) = turn.event, ack.duplicate else { return }
        ack.revision = turn.before.revision.next
        ack.duplicate = false
        turn.again(.ack(ack))
    }

    private static let ownPushUnknown = PlantedFault(
        name: "a whole text is not asked whether it holds the push in flight"
    ) { turn in
        switch turn.event {
        case .received(.opened(var opened)):
            opened.own = nil
            turn.again(.opened(opened))
        case .received(.resync(var resync)):
            resync.own = nil
            turn.again(.resync(resync))
        case .received, .cutOff, .other: break
        }
    }

    private static let refusedDropped = PlantedFault(name: "a refused edit is dropped in silence") { turn in
        guard case .received(.error) = turn.event, turn.replica.inFlight?.outcome == .refused
        else { return }
        turn.actions += turn.replica.discard()
    }

    // MARK: What is typed, selected and undone

    private static let lostToWholeText = PlantedFault(name: "a whole text takes the place of what is unsaved")
    { turn in
        switch turn.event {
        case .received(.resync): turn.actions += turn.replica.discard()
        case .received(.opened(let opened)) where opened.content != .resumed:
            turn.actions += turn.replica.discard()
        case .received, .cutOff, .other: break
        }
    }

    private static let unsentNotRebased = PlantedFault(name: "what is unsent is not rebased") { turn in
        guard case .received(.change) = turn.event, turn.replica.revision != turn.before.revision,
            let place = turn.replica.place,
            let draft = try? Draft(
                Keepsake(
                    place: place, committed: turn.replica.committed, push: nil,
                    inFlight: turn.replica.draft.inFlight, unsent: turn.before.draft.unsent, nextSeq: 1))
        else { return }
        // The view follows, so that it is not what betrays the fault.
        turn.replica.draft = draft
        turn.actions.removeAll { if case .edit = $0 { true } else { false } }
        turn.actions.append(.edit(diff(from: turn.before.text, to: draft.text)))
    }

    private static let presenceNotMapped = PlantedFault(name: "selections are not moved over an own ack") {
        if $0.committed != nil { $0.replica.presence = $0.before.presence }
    }

    private static let undoNotMapped = PlantedFault(name: "undo is not moved through what others do") {
        turn in
        if case .received = turn.event { turn.replica.own = turn.before.own }
    }
}

extension PlantedFault.Turn {
    /// The ack that has just been taken in as the next revision, and the push that it answers.
    fileprivate var committed: (ack: Ack, push: SentPush)? {
        guard case .received(.ack(let ack)) = event, replica.revision == before.revision.next,
            let push = before.inFlight?.push, push.seq.value == Int64(ack.seq)
        else { return nil }
        return (ack, push)
    }

    /// As if this had been said instead.
    fileprivate mutating func again(_ message: ServerMessage) {
        replica = before
        actions = (try? replica.received(message)) ?? []  // What was sent first was possible too.
    }
}
