import CaretCore
import CaretLog
import CaretWire

/// The lines that a room sends.
extension RoomState {
    /// A message as a line, without room to spare: it may lie in many queues.
    mutating func line<Message: WireMessage>(_ message: Message, _ id: RequestID? = nil) -> [UInt8] {
        writer.bytes.removeAll(keepingCapacity: true)
        message.encode(id: id, into: &writer)
        if writer.bytes.count < RoomState.mostCopied {
            return writer.bytes.withUnsafeBufferPointer(Array.init)
        }
        defer { writer = JSONWriter() }
        return writer.bytes
    }

    /// Bytes of a line that is copied out of the writer; a longer one takes the writer's memory with it, so that a room
    /// does not keep the room that the text of its document took as a line.
    private static let mostCopied = 4 << 10

    /// A line to a session that has the document open, which counts against its credit.
    mutating func hand(_ line: [UInt8], at place: Int) {
        if sessions[place].isCut { return }
        sessions[place].outstanding += line.count
        actions.append(.send(sessions[place].id, line))
    }

    /// An answer, to whoever asked.
    mutating func send<Message: WireMessage>(_ message: Message, _ id: RequestID?, to session: SessionID) {
        send(line(message, id), to: session)
    }

    /// An error, to whoever asked.
    mutating func send(_ report: ErrorReport, _ id: RequestID?, to session: SessionID) {
        if case .known(let code) = report.code { notes.refusals[code, default: 0] += 1 }
        send(line(report, id), to: session)
    }

    mutating func send(_ line: [UInt8], to session: SessionID) {
        if let place = sessions.place(of: session) {
            hand(line, at: place)
        } else {
            actions.append(.send(session, line))
        }
    }

    // MARK: Refusals

    mutating func refuse(_ push: RoomPush, _ refusal: RequestRefusal) {
        let report = ErrorReport(
            refusal.code, refusal.message, document: push.document, seq: Int(push.seq),
            head: refusal.code.tellsHead ? position : nil)
        send(report, push.id, to: push.session)
    }

    /// A refused opening is the end of its session.
    mutating func refuse(_ opening: RoomOpening, _ refusal: RequestRefusal) {
        send(
            ErrorReport(refusal.code, refusal.message, document: opening.document), opening.id,
            to: opening.session)
        actions.append(.ended(opening.session))
    }

    mutating func refuse(_ order: RoomOrder, _ refusal: RequestRefusal) {
        send(
            ErrorReport(refusal.code, refusal.message, document: order.document), order.id,
            to: order.requester)
    }

    // MARK: Acks and changes

    /// That a push came to nothing behind this text.
    mutating func sendUnchanged(_ push: RoomPush, at snapshot: Snapshot) {
        let ack = Ack(
            document: push.document, seq: Int(push.seq), revision: snapshot.revision,
            text: push.wantsText ? WireString(snapshot.text.string) : nil, unchanged: true)
        send(ack, push.id, to: push.session)
    }

    /// No edits where they are literally those that were sent.
    mutating func ackLine(_ due: AckDue, in unit: CodeUnit) -> [UInt8] {
        if let read = due.readAt { notes.acked.append(read) }
        let ack = Ack(
            document: name, seq: Int(due.committed.logged.seq), revision: due.revision,
            edits: due.isLiteral ? nil : due.committed.logged.wireEdits(in: unit),
            text: due.wantsText ? WireString(due.committed.text.string) : nil)
        return line(ofOneOrBoth: ack, due.id)
    }

    /// An ack with its text, and with its edits too where one line has room for both.
    mutating func line(ofOneOrBoth ack: Ack, _ id: RequestID?) -> [UInt8] {
        let line = line(ack, id)
        if line.count <= limits.announced.serverLine || ack.text == nil { return line }
        var short = ack
        short.edits = nil
        return self.line(short, id)
    }

    /// Of an own push to whoever has come back without its answer.
    mutating func ackLine(_ logged: LoggedChange, at revision: Revision, in unit: CodeUnit) -> [UInt8] {
        line(
            Ack(
                document: name, seq: Int(logged.seq), revision: revision, edits: logged.wireEdits(in: unit)))
    }

    /// `client` is what others may know its maker's client by, where that is known.
    mutating func changeLine(
        _ logged: LoggedChange, by client: WireString? = nil, at revision: Revision, in unit: CodeUnit
    ) -> [UInt8] {
        let author = WireChange.Author(
            user: WireString(logged.pusher.user.string), client: client ?? publicClient(logged.pusher),
            time: Int(logged.time))
        return line(
            WireChange(
                document: name, revision: revision, origin: .one(author), edits: logged.wireEdits(in: unit)))
    }

    var wireText: WireString { WireString(text.string) }

    func own(of pusher: Pusher) -> OwnPush? {
        pushers.entry(of: pusher).map { OwnPush(seq: Int($0.seq), revision: $0.revision) }
    }
}

extension ErrorCode {
    /// With these goes where the head is.
    fileprivate var tellsHead: Bool {
        [.baseAhead, .baseTrimmed, .baseBeforeOwnPush, .pushInFlight, .epochChanged].contains(self)
    }
}
