import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// A minimal room that fulfils the contract with connections and the hub. It commits every push at once.
struct PlainRoom: ServedRoom {
    private enum PendingOrder {
        case rename(to: DocumentName, RoomOrder)
        case delete(RoomOrder)

        var order: RoomOrder {
            switch self {
            case .rename(_, let order), .delete(let order): order
            }
        }
    }

    private let document: DocumentID
    private let epoch: Epoch
    private var name: WireString
    private var text: Snapshot
    private var sessions: [(id: SessionID, opening: RoomOpening)] = []
    /// The orders to rename or delete the document. The first one is in progress.
    private var pendingOrders: [PendingOrder] = []
    private var isGone = false
    private var calls = 0

    init(_ entry: DocumentEntry, _ text: Snapshot) {
        document = entry.id
        epoch = entry.epoch
        name = WireString(entry.name.description)
        self.text = text
    }

    var isIdle: Bool { sessions.isEmpty && pendingOrders.isEmpty }

    mutating func handle(_ event: RoomEvent, _ store: inout StoreModel) -> [RoomAction] {
        let actions = act(on: event, &store)
        return actions + (isIdle ? [.notifyHub(.unloadOffered)] : [])
    }

    private mutating func act(on event: RoomEvent, _ store: inout StoreModel) -> [RoomAction] {
        switch event {
        case .open(let opening): return open(opening)
        case .push(let push): return commit(push, &store)
        case .close(let session, let id): return close(session, id)
        case .diverged(let session, _): return leave(session)
        case .leave(let session): return leave(session)
        case .rightsChanged(let session, let rights): return change(session, rights)
        case .rename(let to, let order): return begin(.rename(to: to, order))
        case .delete(let order): return begin(.delete(order))
        case .awaitPushes(_, let connection): return [.notifyHub(.pushesResolved(connection))]
        case .answered(_, .renamed(let result)): return renamed(result)
        case .answered(_, .deleted(let refusal)): return deleted(refusal)
        // The tests of the hub with this room redact no document.
        case .redact, .answered, .computed, .encoded, .waitEnded, .timePassed, .select, .written, .trimmed,
            .renewed, .hubAppends, .notesChanged, .storeHead, .nowCalled, .bus:
            return []
        }
    }

    private mutating func open(_ opening: RoomOpening) -> [RoomAction] {
        if isGone || opening.document != name {
            return [
                send(.error(ErrorReport(.notFound, "gone")), opening.id, opening.session),
                .ended(opening.session),
            ]
        }
        sessions.append((opening.session, opening))
        let opened = Opened(
            document: opening.document, epoch: epoch.wire, revision: text.revision,
            content: .text(WireString(text.text.string)), rights: opening.rights, newline: .lf)
        return [send(.opened(opened), opening.id, opening.session)]
    }

    private mutating func commit(_ push: RoomPush, _ store: inout StoreModel) -> [RoomAction] {
        if let code = refusal(of: push, store) {
            let report = ErrorReport(code, "no", document: push.document, seq: Int(push.seq))
            return [send(.error(report), push.id, push.session)]
        }
        if let entry = known(push.participant.pusher, store), push.seq <= entry.seq {
            let ack = Ack(
                document: push.document, seq: Int(push.seq), epoch: push.epoch == nil ? epoch.wire : nil,
                revision: entry.revision, duplicate: true)
            return [send(.ack(ack), push.id, push.session)]
        }
        guard let change = change(push) else {
            let report = ErrorReport(.badRange, "no", document: push.document, seq: Int(push.seq))
            return [send(.error(report), push.id, push.session)]
        }
        return append(change, push, &store)
    }

    private func refusal(of push: RoomPush, _ store: StoreModel) -> ErrorCode? {
        if isGone || push.document != name || push.rights == .none { return .notFound }
        if case .edits = push.content, !sessions.contains(where: { $0.id == push.session }) {
            return .notOpen
        }
        if push.rights == .read { return .forbidden }
        let known = known(push.participant.pusher, store)?.seq ?? .min
        if push.epoch == nil, text.revision > 0, push.seq > known { return .epochChanged }
        return nil
    }

    private func known(_ pusher: Pusher, _ store: StoreModel) -> PusherEntry? {
        (try? store.pusher(pusher, in: document).get())?.entry
    }

    private func change(_ push: RoomPush) -> Change? {
        switch push.content {
        case .restore: return diff(from: text.text, to: TextBuffer())
        case .text(let new):
            guard let new = try? TextBuffer(new.string) else { return nil }
            return diff(from: text.text, to: new)
        case .edits(let edits):
            return try? Change(
                edits.map { try Edit(Offset($0.range.start)..<Offset($0.range.end), $0.text.string) })
        }
    }

