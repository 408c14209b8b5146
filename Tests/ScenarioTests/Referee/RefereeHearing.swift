import CaretCore
import CaretLog
import CaretReplica
import CaretRooms
import CaretWire

/// Checks every line that a client receives.
extension Referee {
    /// A client has sent a message.
    func said(_ message: ClientMessage, _ id: RequestID?, on link: Link, unit: CodeUnit) {
        if let id {
            let own = ownPushes(before: message, on: link)
            link.awaited[id] = Awaited(message: message, own: own)
        }
        switch message {
        case .push(let push):
            let content: SaidPush.Content =
                switch push.content {
                case .edits(let edits): .edits(edits, unit)
                case .text(let text): .text(text)
                }
            note(
                SaidPush(
                    document: push.document, epoch: push.epoch, base: push.base, content: content,
                    time: world.now),
                seq: push.seq, of: link.client)
        case .restore(let restore):
            note(
                SaidPush(
                    document: restore.document, epoch: restore.epoch, base: restore.revision,
                    content: .restore,
                    time: world.now),
                seq: restore.seq, of: link.client)
        // The new session's stream acks pushes that are still under way, without their ids.
        case .open(let open): settle(link) { document, _ in document == open.document }
        default: break
        }
    }

    private func note(_ push: SaidPush, seq: Int, of client: Int) {
        let key = Ledger.PushKey(client: client, seq: Int64(seq))
        let isKnown = said[key]?.contains {
            $0.document == push.document && $0.epoch == push.epoch && $0.base == push.base
                && $0.content == push.content
        }
        if isKnown != true { said[key, default: []].append(push) }
        sentCopy(of: key, in: push.epoch)
    }

    /// A client has received a message.
    func heard(_ envelope: Envelope<ServerMessage>, _ sent: SentLine, on link: Link, unit: CodeUnit) {
        let answered = take(envelope, on: link)
        let asked = answered?.message
        switch envelope.message {
        case .opened(let opened): heard(opened, asked, sent, link, unit)
        case .change(let change): heard(change, sent, link, unit)
        case .ack(let ack): heard(ack, sent, link, unit)
        case .check(let check): heard(check, link, unit)
        case .peer(let peer): heard(peer, sent, link, unit)
        case .resync(let resync): heard(resync, sent, link)
        case .closed(let closed): end(closed.document, link)
        case .gone(let gone): heard(gone, sent, link)
        case .rights(let rights):
            if rights.rights == .none { end(rights.document, link) }
        case .text(let text):
            heard(text, sent, link)
            check(answered?.own, shownBy: text, on: link)
        case .revisions(let revisions): heard(revisions, answered?.own, sent, link, unit)
        case .listed(let listed): for document in listed.documents { heard(document, sent, link, unit) }
        case .document(let document):
            heard(document, sent, link, unit)
            heard(newsOf: document, link)
        case .error(let error): heard(error, asked, sent, link)
        case .done: if let asked { heardDone(asked, link) }
        case .welcome, .ping, .pong, .bye, .admin: break
        }
    }

    /// Removes and returns the request that this message answers.
    private func take(_ envelope: Envelope<ServerMessage>, on link: Link) -> Awaited? {
        guard let id = envelope.id else { return nil }
        guard let awaited = link.awaited.removeValue(forKey: id) else {
            fail(.answer, "client \(link.client) is answered what it did not ask, or twice: \(envelope)")
            return nil
        }
        share(awaited.message, on: link)
        if case .error = envelope.message { refused(id, on: link) }
        if !awaited.message.mayBeAnswered(by: envelope.message) {
            fail(.answer, "client \(link.client) is answered \(envelope.message) to \(awaited.message)")
        }
        return awaited
    }

    /// A push that is repeated before its answer is answered once, with the id of its last copy.
    private func share(_ message: ClientMessage, on link: Link) {
        guard let pushed = message.pushed else { return }
        settle(link) { $0 == pushed.document && $1 == pushed.seq }
    }

