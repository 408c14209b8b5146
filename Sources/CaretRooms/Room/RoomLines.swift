import CaretCore
import CaretLog
import CaretWire

/// The lines that a room sends.
extension RoomState {
    /// Sends a line to a session that has the document open. The line counts against the session's credit.
    mutating func deliver(
        _ line: [UInt8], to index: Int, as kind: RoomOutput.Kind = .stream
    ) {
        if sessions[index].stream.isDisconnecting { return }
        sessions[index].stream.sent(line.count)
        effects.add(.send(sessions[index].id, RoomOutput(kind, line)))
    }

    /// The same for a line with the whole text.
    mutating func deliver(_ line: TextLine, to index: Int) {
        if sessions[index].stream.isDisconnecting { return }
        sessions[index].stream.sent(line.count)
        effects.add(.sendText(sessions[index].id, line))
    }

    /// Sends the answer to a request.
    mutating func reply<Message: WireMessage>(_ message: Message, _ id: RequestID?, to session: SessionID) {
        reply(effects.line(message, id), to: session)
    }

    /// Sends an error as the answer to a request.
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
            refusal, document: push.document, seq: Int(push.seq),
            head: refusal.code.containsHead ? log.position : nil)
        reply(report, push.id, to: push.session)
    }

    /// Refuses an opening, which ends its session.
    mutating func refuse(_ opening: RoomOpening, _ refusal: RequestRefusal) {
        reply(ErrorReport(refusal, document: opening.document), opening.id, to: opening.session)
        effects.add(.ended(opening.session))
    }

    mutating func refuse(_ order: RoomOrder, _ refusal: RequestRefusal) {
        reply(ErrorReport(refusal, document: order.document), order.id, to: order.requester)
    }

    // MARK: Acks and changes

    /// Acks a push that changes nothing in the text of this snapshot.
    mutating func replyUnchanged(_ push: RoomPush, at snapshot: Snapshot) {
        let ack = Ack(
            document: push.document, seq: Int(push.seq), epoch: log.epochName, revision: snapshot.revision,
            edits: push.content == .restore ? [] : nil,
            text: push.wantsText ? WireString(snapshot.text.string) : nil, unchanged: true)
        reply(ack, push.id, to: push.session)
    }

    /// The line of an ack. It leaves out the edits if they equal those that the client sent.
    mutating func ackLine(_ due: PendingAck, in unit: CodeUnit) -> [UInt8] {
        effects.notes.acked.append(AckedPush(session: due.session, seq: due.committed.logged.seq))
        let ack = Ack(
            document: log.name, seq: Int(due.committed.logged.seq),
            epoch: due.namesEpoch ? log.epochName : nil, revision: due.revision,
            edits: due.isLiteral ? nil : due.committed.logged.wireEdits(in: unit),
            text: due.wantsText ? WireString(due.committed.text.string) : nil)
        return lineWithOneOrBoth(of: ack, due.id)
    }

    /// The line of an ack. If its text and its edits do not both fit on one line, the edits are left out.
    mutating func lineWithOneOrBoth(of ack: Ack, _ id: RequestID?) -> [UInt8] {
        let line = effects.line(ack, id)
        if line.count <= limits.announced.serverLine || ack.text == nil { return line }
        var short = ack
        short.edits = nil
        return effects.line(short, id)
    }

    /// The ack of a session's own push, if the session reaches it in the log and no ack is waiting. For
    /// example, the session resumed from a revision before that push.
    mutating func ackLine(_ logged: LoggedChange, at revision: Revision, in unit: CodeUnit) -> [UInt8] {
        effects.line(
            Ack(
                document: log.name, seq: Int(logged.seq), revision: revision,
                edits: logged.wireEdits(in: unit)))
    }

    /// The line of a change for other sessions. `client` is the public id of the pusher's client, if already
    /// computed.
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

    func own(of pusher: Pusher) -> OwnPush? {
        pushers.entry(of: pusher).map { OwnPush(seq: Int($0.seq), revision: $0.revision) }
    }
}

extension ErrorCode {
    /// Whether an error with this code also has the head.
    fileprivate var containsHead: Bool {
        [.baseAhead, .baseBehind, .baseTrimmed, .baseBeforeOwnPush, .pushInFlight, .epochChanged].contains(
            self)
    }
}
