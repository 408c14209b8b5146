import CaretCore
import CaretLog
import CaretWire

/// Checks answers about documents that need not be open.
extension Referee {
    func received(_ text: WireText, _ sent: SentLine, _ link: Link) {
        checkReadRight(text.document, sent, link)
        guard let history = history(renewed(text.epoch, text.revision), text.revision, sent) else { return }
        check(text.text, text.revision, history, "read")
        newest[history.epoch] = max(text.revision, newest[history.epoch] ?? 0)
    }

    /// The epoch of the history that a text was read from. It may be newer than the epoch in the answer,
    /// which the server looked up earlier.
    func renewed(_ epoch: WireString, _ revision: Revision) -> WireString {
        guard let known = ledger[epoch], known.serial(of: revision) == nil,
            let now = ledger.history(of: known.document), now.isContinued
        else { return epoch }
        return now.epoch
    }

    func received(_ document: DocumentSummary, _ sent: SentLine, _ link: Link, _ unit: CodeUnit) {
        checkReadRight(document.document, sent, link)
        guard let history = history(document.epoch, document.revision, sent) else { return }
        if history.text(at: document.revision)?.length.count(of: unit) != document.length {
            fail(.text, "\(document.document) is listed with a wrong length")
        }
    }

    /// Suppose that a client has received `gone` for a document under a name. It may receive another event of
    /// this document under this name only if the document got the name again.
    func received(newsOf document: DocumentSummary, _ link: Link) {
        guard let id = ledger[document.epoch]?.document else { return }
        let naming = Ledger.NameAssignment(document: id, name: document.document)
        if link.nameEnds[naming, default: 0] >= ledger.assignmentCounts[naming, default: 0] {
            fail(
                .following,
                "client \(link.client) follows documents and received an event of \(document.document) after its end"
            )
        }
        link.followed[document.document] = id
    }

    func received(newsOfEnd gone: Gone, _ link: Link) {
        guard let id = document(of: gone, link) else { return }
        // The protocol does not promise this order, but a single server keeps it: rooms notify connections before
        // they notify the hub. If another server has changed the name, the hub learns of it first.
        let naming = Ledger.NameAssignment(document: id, name: gone.document)
        // If the document has got the name again, the session may have begun after that.
        let isLastEnd = link.nameEnds[naming, default: 0] + 1 >= ledger.assignmentCounts[naming, default: 0]
        if !world.plan.sharesStore, isLastEnd, link.streams[gone.document]?.history.document == id,
            reportsEnds(link)
        {
            fail(
                .following,
                "client \(link.client) got `gone` of \(gone.document) as a follower before its session ended"
            )
        }
        // The client may already have received an event of another document with this name.
        if link.followed[gone.document] == id { link.followed[gone.document] = nil }
        link.nameEnds[naming, default: 0] += 1
    }

    /// The document of a `gone` message, by its epoch.
    func document(of gone: Gone, _ link: Link) -> DocumentID? {
        let id = gone.epoch.flatMap { ledger[$0]?.document }
        if id == nil { fail(.following, "client \(link.client) received `gone` without an epoch of the log") }
        return id
    }

    func received(
        _ revisions: Revisions, _ own: OwnPushes?, _ sent: SentLine, _ link: Link, _ unit: CodeUnit
    ) {
        checkReadRight(revisions.document, sent, link)
        guard let first = revisions.revisions.first else { return }
        // A page of history does not name its epoch, so it may be from any history that matches its first
        // revision.
        let alike = ledger.histories.values.filter { history in
            guard let logged = history.change(at: first.revision) else { return false }
            return logged.time == Int64(first.author.time)
                && Names.publicClient(logged.pusher) == first.author.client
        }
        let histories = alike.filter { history in
            revisions.revisions.enumerated().allSatisfy { index, summary in
                summary.revision.value == first.revision.value + index && holds(history, summary, sent, unit)
            }
        }
        if histories.isEmpty {
            return fail(.text, "client \(link.client) received a page that matches no history of the log")
        }
        check(own, shownBy: revisions, of: histories, on: link)
    }

    private func holds(
        _ history: Ledger.History, _ summary: RevisionSummary, _ sent: SentLine, _ unit: CodeUnit
    ) -> Bool {
        guard let logged = history.change(at: summary.revision),
            let serial = history.serial(of: summary.revision)
        else { return false }
        let inserted = logged.edits.reduce(0) { $0 + $1.edit.inserted.count(of: unit) }
        let deleted = logged.edits.reduce(0) { $0 + $1.removed.count(of: unit) }
        if let edits = summary.edits, edits != history.edits(at: summary.revision, in: unit) { return false }
        return serial <= sent.serial && summary.inserted == inserted && summary.deleted == deleted
            && Int64(summary.author.time) == logged.time
    }

