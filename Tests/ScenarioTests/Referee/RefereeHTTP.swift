import CaretCore
import CaretLog
import CaretWire

/// Checks responses over HTTP.
extension Referee {
    /// A client has sent a request.
    func recordSent(_ request: HTTPRequest, on link: Link) {
        link.http?.requests.append(ClientHTTP.Sent(request: request, newest: newest))
        guard let seq = request.seq, let push = request.recorded(at: world.now, newest) else {
            return
        }
        note(push, seq: seq, of: link.client)
    }

    /// A client has received a response.
    func received(_ response: HTTPResponse, to sent: ClientHTTP.Sent, _ line: SentLine, on link: Link) {
        counts.responses += 1
        let request = sent.request
        switch (request.content, response.status) {
        case (.read(let known), 304):
            counts.notModified += 1
            if response.version != known || known == nil {
                fail(.text, "client \(link.client) gets 304 for another version than its own")
            }
            check(readBy: sent, response, line, link)
        case (.read, 200): check(readBy: sent, response, line, link)
        case (.readOld(let revision), 200):
            if response.version?.revision != revision {
                fail(.text, "client \(link.client) reads another revision than \(revision.value)")
            }
            check(readBy: sent, response, line, link)
        case (.put(_, .isMissing, _), 201),
            (.put, 200) where request.wantsText || response.status == 201,
            (.put, 204) where !request.wantsText || isRepeated(request, link):
            check(ackOf: request, response, line, link)
        case (.append, 200): check(appendBy: request, response, line, link)
        case (.health, 200), (.health, 503):
            if response.body != Array((response.status == 200 ? "ok\n" : "stopping\n").utf8) {
                fail(.answer, "client \(link.client) gets a health that is neither ok nor stopping")
            }
        case (.malformed, 400): break
        default: check(refusalOf: request, response, line, link)
        }
    }

    /// Whether the client has sent this change several times. The text after a repeated change may be impossible to read.
    private func isRepeated(_ request: HTTPRequest, _ link: Link) -> Bool {
        let key = Ledger.PushKey(client: link.client, seq: Int64(request.seq ?? 0))
        return sentPushes[key]?.contains { copies(of: key, in: $0.epoch) > 1 } ?? false
    }

    // MARK: Reads

    private func check(
        readBy sent: ClientHTTP.Sent, _ response: HTTPResponse, _ line: SentLine, _ link: Link
    ) {
        guard let history = history(of: sent.request, response, line, link),
            let revision = response.version?.revision
        else { return }
        checkReadRight(sent.request.document, line, link)
        if response.status == 200 {
            check(WireString(String(decoding: response.body, as: UTF8.self)), revision, history, "GET")
        }
        guard sent.request.isRead else { return }
        let oldest = max(sent.newest[history.epoch] ?? 0, link.http?.newest[history.epoch] ?? 0)
        if revision < oldest {
            fail(
                .ownPushes,
                "client \(link.client) gets revision \(revision.value) of \(sent.request.document), but \(oldest.value) had been reported before"
            )
        }
        note(revision, of: history.epoch, on: link)
    }

    /// The history of the version that a response names. It must be from a document with the requested name.
    private func history(
        of request: HTTPRequest, _ response: HTTPResponse, _ line: SentLine, _ link: Link
    ) -> Ledger.History? {
        guard let version = response.version else {
            fail(.wire, "client \(link.client) gets the status \(response.status) without a version")
            return nil
        }
        let epoch = renewed(version.epoch, version.revision)
        guard let history = history(epoch, version.revision, line) else { return nil }
        if !ledger.documents(everNamed: request.document).contains(history.document) {
            fail(.answer, "client \(link.client) gets a response about another document than it requested")
        }
        return history
    }

    private func note(_ revision: Revision, of epoch: WireString, on link: Link) {
        note(revision, of: epoch, reportedTo: link.client)
        link.http?.note(revision, of: epoch)
    }

    // MARK: Changes

    private func check(
        appendBy request: HTTPRequest, _ response: HTTPResponse, _ line: SentLine, _ link: Link
    ) {
        guard case .ack(let ack)? = response.message, ack.document == request.document,
            ack.seq == request.seq,
            ack.revision == response.version?.revision
        else {
            return fail(.answer, "client \(link.client) gets a response that is not the ack of its append")
        }
        if ack.duplicate { counts.repeatsOverHTTP += 1 }
        check(ackOf: request, response, line, link)
    }

    /// The change must be in the log, at the revision that the response names.
    private func check(
        ackOf request: HTTPRequest, _ response: HTTPResponse, _ line: SentLine, _ link: Link
    ) {
        let key = Ledger.PushKey(client: link.client, seq: Int64(request.seq ?? 0))
        let commits = (ledger.commits[key] ?? []).filter { isOnDisk($0, line) }
        guard let version = response.version else {
            // The server may be unable to find out the epoch of a document that a request has created. An empty text
            // changes nothing in such a document.
            let isKnown = !commits.isEmpty || hasEmptyText(key)
            if !isKnown || response.status != 201 {
                fail(
                    .ack,
                    "client \(link.client) gets \(response.status) for seq \(key.seq), which is not in the log"
                )
            }
            return
        }
        let commit = commits.first { $0 == version } ?? commits.first { $0.revision == version.revision }
        if commit == nil, !isUnchanged(key, at: version, line) {
            return fail(
                .ack,
                "client \(link.client) gets an ack of seq \(key.seq) as revision \(version.revision.value), which is not in the log"
            )
        }
        let epoch = commit?.epoch ?? renewed(version.epoch, version.revision)
        guard let history = ledger[epoch] else { return }
        if response.status == 200, request.wantsText {
            check(
                WireString(String(decoding: response.body, as: UTF8.self)), version.revision, history, "PUT")
        }
        note(version.revision, of: epoch, on: link)
    }

