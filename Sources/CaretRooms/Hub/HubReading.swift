import CaretCore
import CaretLog
import CaretWire

/// A `read` that is under way.
package struct ReadJob: Equatable, Sendable {
    let request: HubRequest
    let entry: DocumentEntry
    /// The search by time, if a time was requested.
    var search: TimeSearch?
    /// The revision of a long text that is being encoded.
    var encoding: Revision?
}

/// A `history` that is under way.
package struct HistoryJob: Equatable, Sendable {
    let request: HubRequest
    let history: History
    let entry: DocumentEntry
    let unit: CodeUnit
    var search: TimeSearch?
    /// The revision after which the next read begins.
    var after: Revision
    var page = HistoryPage()
    /// A revision whose edits do not fit on one line. The hub reads the text before this revision, so that it
    /// can join the edits.
    var tooLong: LoggedChange?
    /// How often the store was called.
    var reads = 0
}

/// Reading documents and their history.
extension HubState {
    /// The largest number of store reads for one page. Each returns about a mebibyte of inserted text, or one
    /// change.
    private static let mostReads = 16
    /// A store read has a limit of bytes, and a single keystroke uses at most this many of them.
    private static let typedWeight = 96

    mutating func begin(_ read: Read, _ request: HubRequest, _ entry: DocumentEntry) {
        var job = ReadJob(request: request, entry: entry)
        switch read.moment {
        case .unspecified: call(.text(entry.id, at: nil), for: .read(job))
        case .revision(let revision): call(.text(entry.id, at: revision), for: .read(job))
        case .time(let time):
            job.search = TimeSearch(for: Int64(time), in: entry.start...entry.head)
            proceed(job)
        }
    }

    mutating func advance(_ job: ReadJob, with answer: StoreAnswer) {
        var job = job
        if refuseUnreadable(job.request) { return }
        switch answer {
        case .read(let result):
            guard let search = taken(result, job.search, job.request, job.entry) else { return }
            job.search = search
            proceed(job)
        case .text(.success(let snapshot)): send(snapshot, job)
        case .text(.failure(let refusal)):
            refuse(job.request, RequestRefusal(refusal, "the requested revision", of: job.entry))
        // The store gives no other answer to this call.
        default: refuse(job.request, .unexpectedAnswer)
        }
    }

    private mutating func proceed(_ job: ReadJob) {
        guard let search = job.search else { return refuse(job.request, .unexpectedAnswer) }
        if let probe = search.probe {
            call(.read(job.entry.id, after: Revision(probe.value - 1), limit: 1), for: .read(job))
        } else if let revision = search.found {
            call(.text(job.entry.id, at: revision), for: .read(job))
        } else {
            refuse(job.request, tooOld(job.entry))
        }
    }

    /// Answers with a short text. A long one is encoded first, beside the hub and the loops, so that nobody else waits
    /// for it.
    private mutating func send(_ snapshot: Snapshot, _ job: ReadJob) {
        if case .read(_, let read) = job.request.question, !read.isOfWholeText {
            return send(read, of: snapshot, job)
        }
        if snapshot.text.length.utf8 > limits.textEncodedAtOnce {
            var job = job
            job.encoding = snapshot.revision
            let version = TextVersion(
                document: job.entry.id, epoch: job.entry.epoch.wire, revision: snapshot.revision,
                lineBreak: job.entry.lineBreak)
            return emit(.encode(newCall(for: .read(job)), snapshot.text, version))
        }
        guard var text = emptyAnswer(to: job, at: snapshot.revision) else { return }
        text.text = WireString(snapshot.text.string)
        keep(text, Payload(Array(text.text.utf8)), job)
        answer(job.request, .text(text))
    }