    func received(_ error: ErrorReport, _ asked: ClientMessage?, _ sent: SentLine, _ link: Link) {
        guard case .known(let code) = error.code else {
            return fail(.wire, "the server sent an unknown error code")
        }
        if code == .internal { fail(.answer, "the server reported an internal error: \(error.message)") }
        if [.badRange, .badEdits, .badText].contains(code), case .push(let push)? = asked,
            isSound(push, on: link)
        {
            fail(.answer, "the server refused a valid push of client \(link.client): \(error.message)")
        }
        // A room may report a store error for a while after the store works again.
        if [.storageFailed, .storageFull].contains(code), world.store.lastFault < sent.time - 5_000_000 {
            fail(
                .answer,
                "client \(link.client) received a store error, but the store had no fault: \(error.message)")
        }
        if case .push(let push)? = asked {
            refused(push, code, sent, link)
            if code == .notFound { noteMissing(push, link) }
            checkBase(push.base, of: push.epoch, refusedWith: code, sent)
        }
        guard let document = error.document else { return }
        if code.revealsDocument, rights.mostAccess(link.client, to: document, at: sent.time) < .read {
            fail(
                .rights,
                "\(code.rawValue) reveals \(document) to client \(link.client), which may not read it")
        }
        if let head = error.head, let serial = ledger[head.epoch]?.serial(of: head.revision) {
            if serial > sent.serial { fail(.synced, "an error names a head that is not on disk") }
        } else if error.head != nil {
            fail(.synced, "an error names a head that is not in the log")
        }
    }

    /// If the server refuses a session's push because there is no such document, the session must end, even if its
    /// client does not close it. Rules D8 and D12.
    private func noteMissing(_ push: Push, _ link: Link) {
        guard case .edits = push.content, let stream = link.streams[push.document],
            stream.history.epoch == push.epoch
        else { return }
        let isClosing = link.awaited.values.contains {
            if case .close(let close) = $0.message { close.document == push.document } else { false }
        }
        if isClosing { return }
        link.streams[push.document]?.mustEnd = true
    }

    /// A revision that is on disk is never too new, although the server's room may not have it yet.
    func checkBase(
        _ base: Revision, of epoch: WireString?, refusedWith code: ErrorCode, _ sent: SentLine
    ) {
        guard code == .baseAhead, let serial = epoch.flatMap({ ledger[$0] })?.serial(of: base) else { return }
        if serial <= sent.serial {
            fail(.answer, "a push at revision \(base.value), which is on disk, is refused as too new")
        }
    }

    /// A push that the server refuses for good must not be in the log. If the client sent the push more than
    /// once, an earlier copy may be in the log, unless the room checked the log.
    private func refused(_ push: Push, _ code: ErrorCode, _ sent: SentLine, _ link: Link) {
        let key = Ledger.PushKey(client: link.client, seq: Int64(push.seq))
        guard [.baseTrimmed, .tooLarge, .storageFull, .storageFailed, .forbidden].contains(code),
            let history = push.epoch.flatMap({ ledger[$0] }),
            copies(of: key, in: push.epoch) == 1 || code == .baseTrimmed,
            let revision = history.revisions[key],
            let serial = history.serial(of: revision), serial <= sent.serial
        else { return }
        fail(
            .ack,
            "seq \(push.seq) of client \(link.client) is refused with \(code.rawValue), but is revision \(revision.value)"
        )
    }

    /// Whether the pushed edits fit the text of their base.
    private func isSound(_ push: Push, on link: Link) -> Bool {
        guard case .edits(let edits) = push.content,
            let text = push.epoch.flatMap({ ledger[$0] })?.text(at: push.base)
        else { return false }
        return text.change(edits, in: world.machines[link.client].unit) != nil
    }

    func checkReadRight(_ document: WireString, _ sent: SentLine, _ link: Link) {
        if rights.mostAccess(link.client, to: document, at: sent.time) < .read {
            fail(.rights, "client \(link.client) received data of \(document), which it may not read")
        }
    }
}

extension ErrorCode {
    /// Whether this code reveals that the document exists.
    fileprivate var revealsDocument: Bool {
        switch self {
        case .exists, .forbidden, .badRange, .baseAhead, .baseBehind, .baseTrimmed, .baseBeforeOwnPush,
            .pushInFlight, .epochChanged, .seqReused, .damaged:
            true
        case .badJSON, .badMessage, .unknownType, .lineTooLong, .helloRequired, .helloTimeout,
            .unsupportedProtocol, .unauthorized, .tokenEnded, .alreadyHello, .notOpen, .alreadyOpen, .badName,
            .notFound,
            .badText, .badEdits, .tooLarge, .rateLimited, .storageFull, .storageFailed, .overloaded,
            .shuttingDown, .internal:
            false
        }
    }
}
