import CaretCore
import CaretLog
import CaretReplica
import CaretRooms
import CaretWire

/// Checks every line that a client receives.
extension Referee {
    /// A client has sent a message.
    func recordSent(_ message: ClientMessage, _ id: RequestID?, on link: Link, unit: CodeUnit) {
        if let id {
            let own = ownPushes(before: message, on: link)
            link.awaited[id] = PendingRequest(message: message, own: own)
        }
        switch message {
        case .push(let push):
            let content: RecordedPush.Content =
                switch push.content {
                case .edits(let edits): .edits(edits, unit)
                case .text(let text): .text(text)
                }
            note(
                RecordedPush(
                    document: push.document, epoch: push.epoch, base: push.base, content: content,
                    time: world.now),
                seq: push.seq, of: link.client)
        case .restore(let restore):
            note(
                RecordedPush(
                    document: restore.document, epoch: restore.epoch, base: restore.revision,
                    content: .restore,
                    time: world.now),
                seq: restore.seq, of: link.client)
        // The new session acks earlier pushes without their request ids. So these pushes need no answers of
        // their own.
        case .open(let open): markShared(link) { document, _ in document == open.document }
        default: break
        }
    }

    func note(_ push: RecordedPush, seq: Int, of client: Int) {
        let key = Ledger.PushKey(client: client, seq: Int64(seq))
        let isKnown = sentPushes[key]?.contains {
            $0.document == push.document && $0.epoch == push.epoch && $0.base == push.base
                && $0.content == push.content && $0.isExact == push.isExact
        }
        if isKnown != true { sentPushes[key, default: []].append(push) }
        sentCopy(of: key, in: push.epoch)
    }

    /// A client has received a message.
    func received(_ envelope: Envelope<ServerMessage>, _ sent: SentLine, on link: Link, unit: CodeUnit) {
        let answered = take(envelope, on: link)
        let asked = answered?.message
        switch envelope.message {
        case .opened(let opened): received(opened, answered, sent, link, unit)
        case .change(let change): received(change, sent, link, unit)
        case .ack(let ack): received(ack, sent, link, unit)
        case .check(let check): received(check, link, unit)
        case .peer(let peer): received(peer, sent, link, unit)
        case .resync(let resync): received(resync, sent, link)
        case .closed(let closed):
            if link.streams[closed.document]?.mustEnd == true {
                fail(
                    .answer,
                    "a push of client \(link.client) was refused with `not_found`, but its session goes on")
            }
            end(closed.document, link)
        case .gone(let gone): received(gone, sent, link)
        case .rights(let rights):
            if rights.rights == .none { end(rights.document, link) }
        case .text(let text):
            received(text, sent, link)
            check(answered?.own, shownBy: text, on: link)
        case .revisions(let revisions): received(revisions, answered?.own, sent, link, unit)
        case .listed(let listed): for document in listed.documents { received(document, sent, link, unit) }
        case .document(let document):
            received(document, sent, link, unit)
            received(newsOf: document, link)
        case .error(let error): received(error, asked, sent, link)
        case .done: if let asked { receivedDone(asked, link) }
        case .welcome, .authenticated, .blamed, .deleted, .tags, .notes, .noted, .ping, .pong, .bye, .admin:
            break
        }
    }

    /// Removes and returns the request that this message answers.
    private func take(_ envelope: Envelope<ServerMessage>, on link: Link) -> PendingRequest? {
        guard let id = envelope.id else { return nil }
        guard let awaited = link.awaited.removeValue(forKey: id) else {
            fail(
                .answer,
                "client \(link.client) received an answer without a request, or a second one: \(envelope)")
            return nil
        }
        markRepeats(awaited.message, on: link)
        if case .error = envelope.message { refused(id, on: link) }
        if !awaited.message.mayBeAnswered(by: envelope.message) {
            fail(
                .answer,
                "client \(link.client) received \(envelope.message) as the answer to \(awaited.message)")
        }
        return awaited
    }