    /// Marks the pushes that need no answer of their own any more.
    private func settle(_ link: Link, where holds: (WireString, Int) -> Bool) {
        for (id, awaited) in link.awaited {
            guard let (document, seq) = awaited.message.pushed else { continue }
            if holds(document, seq) { link.awaited[id]?.isShared = true }
        }
    }

    /// The revision must have been on disk when the server sent the line.
    /// Rule P1.
    func history(_ epoch: WireString, _ revision: Revision, _ sent: SentLine) -> Ledger.History? {
        guard let history = ledger[epoch], let serial = history.serial(of: revision) else {
            fail(.synced, "revision \(revision.value) of \(epoch) is told of, which is not in the log")
            return nil
        }
        check(serial, revision, sent)
        return history
    }

    /// Records that a client knows a revision. The server must never take it back.
    private func note(_ revision: Revision, of epoch: WireString, toldTo client: Int) {
        told[client][epoch] = max(revision, told[client][epoch] ?? 0)
    }

    private func isOnDisk(_ place: WirePosition, _ sent: SentLine) -> Bool {
        ledger[place.epoch]?.serial(of: place.revision).map { $0 <= sent.serial } ?? false
    }

    private func check(_ serial: Int, _ revision: Revision, _ sent: SentLine) {
        if serial > sent.serial {
            fail(.synced, "revision \(revision.value) is told of before it is on disk")
        }
    }

    private func mayRead(_ document: WireString, _ sent: SentLine, _ link: Link) {
        if rights.mostAccess(link.client, to: document, at: sent.time) < .read {
            fail(.rights, "client \(link.client) is told of \(document), which it may not read")
        }
    }

    // MARK: Opening

    private func heard(
        _ opened: Opened, _ asked: ClientMessage?, _ sent: SentLine, _ link: Link, _ unit: CodeUnit
    ) {
        guard case .open(let open)? = asked else { return fail(.answer, "opened without a request") }
        mayRead(opened.document, sent, link)
        guard let history = history(opened.epoch, opened.revision, sent) else { return }
        var stream = StreamCheck(
            history: history, position: opened.revision, squashes: open.squash)
        switch opened.content {
        case .resumed:
            counts.resumes += 1
            if open.resume != WirePosition(epoch: opened.epoch, revision: opened.revision) {
                fail(.stream, "client \(link.client) is resumed where it did not leave off")
            }
        case .text(let text), .textAfterAll(let text):
            check(text, opened.revision, history, "opened")
            // Lines of an older connection may still arrive, so only the newest one counts.
            let isNewest = link === world.machines[link.client].link
            if isNewest, opened.revision < told[link.client][opened.epoch] ?? 0 {
                fail(.synced, "client \(link.client) opens an older text than it was told of")
            }
        }
        check(opened.own, opened.document, history, link, sent)
        for peer in opened.peers {
            guard let selections = history.text(at: opened.revision)?.selections(peer.selections, in: unit)
            else {
                return fail(.presence, "a peer's selection has no place in the opened text")
            }
            if case .resumed = opened.content { continue }
            let taken = match(peer.session, selections, behind: 0, opened.revision, history)
            stream.peers[peer.session] = StreamCheck.PeerView(selections: selections, taken: taken)
        }
        link.streams[opened.document] = stream
    }

    func check(_ text: WireString, _ revision: Revision, _ history: Ledger.History, _ what: String) {
        guard let known = history.text(at: revision) else { return }
        if !known.string.utf8.elementsEqual(text.utf8) {
            fail(.text, "\(what) text at revision \(revision.value) of \(history.epoch) is not the log's")
        }
    }

    private func check(
        _ own: OwnPush?, _ document: WireString, _ history: Ledger.History, _ link: Link, _ sent: SentLine
    ) {
        guard let own else { return }
        settle(link) { $0 == document && $1 == own.seq }
        let key = Ledger.PushKey(client: link.client, seq: Int64(own.seq))
        guard let revision = history.revisions[key], revision == own.revision else {
            return fail(.ack, "client \(link.client) is told of an own push \(own) that is not in the log")
        }
        if let serial = history.serial(of: revision) { check(serial, revision, sent) }
    }

