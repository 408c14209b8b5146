import CaretCore
import CaretLog
import CaretWire

/// The lines that a room sends.
extension RoomState {
    /// A line for a session that has the document open. It counts against the session's credit.
    mutating func deliver(
        _ line: [UInt8], to index: Int, as kind: RoomOutput.Kind = .stream
    ) {
        if sessions[index].stream.isCut { return }
        sessions[index].stream.sent(line.count)
        effects.add(.send(sessions[index].id, RoomOutput(kind, line)))
    }

    /// An answer to a request.
    mutating func reply<Message: WireMessage>(_ message: Message, _ id: RequestID?, to session: SessionID) {
        reply(effects.line(message, id), to: session)
    }

    /// An error, as the answer to a request.
    mutating func reply(
        _ report: ErrorReport, _ id: RequestID?, to session: SessionID,
        as kind: RoomOutput.Kind = .stream
    ) {
        if case .known(let code) = report.code { effects.notes.refusals[code, default: 0] += 1 }
        reply(effects.line(report, id), to: session, as: kind)
    }

    mutating func reply(
        _ line: [UInt8], to session: SessionID, as kind: RoomOutput.Kind = .stream
    ) {
        if let index = sessions.index(of: session) {
            deliver(line, to: index, as: kind)
        } else {
            effects.add(.send(session, RoomOutput(kind, line)))
        }
    }

    // MARK: Refusals

    mutating func refuse(_ push: RoomPush, _ refusal: RequestRefusal) {
        let report = ErrorReport(
            refusal.code, refusal.message, document: push.document, seq: Int(push.seq),
            head: refusal.code.tellsHead ? log.position : nil)
        reply(report, push.id, to: push.session)
    }

    /// A refused opening ends its session.
    mutating func refuse(_ opening: RoomOpening, _ refusal: RequestRefusal) {
        reply(
            ErrorReport(refusal.code, refusal.message, document: opening.document), opening.id,
            to: opening.session)
        effects.add(.ended(opening.session))
    }

    mutating func refuse(_ order: RoomOrder, _ refusal: RequestRefusal) {
        reply(
            ErrorReport(refusal.code, refusal.message, document: order.document), order.id,
            to: order.requester)
    }

    // MARK: Acks and changes

    /// A push changes nothing in this text.
    mutating func replyUnchanged(_ push: RoomPush, at snapshot: Snapshot) {
        let ack = Ack(
            document: push.document, seq: Int(push.seq), revision: snapshot.revision,
            text: push.wantsText ? WireString(snapshot.text.string) : nil, unchanged: true)
        reply(ack, push.id, to: push.session)
    }

    /// Has no edits if they are exactly those that were sent.
    mutating func ackLine(_ due: AckDue, in unit: CodeUnit) -> [UInt8] {
        effects.notes.acked.append(AckedPush(session: due.session, seq: due.committed.logged.seq))
        let ack = Ack(
            document: log.name, seq: Int(due.committed.logged.seq), revision: due.revision,
            edits: due.isLiteral ? nil : due.committed.logged.wireEdits(in: unit),
            text: due.wantsText ? WireString(due.committed.text.string) : nil)
        return lineWithOneOrBoth(of: ack, due.id)
    }

    /// An ack with its text, and with its edits too if one line has room for both.
    mutating func lineWithOneOrBoth(of ack: Ack, _ id: RequestID?) -> [UInt8] {
        let line = effects.line(ack, id)
        if line.count <= limits.announced.serverLine || ack.text == nil { return line }
        var short = ack
        short.edits = nil
        return effects.line(short, id)
    }

    /// The ack of an own push for a session that did not wait for it.
    mutating func ackLine(_ logged: LoggedChange, at revision: Revision, in unit: CodeUnit) -> [UInt8] {
        effects.line(
            Ack(
                document: log.name, seq: Int(logged.seq), revision: revision,
                edits: logged.wireEdits(in: unit)))
    }

    /// `client` is the public id of its pusher's client, if that has been computed.
    mutating func changeLine(
        _ logged: LoggedChange, by client: WireString? = nil, at revision: Revision, in unit: CodeUnit
    ) -> [UInt8] {
        let author = WireChange.Author(
            user: WireString(logged.pusher.user.string), client: client ?? publicClient(logged.pusher),
            time: Int(logged.time))
        return effects.line(
            WireChange(
                document: log.name, revision: revision, origin: .one(author),
                edits: logged.wireEdits(in: unit)))
    }

    var wireText: WireString { WireString(text.string) }

    func own(of pusher: Pusher) -> OwnPush? {
        pushers.entry(of: pusher).map { OwnPush(seq: Int($0.seq), revision: $0.revision) }
    }
}

extension ErrorCode {
    /// Whether an error with this code also has the head.
    fileprivate var tellsHead: Bool {
        [.baseAhead, .baseTrimmed, .baseBeforeOwnPush, .pushInFlight, .epochChanged].contains(self)
    }
}