    /// If a client repeats a push before its answer, the server answers once, with the id of the last copy.
    private func markRepeats(_ message: ClientMessage, on link: Link) {
        guard let pushed = message.pushed else { return }
        markShared(link) { $0 == pushed.document && $1 == pushed.seq }
    }

    /// Marks the pushes that no longer need an answer of their own.
    private func markShared(_ link: Link, where holds: (WireString, Int) -> Bool) {
        for (id, awaited) in link.awaited {
            guard let (document, seq) = awaited.message.pushed else { continue }
            if holds(document, seq) { link.awaited[id]?.isShared = true }
        }
    }

    /// The history of a revision that the server sent. The revision must have been on disk when the server
    /// sent the line.
    /// Rule P1.
    func history(_ epoch: WireString, _ revision: Revision, _ sent: SentLine) -> Ledger.History? {
        guard let history = ledger[epoch], let serial = history.serial(of: revision) else {
            fail(.synced, "the server sent revision \(revision.value) of \(epoch), which is not in the log")
            return nil
        }
        check(serial, revision, sent)
        return history
    }

    /// Records that a client has received a revision. The server must never lose this revision.
    func note(_ revision: Revision, of epoch: WireString, reportedTo client: Int) {
        reported[client][epoch] = max(revision, reported[client][epoch] ?? 0)
        newest[epoch] = max(revision, newest[epoch] ?? 0)
    }

    func isOnDisk(_ place: WirePosition, _ sent: SentLine) -> Bool {
        ledger[place.epoch]?.serial(of: place.revision).map { $0 <= sent.serial } ?? false
    }

    private func check(_ serial: Int, _ revision: Revision, _ sent: SentLine) {
        if serial > sent.serial {
            fail(.synced, "the server sent revision \(revision.value) before it was on disk")
        }
    }

    private func mayRead(_ document: WireString, _ sent: SentLine, _ link: Link) {
        if rights.mostAccess(link.client, to: document, at: sent.time) < .read {
            fail(.rights, "client \(link.client) received data of \(document), which it may not read")
        }
    }

    // MARK: Opening

    private func received(
        _ opened: Opened, _ asked: PendingRequest?, _ sent: SentLine, _ link: Link, _ unit: CodeUnit
    ) {
        guard case .open(let open)? = asked?.message else {
            return fail(.answer, "the server sent `opened` without a request")
        }
        mayRead(opened.document, sent, link)
        guard let history = history(opened.epoch, opened.revision, sent) else { return }
        var stream = TrackedStream(
            history: history, position: opened.revision, squashes: open.squash)
        switch opened.content {
        case .resumed:
            counts.resumes += 1
            if open.resume != WirePosition(epoch: opened.epoch, revision: opened.revision) {
                fail(.stream, "client \(link.client) resumed at another position than it asked for")
            }
        case .text(let text), .textAfterAll(let text):
            check(text, opened.revision, history, "opened")
            // Checks the newest connection only, because lines of older connections may still arrive.
            let isNewest = link === world.machines[link.client].link
            if isNewest, opened.revision < asked?.own?.reported[opened.epoch] ?? 0 {
                fail(.synced, "client \(link.client) opened an older text than it had received")
            }
        }
        check(opened.own, opened.document, history, link, sent)
        for peer in opened.peers {
            guard let selections = history.text(at: opened.revision)?.selections(peer.selections, in: unit)
            else {
                return fail(.presence, "a peer's selection does not fit the opened text")
            }
            if case .resumed = opened.content { continue }
            let taken = match(peer.session, selections, notBefore: 0, opened.revision, history)
            stream.peers[peer.session] = TrackedStream.PeerView(selections: selections, taken: taken)
        }
        link.streams[opened.document] = stream
    }