    private func heard(_ resync: Resync, _ sent: SentLine, _ link: Link) {
        counts.resyncs += 1
        mayRead(resync.document, sent, link)
        guard let stream = link.streams[resync.document] else {
            return fail(.stream, "client \(link.client) is resynced where nothing is open")
        }
        guard let history = history(resync.epoch, resync.revision, sent) else { return }
        check(resync.text, resync.revision, history, "resynced")
        check(resync.own, resync.document, history, link, sent)
        link.streams[resync.document] = StreamCheck(
            history: history, position: resync.revision, squashes: stream.squashes)
    }

    private func end(_ document: WireString, _ link: Link) { link.streams[document] = nil }

    /// A client that renames or deletes a document hears the end of its own session before the answer.
    private func heardDone(_ asked: ClientMessage, _ link: Link) {
        let name: WireString
        switch asked {
        case .rename(let rename): name = rename.document
        case .delete(let delete): name = delete.document
        default: return
        }
        // If several documents had the name, the request may have meant another one.
        guard let stream = link.streams[name], tellsOfEnds(link), ledger.documents(everNamed: name).count == 1
        else { return }
        fail(
            .stream,
            "client \(link.client) is told that document \(stream.history.document.value) is gone before its session has ended"
        )
    }

    /// False for a connection that is closing: it sends nothing when its documents close.
    func tellsOfEnds(_ link: Link) -> Bool {
        !link.up.hasEnded && link.port?.server.isStopping == false && !rights.wasRevoked(link.client)
    }

    private func heard(_ gone: Gone, _ sent: SentLine, _ link: Link) {
        if gone.isFollowed {
            heard(newsOfEnd: gone, link)
        } else if let stream = link.streams.removeValue(forKey: gone.document) {
            // Compares documents, not epochs: a resync to another epoch may not have been sent yet.
            if document(of: gone, link) != stream.history.document {
                fail(.stream, "client \(link.client) is told of the end of another document")
            }
        } else {
            fail(.stream, "client \(link.client) is told of the end of a document that it has not open")
        }
        if let to = gone.to { mayRead(to, sent, link) }
    }

    // MARK: The stream