    /// Answers with a part of a text.
    private mutating func send(_ read: Read, of snapshot: Snapshot, _ job: ReadJob) {
        guard var answer = emptyAnswer(to: job, at: snapshot.revision),
            let unit = joinedConnections[job.request.connection]?.unit
        else { return }
        let part = snapshot.text.part(
            from: read.start ?? 0, to: read.end ?? .max, in: unit, atMost: Limits.partBytes)
        answer.text = WireString(part.text)
        (answer.start, answer.length) = (part.start, snapshot.text.length.count(of: unit))
        self.answer(job.request, .text(answer))
    }

    /// A long text was encoded. Nil if the server has no memory for it.
    mutating func encoded(_ id: CallID, _ text: EncodedText?) {
        guard case .read(let job)? = calls.removeValue(forKey: id), let revision = job.encoding,
            !refuseUnreadable(job.request), let answer = emptyAnswer(to: job, at: revision)
        else { return }
        guard let text else { return refuse(job.request, .noMemoryForAnswer) }
        keep(answer, text.utf8, job)
        let connection = job.request.connection
        guard joinedConnections.isPresent(connection) else { return }
        emit(
            .sendToConnection(
                connection, .answeredWithText(TextLine(.text(answer), text, id: job.request.id))))
    }

    private func emptyAnswer(to job: ReadJob, at revision: Revision) -> WireText? {
        guard let (_, sentName) = job.request.question.document else { return nil }
        return WireText(
            document: sentName, epoch: job.entry.epoch.wire, revision: revision, text: "",
            newline: job.entry.lineBreak == .crlf ? .crlf : .lf)
    }

    private mutating func keep(
        _ answer: WireText, _ utf8: @autoclosure () -> Payload, _ job: ReadJob
    ) {
        guard let asOf = job.request.asOf, case .read(let name, let read) = job.request.question,
            read.isOfNewestText
        else { return }
        emit(.keepText(ReadText(answer, utf8(), of: job.entry.id, as: name, asOf: asOf)))
    }

    /// The requester may have lost the right to read during the call.
    mutating func refuseUnreadable(_ request: HubRequest) -> Bool {
        guard let refusal = refusal(of: request) else { return false }
        refuse(request, refusal)
        return true
    }

    /// Continues a search by time with the result of a read. Returns nil if the read failed and the request
    /// was refused.
    private mutating func taken(
        _ result: Result<HistorySlice, HistoryRefusal>, _ search: TimeSearch?, _ request: HubRequest,
        _ entry: DocumentEntry
    ) -> TimeSearch? {
        switch result {
        case .failure(let refusal):
            refuse(request, RequestRefusal(refusal, "the requested time", of: entry))
            return nil
        case .success(let reading):
            guard var search, let change = reading.segment.changes.first else {
                refuse(request, .unexpectedAnswer)
                return nil
            }
            search.narrow(change.time)
            return search
        }
    }

    private func tooOld(_ entry: DocumentEntry) -> RequestRefusal {
        RequestRefusal(.trimmed(start: entry.start), "the requested time", of: entry)
    }

    // MARK: History

    mutating func begin(_ history: History, _ request: HubRequest, _ entry: DocumentEntry) {
        guard let unit = joinedConnections[request.connection]?.unit else { return }
        var job = HistoryJob(
            request: request, history: history, entry: entry, unit: unit, after: entry.start)
        switch history.after {
        case .unspecified: break
        case .revision(let revision): job.after = revision
        case .time(let time): job.search = TimeSearch(for: Int64(time), in: entry.start...entry.head)
        }
        proceed(job)
    }

    mutating func advance(_ job: HistoryJob, with answer: StoreAnswer) {
        var job = job
        if refuseUnreadable(job.request) { return }
        if let change = job.tooLong, case .text(let result) = answer {
            job.tooLong = nil
            return add(change, behind: result, job)
        }
        guard case .read(let result) = answer else { return refuse(job.request, .unexpectedAnswer) }
        if job.search != nil {
            guard let search = taken(result, job.search, job.request, job.entry) else { return }
            job.search = search
            return proceed(job)
        }
        switch result {
        case .failure(.ahead): send(job, hasMore: false)
        case .failure(let refusal):
            refuse(job.request, RequestRefusal(refusal, "the requested history", of: job.entry))
        case .success(let reading): add(reading, job)
        }
    }