    func check(_ text: WireString, _ revision: Revision, _ history: Ledger.History, _ what: String) {
        guard let known = history.text(at: revision) else { return }
        if !known.string.utf8.elementsEqual(text.utf8) {
            fail(
                .text,
                "the \(what) text differs from the log at revision \(revision.value) of \(history.epoch)")
        }
    }

    private func check(
        _ own: OwnPush?, _ document: WireString, _ history: Ledger.History, _ link: Link, _ sent: SentLine
    ) {
        guard let own else { return }
        markShared(link) { $0 == document && $1 == own.seq }
        if own.seq == 0 { return check(own, ofCopyIn: history, link) }
        let key = Ledger.PushKey(client: link.client, seq: Int64(own.seq))
        guard let revision = history.revisions[key], revision == own.revision else {
            return fail(.ack, "client \(link.client) received `own` with \(own), which is not in the log")
        }
        if let serial = history.serial(of: revision) { check(serial, revision, sent) }
    }

    private func received(_ resync: Resync, _ sent: SentLine, _ link: Link) {
        counts.resyncs += 1
        mayRead(resync.document, sent, link)
        guard let stream = link.streams[resync.document] else {
            return fail(.stream, "client \(link.client) received a resync of a document that is not open")
        }
        guard let history = history(resync.epoch, resync.revision, sent) else { return }
        check(resync.text, resync.revision, history, "resynced")
        check(resync.own, resync.document, history, link, sent)
        link.streams[resync.document] = TrackedStream(
            history: history, position: resync.revision, squashes: stream.squashes, mustEnd: stream.mustEnd)
    }

    private func end(_ document: WireString, _ link: Link) { link.streams[document] = nil }

    /// A client that renames or deletes a document must receive the `gone` of its own session before the
    /// answer.
    private func receivedDone(_ asked: ClientMessage, _ link: Link) {
        let name: WireString
        switch asked {
        case .rename(let rename): name = rename.document
        case .delete(let delete): name = delete.document
        case .tags(.copy(let copy)): return reportedCopy(copy, link)
        default: return
        }
        // If several documents had the name, the request may have meant another document.
        guard let stream = link.streams[name], reportsEnds(link), ledger.documents(everNamed: name).count == 1
        else { return }
        fail(
            .stream,
            "client \(link.client) received the answer for document \(stream.history.document.value) before the end of its session"
        )
    }

    /// Whether the server sends `gone` on this link when a document ends. It sends none on a connection that
    /// is closing.
    func reportsEnds(_ link: Link) -> Bool {
        !link.up.hasEnded && link.port?.server.isStopping == false && !rights.wasRevoked(link.client)
    }

    private func received(_ gone: Gone, _ sent: SentLine, _ link: Link) {
        if gone.reason == .known(.damaged), !world.plan.damagesDocuments {
            fail(.damage, "client \(link.client) hears that \(gone.document) is damaged")
        }
        if gone.isFollowed {
            received(newsOfEnd: gone, link)
        } else if let stream = link.streams.removeValue(forKey: gone.document) {
            // Compares documents, not epochs: a resync to another epoch may not have been sent yet.
            if document(of: gone, link) != stream.history.document {
                fail(.stream, "client \(link.client) received `gone` for another document than its open one")
            }
        } else {
            fail(.stream, "client \(link.client) received `gone` for a document that is not open")
        }
        if let to = gone.to { mayRead(to, sent, link) }
    }

    // MARK: The stream

    /// Rule C1.
    private func received(_ change: WireChange, _ sent: SentLine, _ link: Link, _ unit: CodeUnit) {
        mayRead(change.document, sent, link)
        guard let stream = link.streams[change.document] else {
            return fail(.stream, "client \(link.client) received a change of a document that is not open")
        }
        let history = stream.history
        guard let serial = history.serial(of: change.revision) else {
            return fail(.synced, "the server sent change \(change.revision.value), which is not in the log")
        }
        check(serial, change.revision, sent)
        switch change.origin {
        case .one(let author):
            if change.revision != stream.position.next {
                return fail(
                    .stream,
                    "client \(link.client) received revision \(change.revision.value) after \(stream.position.value)"
                )
            }
            check(change, author, history, link, unit)
        case .squashed(let from):
            if from != stream.position || change.revision <= from || !stream.squashes {
                return fail(
                    .stream,
                    "client \(link.client) received a squashed change with a wrong start, or without asking")
            }
            checkSquashed(change, from, history, unit)
        }
        advance(change.document, to: change.revision, link)
    }