    /// Rule C1.
    private func heard(_ change: WireChange, _ sent: SentLine, _ link: Link, _ unit: CodeUnit) {
        mayRead(change.document, sent, link)
        guard let stream = link.streams[change.document] else {
            return fail(.stream, "client \(link.client) is told of a change where nothing is open")
        }
        let history = stream.history
        guard let serial = history.serial(of: change.revision) else {
            return fail(.synced, "change \(change.revision.value) is not in the log")
        }
        check(serial, change.revision, sent)
        switch change.origin {
        case .one(let author):
            if change.revision != stream.position.next {
                return fail(
                    .stream,
                    "client \(link.client) is told of \(change.revision.value) behind \(stream.position.value)"
                )
            }
            check(change, author, history, link, unit)
        case .squashed(let from):
            if from != stream.position || change.revision <= from || !stream.squashes {
                return fail(.stream, "client \(link.client) is told of a squashed change out of turn")
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
                .text, "client \(link.client) is told of revision \(change.revision.value) with other edits")
        }
        if WireString(logged.pusher.user.string) != author.user
            || Names.publicClient(logged.pusher) != author.client
            || logged.time != Int64(author.time)
        {
            fail(.text, "revision \(change.revision.value) is told as somebody else's")
        }
        if client(of: logged.pusher) == link.client {
            fail(.stream, "client \(link.client) is told of its own revision by a change")
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
                .text, "a squashed change does not lead from \(from.value) to \(change.revision.value)")
        }
    }

    /// A client has received a revision: moves the selections of its peers over it.
    private func advance(_ document: WireString, to revision: Revision, _ link: Link) {
        guard let stream = link.streams[document] else { return }
        let moves = stream.history.moves(from: stream.position, to: revision)
        link.streams[document]?.position = revision
        note(revision, of: stream.history.epoch, toldTo: link.client)
        for session in stream.peers.keys where !(stream.peers[session]?.selections.isEmpty ?? true) {
            link.streams[document]?.peers[session]?.selections = moves.mapping(
                stream.peers[session]?.selections ?? [])
        }
    }

    /// Rule C3.
    private func heard(_ ack: Ack, _ sent: SentLine, _ link: Link, _ unit: CodeUnit) {
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
                "client \(link.client) is acked seq \(ack.seq) as revision \(ack.revision.value), not in the log"
            )
        }
        check(serial, ack.revision, sent)
        check(ack, key, history, link, unit)
        note(ack.revision, of: place.epoch, toldTo: link.client)
        if let text = ack.text { check(text, ack.revision, history, "acked") }
        guard let stream, !ack.duplicate, stream.history.epoch == place.epoch else { return }
        if ack.revision <= stream.position {
            fail(
                .ack,
                "client \(link.client) is acked revision \(ack.revision.value) again, and not as a duplicate")
        }
        if ack.revision != stream.position.next { return }
        advance(ack.document, to: ack.revision, link)
    }

    /// The edits of an ack must be those in the log. An ack without edits says that the sent edits were
    /// committed literally.
    private func check(
        _ ack: Ack, _ key: Ledger.PushKey, _ history: Ledger.History, _ link: Link, _ unit: CodeUnit
    ) {
        let logged = history.edits(at: ack.revision, in: unit)
        if let edits = ack.edits {
            if edits != logged {
                fail(.text, "client \(link.client) is acked seq \(ack.seq) with other edits")
            }
            return
        }
        let isLiteral = said[key]?.contains { push in
            if case .edits(let edits, unit) = push.content { edits == logged } else { false }
        }
        if isLiteral != true, !ack.duplicate {
            fail(.text, "client \(link.client) is acked seq \(ack.seq) as literal, which it is not")
        }
    }

    /// An ack says `unchanged`: the push must change nothing at that revision.
    private func checkUnchanged(_ ack: Ack, _ key: Ledger.PushKey, _ sent: SentLine) {
        let pushes = said[key] ?? []
        // Only a push that names its epoch says in which history the server validated it.
        let isSo = pushes.contains { push in
            let history = push.epoch.flatMap { ledger[$0] }
            guard let history, let serial = history.serial(of: ack.revision), serial <= sent.serial else {
                return push.epoch == nil || isText(push, ack.revision)
            }
            if case .text(let text) = push.content, Text(normal: text) == history.text(at: ack.revision) {
                return true
            }
            if push.content == .restore {
                return history.text(at: push.base) == history.text(at: ack.revision)
            }
            if isText(push, ack.revision) { return true }
            return moved(push, in: history, to: ack.revision)?.isEmpty ?? false
        }
        if !isSo { fail(.ack, "seq \(key.seq) of client \(key.client) did not come to nothing") }
    }

    /// Whether some history has the pushed whole text at the revision.
    private func isText(_ push: SaidPush, _ revision: Revision) -> Bool {
        guard case .text(let text) = push.content else { return false }
        let normal = Text(normal: text)
        return ledger.current.values.contains { ledger[$0]?.text(at: revision) == normal }
            || ledger.contains(normal, at: revision)
    }

    private func heard(_ check: Check, _ link: Link, _ unit: CodeUnit) {
        guard let stream = link.streams[check.document] else {
            return fail(.stream, "client \(link.client) is told what adds up where nothing is open")
        }
        guard check.revision == stream.position, let text = stream.history.text(at: check.revision) else {
            return fail(.check, "client \(link.client) is told what another revision adds up to")
        }
        if check.length != text.length.count(of: unit) || check.crc32 != text.crc32 {
            fail(
                .check,
                "revision \(check.revision.value) does not add up to what client \(link.client) is told")
        }
    }
}

extension Ledger {
    func contains(_ text: Text, at revision: Revision) -> Bool {
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
            (.read, .text), (.history, .revisions), (.follow, .done), (.unfollow, .done), (.rename, .done),
            (.delete, .done), (.ping, .pong), (.hello, .welcome):
            true
        default: false
        }
    }
}
