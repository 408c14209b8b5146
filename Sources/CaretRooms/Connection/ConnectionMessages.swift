import CaretCore
package import CaretLog
import CaretWire

/// Handling the messages of a welcomed client.
extension ConnectionState {
    /// Whether the message is a request that must be answered before the next one runs. A push is such a
    /// request only if its document is not open.
    func needsAnswer(_ message: ClientMessage) -> Bool {
        switch message {
        case .push(let push): documents[push.document] == nil
        case .restore(let restore): documents[restore.document] == nil
        default: message.waits
        }
    }

    mutating func run(_ envelope: Envelope<ClientMessage>) {
        let id = envelope.id
        switch envelope.message {
        case .hello: fail(.alreadyHello, "hello was already sent", id)
        case .ping: send(.pong(Pong()), id)
        case .pong: break
        case .authenticate(let authenticate):
            underway = .authenticating(authenticate, id)
            emit(.authenticate(token: authenticate.token))
        case .open(let open): self.open(open, id)
        case .close(let close): self.close(close.document, id)
        case .push(let push): self.push(push, id)
        case .restore(let restore): self.restore(restore, id)
        case .select(let select): self.select(select, id)
        case .diverged(let diverged): self.diverge(diverged, id)
        case .notes(let notes):
            if notes.onlyReads || !isTooOften(id, notes.document) { ask(envelope.message, id) }
        case .list, .listDeleted, .undelete, .read, .history, .blame, .follow, .unfollow, .rename, .delete,
            .tags, .links, .admin:
            ask(envelope.message, id)
        }
    }

    // MARK: Requests that the hub answers

    private mutating func ask(_ message: ClientMessage, _ id: RequestID?) {
        var names: [DocumentName] = []
        for document in [message.documents.0, message.documents.1] {
            guard let document else { continue }
            guard let name = name(document, id) else { return }
            names.append(name)
        }
        guard let question = HubRequest.Question(message, names) else { return }
        ask(question, message, id)
    }

    /// Whether the client may get the newest text of this document at once. If not, a read must ask the hub.
    ///
    /// The hub makes a read wait for earlier pushes of the same client. So no such push may be unanswered: the
    /// caller must know that this connection is the first one of its client.
    package func mayReadAtOnce(_ name: DocumentName, at time: Int64) -> Bool {
        underway == nil && waiting.isEmpty && mayReadFromMemory(name, at: time)
    }

    /// Whether this text answers the read that the client has just sent, as the hub would answer it. `text` must be the
    /// newest text of the document.
    package func isAnswered(by text: ReadText) -> Bool {
        guard case .waitingForAnswer = underway, isNewClient || settledReads.contains(text) else {
            return false
        }
        return mayReadFromMemory(text.name, at: now)
    }

    /// Whether the client may read the document, and no push of this connection can be unanswered.
    private func mayReadFromMemory(_ name: DocumentName, at time: Int64) -> Bool {
        guard case .welcomed(let member) = phase, !hasPushedToOpenDocument else { return false }
        return time < member.identity.end ?? .max && member.identity.grants.access(to: name) >= .read
    }

    mutating func ask(_ question: HubRequest.Question, _ message: ClientMessage, _ id: RequestID?) {
        underway = .waitingForAnswer(message)
        emit(.ask(HubRequest(connection: self.id, id: id, question: question)))
    }

    /// The name of the document that a message is about. If the name is invalid, refuses the message and
    /// returns nil.
    private mutating func name(
        _ document: WireString, _ id: RequestID?, seq: Int? = nil
    ) -> DocumentName? {
        do throws(DocumentName.Fault) { return try DocumentName(document.string) } catch {
            fail(.badName, "the name \(error.problem)", id, document: document, seq: seq)
            return nil
        }
    }

    // MARK: Opening and closing

    private mutating func open(_ open: Open, _ id: RequestID?) {
        let document = open.document
        let most = limits.announced.documents
        if documents[document] != nil {
            return fail(.alreadyOpen, "this connection already has the document open", id, document: document)
        }
        if documents.count >= most {
            let message = "\(documents.count) documents are open; at most \(most) are allowed"
            return fail(.tooLarge, message, id, document: document)
        }
        guard let name = name(document, id), let member else { return }
        guard let session = documents.nextSession(of: self.id) else {
            let message = "this connection has opened too many documents over time; connect again"
            return fail(.overloaded, message, id, document: document)
        }
        let participant = participant(member, session)
        documents.add(
            OpenDocument(
                session: session, name: name, participant: participant,
                rights: member.identity.grants.access(to: name).rights),
            as: document)
        underway = .opening(session, document)
        let opening = RoomOpening(
            session: session, id: id, document: document, participant: participant, rights: .none,
            resume: open.resume, mode: open.mode, squashes: open.squash,
            wantsNotes: open.wantsNotes)
        let question = HubRequest.Question.open(name, opening, creates: open.create)
        emit(.ask(HubRequest(connection: self.id, id: id, question: question)))
    }