    /// Rule C2.
    private func check(
        _ change: WireChange, _ author: WireChange.Author, _ history: Ledger.History, _ link: Link,
        _ unit: CodeUnit
    ) {
        guard let logged = history.change(at: change.revision) else { return }
        if history.edits(at: change.revision, in: unit) != change.edits {
            return fail(
                .text, "client \(link.client) received wrong edits for revision \(change.revision.value)")
        }
        if WireString(logged.pusher.user.string) != author.user
            || Names.publicClient(logged.pusher) != author.client
            || logged.time != Int64(author.time)
        {
            fail(.text, "revision \(change.revision.value) has a wrong author or time")
        }
        if client(of: logged.pusher) == link.client {
            fail(.stream, "client \(link.client) received its own revision as a change, not as an ack")
        }
    }

    /// Rule C4.
    private func checkSquashed(
        _ change: WireChange, _ from: Revision, _ history: Ledger.History, _ unit: CodeUnit
    ) {
        guard let old = history.text(at: from), let joined = old.change(change.edits, in: unit),
            let new = try? old.applying(joined), new == history.text(at: change.revision)
        else {
            return fail(
                .text, "a squashed change does not turn revision \(from.value) into \(change.revision.value)")
        }
    }

    /// Records that a client has received a revision. Maps the selections of the client's peers to this
    /// revision.
    private func advance(_ document: WireString, to revision: Revision, _ link: Link) {
        guard let stream = link.streams[document] else { return }
        let coreChanges = stream.history.coreChanges(from: stream.position, to: revision)
        link.streams[document]?.position = revision
        note(revision, of: stream.history.epoch, reportedTo: link.client)
        for session in stream.peers.keys where !(stream.peers[session]?.selections.isEmpty ?? true) {
            link.streams[document]?.peers[session]?.selections = coreChanges.mapping(
                stream.peers[session]?.selections ?? [])
        }
    }

    /// Rule C3.
    private func received(_ ack: Ack, _ sent: SentLine, _ link: Link, _ unit: CodeUnit) {
        let key = Ledger.PushKey(client: link.client, seq: Int64(ack.seq))
        if ack.unchanged { return checkUnchanged(ack, key, sent) }
        if ack.duplicate { counts.repeats += 1 }
        let stream = link.streams[ack.document]
        let places = ledger.commits[key]?.filter { $0.revision == ack.revision } ?? []
        guard
            let place = places.first(where: { $0.epoch == stream?.history.epoch }) ?? places.first(where: {
                isOnDisk($0, sent)
            })
                ?? places.last,
            let history = ledger[place.epoch], let serial = history.serial(of: ack.revision)
        else {
            return fail(
                .ack,
                "client \(link.client) got an ack of seq \(ack.seq) as revision \(ack.revision.value), which is not in the log"
            )
        }
        check(serial, ack.revision, sent)
        check(ack, key, history, link, unit)
        note(ack.revision, of: place.epoch, reportedTo: link.client)
        if let text = ack.text { check(text, ack.revision, history, "acked") }
        guard let stream, !ack.duplicate, stream.history.epoch == place.epoch else { return }
        if ack.revision <= stream.position {
            fail(
                .ack,
                "client \(link.client) got a second ack of revision \(ack.revision.value) that is not marked as a duplicate"
            )
        }
        if ack.revision != stream.position.next { return }
        advance(ack.document, to: ack.revision, link)
    }