    private mutating func append(
        _ change: Change, _ push: RoomPush, _ store: inout StoreModel
    ) -> [RoomAction] {
        guard let new = try? text.text.applying(change),
            let edits = try? change.edits.map({ try LoggedEdit($0, in: text.text) })
        else { return [send(.error(ErrorReport(.badRange, "no", document: name)), push.id, push.session)] }
        let logged = LoggedChange(
            pusher: push.participant.pusher, seq: push.seq, time: push.time, edits: edits)
        let append = Append(
            document: document, epoch: epoch, expected: text.revision,
            changes: [PushedChange(logged, digest: push.digest)])
        guard store.append(append) == .committed(head: text.revision.next) else {
            let report = ErrorReport(
                .storageFailed, "not saved", document: push.document, seq: Int(push.seq))
            return [send(.error(report), push.id, push.session)]
        }
        text = Snapshot(revision: text.revision.next, text: new)
        let ack = Ack(document: push.document, seq: Int(push.seq), revision: text.revision)
        return [send(.ack(ack), push.id, push.session)] + changes(of: push)
    }

    private func changes(of push: RoomPush) -> [RoomAction] {
        let author = WireChange.Author(
            user: push.participant.introduction.user, client: push.participant.introduction.client,
            time: Int(push.time))
        let change = WireChange(document: name, revision: text.revision, origin: .one(author), edits: [])
        return sessions.filter { $0.id != push.session }.map { send(.change(change), nil, $0.id) }
    }

    private mutating func close(_ session: SessionID, _ id: RequestID?) -> [RoomAction] {
        guard sessions.contains(where: { $0.id == session }) else {
            let report = ErrorReport(.notOpen, "no", document: name)
            return [send(.error(report), id, session, as: .closeRefused)]
        }
        return [send(.closed(Closed(document: name)), id, session, as: .closed)] + leave(session)
    }

    private mutating func leave(_ session: SessionID) -> [RoomAction] {
        sessions.removeAll { $0.id == session }
        return [.ended(session)]
    }

    private mutating func change(_ session: SessionID, _ rights: Rights) -> [RoomAction] {
        guard sessions.contains(where: { $0.id == session }) else { return [] }
        let line = send(.rights(RightsChange(document: name, rights: rights)), nil, session, as: .rights)
        return [line] + (rights == .none ? leave(session) : [])
    }

    // MARK: Renaming and deleting

    private mutating func begin(_ pendingOrder: PendingOrder) -> [RoomAction] {
        pendingOrders.append(pendingOrder)
        return pendingOrders.count == 1 ? resume() : []
    }

    /// Starts the first order whose document still has the name in the order. Refuses the orders before it.
    private mutating func resume() -> [RoomAction] {
        var refusals: [RoomAction] = []
        while let pendingOrder = pendingOrders.first {
            let order = pendingOrder.order
            if !isGone, order.document == name {
                switch pendingOrder {
                case .rename(let to, _): return refusals + [call(.rename(document, to: to))]
                case .delete: return refusals + [call(.delete(document, at: 1))]
                }
            }
            pendingOrders.removeFirst()
            refusals.append(
                send(.error(ErrorReport(.notFound, "no", document: name)), order.id, order.requester))
        }
        return refusals
    }

    private mutating func call(_ call: StoreCall) -> RoomAction {
        calls += 1
        return .call(CallID(calls), call)
    }

    private mutating func renamed(_ result: RenameResult) -> [RoomAction] {
        guard case .rename(let to, let order)? = pendingOrders.first else { return [] }
        pendingOrders.removeFirst()
        let answers = renamed(to: to, order, result)
        return answers + [.notifyHub(.renamed(to, result))] + resume()
    }

    private mutating func renamed(
        to: DocumentName, _ order: RoomOrder, _ result: RenameResult
    ) -> [RoomAction] {
        switch result {
        case .renamed:
            let gone = sendGone(.renamed) { order.readers.contains($0) ? to : nil }
            name = WireString(to.description)
            return gone + [send(.done(Done()), order.id, order.requester)]
        case .exists:
            return [send(.error(ErrorReport(.exists, "no", document: name)), order.id, order.requester)]
        case .refused:
            return [
                send(.error(ErrorReport(.storageFailed, "no", document: name)), order.id, order.requester)
            ]
        }
    }

    private mutating func deleted(_ refusal: StoreRefusal?) -> [RoomAction] {
        guard case .delete(let order)? = pendingOrders.first else { return [] }
        pendingOrders.removeFirst()
        let failure = ServerMessage.error(ErrorReport(.storageFailed, "no", document: name))
        isGone = refusal == nil
        let gone = isGone ? sendGone(.deleted) { _ in nil } : []
        let answer = send(isGone ? .done(Done()) : failure, order.id, order.requester)
        return gone + [answer, .notifyHub(.deleted(refusal))] + resume()
    }

    private mutating func sendGone(
        _ reason: GoneReason, _ known: (SessionID) -> DocumentName?
    ) -> [RoomAction] {
        defer { sessions = [] }
        return sessions.flatMap { session -> [RoomAction] in
            let to = known(session.id)
            let gone = Gone(
                document: name, epoch: epoch.wire, reason: to == nil ? .deleted : reason,
                to: to.map { WireString($0.description) })
            return [send(.gone(gone), nil, session.id), .ended(session.id)]
        }
    }

    private func send(
        _ message: ServerMessage, _ id: RequestID?, _ session: SessionID, as kind: RoomOutput.Kind = .stream
    ) -> RoomAction {
        var writer = JSONWriter()
        message.encode(id: id, into: &writer)
        return .send(session, RoomOutput(kind, writer.bytes))
    }
}