    private func participant(_ member: Member, _ session: SessionID) -> Participant {
        Participant(
            pusher: member.pusher, name: settings.sessionName(session), introduction: member.introduction,
            unit: member.unit)
    }

    /// Returns the session of an open document. If the document is not open, the message is refused.
    private mutating func opened(_ document: WireString, _ id: RequestID?) -> OpenDocument? {
        if let open = documents[document], documents.stage(of: open.session) == .open { return open }
        fail(.notOpen, "this connection does not have the document open", id, document: document)
        return nil
    }

    private mutating func close(_ document: WireString, _ id: RequestID?) {
        guard let open = opened(document, id) else { return }
        documents.setStage(.closing, of: open.session)
        underway = .closing(open.session, document, id, isAnswered: false)
        sendToRoom(.close(open.session, id), of: open.session)
    }

    private mutating func diverge(_ diverged: Diverged, _ id: RequestID?) {
        guard let open = opened(diverged.document, id) else { return }
        documents.setStage(.closing, of: open.session)
        underway = .diverged(open.session, diverged.document)
        sendToRoom(.diverged(open.session, diverged.revision), of: open.session)
    }

    private mutating func select(_ select: Select, _ id: RequestID?) {
        guard let open = opened(select.document, id) else { return }
        sendToRoom(.select(open.session, select, id), of: open.session)
    }

    // MARK: Pushing

    private mutating func push(_ push: Push, _ id: RequestID?) {
        if isTooOften(id, push.document, push.seq) { return }
        if case .edits = push.content, documents[push.document] == nil {
            let message = "the document is not open; open it before you push edits, or push the whole text"
            return fail(.notOpen, message, id, document: push.document, seq: push.seq)
        }
        let content: RoomPush.Content =
            switch push.content {
            case .edits(let edits): .edits(edits)
            case .text(let text): .text(text)
            }
        guard let address = address(of: push.document) else { return }
        defer { isNewClient = false }
        forward(
            RoomPush(
                session: address.session, id: id, document: push.document, participant: address.participant,
                rights: address.rights, epoch: push.epoch, base: push.base, seq: Int64(push.seq),
                content: content, wantsText: push.wantsText, isExact: push.exact,
                digest: settings.digest(PushForm(push)), isOfNewClient: isNewClient, time: now),
            .push(push), creates: push.create)
    }

    private mutating func restore(_ restore: Restore, _ id: RequestID?) {
        if isTooOften(id, restore.document, restore.seq) { return }
        guard let address = address(of: restore.document) else { return }
        forward(
            RoomPush(
                session: address.session, id: id, document: restore.document,
                participant: address.participant, rights: address.rights, epoch: restore.epoch,
                base: restore.revision, seq: Int64(restore.seq), content: .restore,
                digest: settings.digest(PushForm(restore)), time: now),
            .restore(restore), creates: false)
    }

    private mutating func isTooOften(_ id: RequestID?, _ document: WireString, _ seq: Int? = nil) -> Bool {
        guard let wait = rate?.countPush(at: now), let perSecond = rate?.perSecond else { return false }
        fail(
            .rateLimited, "at most \(perSecond) pushes and notes a second, or \(2 * perSecond) in one burst",
            id,
            document: document, seq: seq, retryAfterMilliseconds: wait)
        return true
    }

    /// The sender of a push to this document: the session that has the document open. If the document is not
    /// open, the sender is the connection's `sessionless` id.
    private func address(of document: WireString) -> PushAddress? {
        if let open = documents[document] {
            return PushAddress(session: open.session, participant: open.participant, rights: open.rights)
        }
        let sessionless = SessionID.sessionless(id)
        return member.map {
            PushAddress(session: sessionless, participant: participant($0, sessionless), rights: .none)
        }
    }

    /// Sends a push to the room if the document is open. Otherwise sends it to the hub, which finds the room.
    private mutating func forward(_ push: RoomPush, _ message: ClientMessage, creates: Bool) {
        if documents[push.document] != nil {
            hasPushedToOpenDocument = true
            return sendToRoom(.push(push), of: push.session)
        }
        guard let name = name(push.document, push.id, seq: Int(push.seq)) else { return }
        ask(.push(name, push, creates: creates), message, push.id)
    }
}

private struct PushAddress {
    let session: SessionID
    let participant: Participant
    let rights: Rights
}