    private func hasEmptyText(_ key: Ledger.PushKey) -> Bool {
        (sentPushes[key] ?? []).contains { $0.content == .text("") }
    }

    /// Whether the text at this revision already was what the client wanted to write.
    private func isUnchanged(_ key: Ledger.PushKey, at version: WirePosition, _ line: SentLine) -> Bool {
        guard let history = ledger[renewed(version.epoch, version.revision)],
            let serial = history.serial(of: version.revision), serial <= line.serial
        else { return false }
        return (sentPushes[key] ?? []).contains { push in
            guard case .text(let text) = push.content else { return false }
            return TextBuffer(normal: text) == history.text(at: version.revision)
                || moved(push, in: history, to: version.revision)?.isEmpty == true
        }
    }

    /// Whether a change adds a text at the end of the head. The server adds a line break before the text if the
    /// document does not end with one when the server begins the append. It begins with the head that its room
    /// knows, which is `reported` or newer: the store may have committed more already.
    func isAppended(
        _ said: WireString, _ change: Change, in history: Ledger.History, since reported: Revision
    ) -> Bool {
        guard change.edits.count == 1, let edit = change.edits.first,
            edit.range.lowerBound == history.text.end, edit.range.isEmpty
        else { return false }
        let text = TextBuffer(normal: said).string
        let isAlone = edit.text.utf8.elementsEqual(text.utf8)
        if !isAlone, !edit.text.utf8.elementsEqual("\n\(text)".utf8) { return false }
        return history.texts.indices.contains { revision in
            let last = history.texts[revision].string.utf8.last
            // The server may not know yet what another node has committed, and begin with an older text.
            return (revision >= reported.value || world.plan.hasOtherNode)
                && (last == nil || last == UInt8(ascii: "\n")) == isAlone
        }
    }

    // MARK: Refusals

    private func check(
        refusalOf request: HTTPRequest, _ response: HTTPResponse, _ line: SentLine, _ link: Link
    ) {
        guard case .error(let error)? = response.message else {
            return fail(
                .answer, "client \(link.client) gets \(response.status) as the response to \(request)")
        }
        let refusals =
            request.seq == nil
            ? [401, 403, 404, 408, 409, 410, 429, 500, 503]
            : [401, 403, 404, 408, 409, 412, 413, 429, 500, 503, 507]
        if !refusals.contains(response.status) {
            fail(
                .answer, "client \(link.client) gets \(response.status) for a valid request: \(error.message)"
            )
        }
        if response.status == 401, !rights.wasRevoked(link.client) {
            fail(.rights, "client \(link.client) gets 401, but its token is valid")
        }
        guard case .known(let code) = error.code else { return }
        received(error, nil, line, link)
        if case .put(_, .mergesInto(let base), _) = request.content {
            checkBase(base.revision, of: base.epoch, refusedWith: code, line)
        }
        guard let seq = request.seq else { return }
        if code == .seqReused, hasOneName(request.document), !hasMovedOn(from: seq, request.document, link) {
            return fail(
                .ack, "the repeat of seq \(seq) of client \(link.client) is refused as another change")
        }
        checkRefused(request, seq, code, line, link)
    }

    /// Whether the client has sent a later change to the document, through another server. Then this response answers a
    /// copy that has waited at the first server.
    private func hasMovedOn(from seq: Int, _ document: WireString, _ link: Link) -> Bool {
        world.plan.nodes > 1
            && sentPushes.contains { key, pushes in
                key.client == link.client && key.seq > seq && pushes.contains { $0.document == document }
            }
    }

    /// Whether only one document ever had this name, and never had another one. Otherwise the client may have sent a
    /// later change to the same document under another name.
    private func hasOneName(_ name: WireString) -> Bool {
        let documents = ledger.documents(everNamed: name)
        return ledger.assignmentCounts.keys.filter { documents.contains($0.document) }.count == 1
    }

    /// A change that is refused for good must not be in the log. If the client sent it more than once, an earlier copy
    /// may be there.
    private func checkRefused(
        _ request: HTTPRequest, _ seq: Int, _ code: ErrorCode, _ line: SentLine, _ link: Link
    ) {
        let key = Ledger.PushKey(client: link.client, seq: Int64(seq))
        guard let push = sentPushes[key]?.first, copies(of: key, in: push.epoch) == 1,
            [.tooLarge, .storageFull, .storageFailed, .forbidden, .baseBehind, .baseTrimmed].contains(code),
            let commit = ledger.commits[key]?.first(where: { isOnDisk($0, line) })
        else { return }
        fail(
            .ack,
            "seq \(seq) of client \(link.client) is refused with \(code.rawValue), but is revision \(commit.revision.value)"
        )
    }
}

extension HTTPRequest {
    /// The change of this request, as the referee records it.
    fileprivate func recorded(at time: Int64, _ newest: [WireString: Revision]) -> RecordedPush? {
        switch content {
        case .put(let text, let condition, _):
            RecordedPush(
                document: document, epoch: condition.base?.epoch, base: condition.base?.revision ?? 0,
                content: .text(text), time: time, isExact: condition.isExact, newest: newest)
        case .append(let text, _):
            RecordedPush(
                document: document, epoch: nil, base: 0, content: .append(text), time: time, newest: newest)
        case .read, .readOld, .health, .malformed: nil
        }
    }
}

extension HTTPRequest.Condition {
    fileprivate var base: WirePosition? {
        switch self {
        case .isMissing: nil
        case .isHead(let version), .mergesInto(let version): version
        }
    }

    fileprivate var isExact: Bool {
        switch self {
        case .isMissing, .isHead: true
        case .mergesInto: false
        }
    }
}