    /// The edits of an ack must be the edits in the log. An ack without edits says that the log has the edits
    /// as they were sent.
    private func check(
        _ ack: Ack, _ key: Ledger.PushKey, _ history: Ledger.History, _ link: Link, _ unit: CodeUnit
    ) {
        let logged = history.edits(at: ack.revision, in: unit)
        if let edits = ack.edits {
            if edits != logged {
                fail(.text, "client \(link.client) got an ack of seq \(ack.seq) with wrong edits")
            }
            return
        }
        let isLiteral = sentPushes[key]?.contains { push in
            if case .edits(let edits, unit) = push.content { edits == logged } else { false }
        }
        if isLiteral != true, !ack.duplicate {
            fail(
                .text,
                "client \(link.client) got an ack of seq \(ack.seq) without edits, but the log has other edits than it sent"
            )
        }
    }

    /// Checks an ack with `unchanged`: the push must change nothing at that revision.
    private func checkUnchanged(_ ack: Ack, _ key: Ledger.PushKey, _ sent: SentLine) {
        let pushes = sentPushes[key] ?? []
        // Only a push with an epoch shows which history the server compared it with.
        let leavesTextUnchanged = pushes.contains { push in
            let history = push.epoch.flatMap { ledger[$0] }
            guard let history, let serial = history.serial(of: ack.revision), serial <= sent.serial else {
                return push.epoch == nil || isText(push, ack.revision)
            }
            if case .text(let text) = push.content, TextBuffer(normal: text) == history.text(at: ack.revision)
            {
                return true
            }
            if push.content == .restore {
                return history.text(at: push.base) == history.text(at: ack.revision)
            }
            if isText(push, ack.revision) { return true }
            return moved(push, in: history, to: ack.revision)?.isEmpty ?? false
        }
        if !leavesTextUnchanged {
            fail(.ack, "seq \(key.seq) of client \(key.client) is acked as unchanged, but changes the text")
        }
    }

    /// Whether any history has, at this revision, the whole text that the client pushed.
    private func isText(_ push: RecordedPush, _ revision: Revision) -> Bool {
        guard case .text(let text) = push.content else { return false }
        let normal = TextBuffer(normal: text)
        return ledger.current.values.contains { ledger[$0]?.text(at: revision) == normal }
            || ledger.contains(normal, at: revision)
    }

    private func received(_ check: Check, _ link: Link, _ unit: CodeUnit) {
        guard let stream = link.streams[check.document] else {
            return fail(.stream, "client \(link.client) received a check of a document that is not open")
        }
        guard check.revision == stream.position, let text = stream.history.text(at: check.revision) else {
            return fail(.check, "client \(link.client) received a check of another revision than its own")
        }
        if check.length != text.length.count(of: unit) || check.crc32 != text.crc32 {
            fail(
                .check,
                "the check of revision \(check.revision.value) for client \(link.client) does not match the log"
            )
        }
    }
}

extension Ledger {
    func contains(_ text: TextBuffer, at revision: Revision) -> Bool {
        histories.values.contains { $0.text(at: revision) == text }
    }
}

extension ClientMessage {
    /// The document and the seq of a push or a restore.
    fileprivate var pushed: (document: WireString, seq: Int)? {
        switch self {
        case .push(let push): (push.document, push.seq)
        case .restore(let restore): (restore.document, restore.seq)
        default: nil
        }
    }

    fileprivate func mayBeAnswered(by answer: ServerMessage) -> Bool {
        switch (self, answer) {
        case (_, .error), (.open, .opened), (.close, .closed), (.push, .ack), (.restore, .ack),
            (.list, .listed),
            (.read, .text), (.history, .revisions), (.blame, .blamed), (.listDeleted, .deleted),
            (.undelete, .done), (.follow, .done), (.unfollow, .done),
            (.rename, .done),
            (.delete, .done), (.tags(.add), .done), (.tags(.copy), .done), (.ping, .pong), (.hello, .welcome):
            true
        default: false
        }
    }
}