    private mutating func proceed(_ job: HistoryJob) {
        var job = job
        if let search = job.search {
            if let probe = search.probe {
                return call(
                    .read(job.entry.id, after: Revision(probe.value - 1), limit: 1), for: .history(job))
            }
            guard let revision = search.found else { return refuse(job.request, tooOld(job.entry)) }
            (job.search, job.after) = (nil, revision)
        }
        // A read that returns more than the page needs is wasteful: the rest is read again for the next page.
        // So the limit of the first read is small. It suits changes that are single keystrokes.
        let typical = job.history.limit * HubState.typedWeight
        let limit = job.reads == 0 ? min(limits.pageBytes, typical) : limits.pageBytes
        job.reads += 1
        call(.read(job.entry.id, after: job.after, limit: limit), for: .history(job))
    }

    private mutating func add(_ reading: HistorySlice, _ job: HistoryJob) {
        var job = job
        for (index, change) in reading.segment.changes.enumerated() {
            let revision = Revision(reading.segment.first.value + index)
            if job.history.wantsEdits, !change.fits(limits.announced.serverList) {
                if !job.page.revisions.isEmpty { return send(job, hasMore: true) }
                job.tooLong = change
                return call(.text(job.entry.id, at: Revision(revision.value - 1)), for: .history(job))
            }
            let summary = summary(of: change, at: revision, job)
            let isTaken =
                job.page.revisions.count < job.history.limit
                && job.page.append(summary, within: limits.pageBytes)
            if !isTaken { return send(job, hasMore: true) }
            job.after = revision
        }
        let hasMore = job.after < reading.head && !reading.segment.changes.isEmpty
        if hasMore, job.page.revisions.count < job.history.limit, job.reads < HubState.mostReads {
            return proceed(job)
        }
        send(job, hasMore: hasMore)
    }

    /// Answers with a page of one revision whose edits are joined. That revision was stored before changes
    /// had a size limit.
    private mutating func add(
        _ change: LoggedChange, behind old: Result<Snapshot, HistoryRefusal>, _ job: HistoryJob
    ) {
        var job = job
        switch old {
        case .failure(let refusal):
            refuse(job.request, RequestRefusal(refusal, "the requested history", of: job.entry))
        case .success(let old):
            guard let plain = try? change.change, let new = try? old.text.applying(plain) else {
                return refuse(job.request, RequestRefusal(.damaged))
            }
            let joined = plain.joined(making: new, toBytes: limits.announced.serverList)
            let revision = old.revision.next
            let summary = summary(of: change.with(joined, in: old.text), at: revision, job)
            _ = job.page.append(summary, within: limits.pageBytes)
            send(job, hasMore: revision < job.entry.head)
        }
    }

    private mutating func send(_ job: HistoryJob, hasMore: Bool) {
        guard let (_, sentName) = job.request.question.document else { return }
        answer(
            job.request,
            .revisions(Revisions(document: sentName, revisions: job.page.revisions, hasMore: hasMore)))
    }

    private func summary(of change: LoggedChange, at revision: Revision, _ job: HistoryJob) -> RevisionSummary
    {
        let inserted = change.edits.reduce(0) { $0 + $1.edit.inserted.count(of: job.unit) }
        let deleted = change.edits.reduce(0) { $0 + $1.removed.count(of: job.unit) }
        let author = WireChange.Author(
            user: WireString(change.pusher.user.string), client: publicClient(change.pusher),
            time: Int(change.time))
        return RevisionSummary(
            revision: revision, author: author, inserted: inserted, deleted: deleted,
            edits: job.history.wantsEdits ? change.wireEdits(in: job.unit) : nil)
    }
}

extension Read {
    /// Whether no part of the text is requested.
    fileprivate var isOfWholeText: Bool { start == nil && end == nil }

    /// Whether the whole newest text is requested.
    var isOfNewestText: Bool { moment == .unspecified && isOfWholeText }
}
