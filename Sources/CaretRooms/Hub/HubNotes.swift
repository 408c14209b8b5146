import CaretCore
import CaretLog
import CaretWire

/// A request about notes that is under way.
package struct NoteJob: Equatable, Sendable {
    let request: HubRequest
    let notes: NoteRequest
    let entry: DocumentEntry
    /// The notes to send or to accept, while the hub reads the text at their revision.
    var page: NotePage?
    /// How often the suggestion to accept was read.
    var attempts = 0
    /// The revision that the suggestion becomes.
    var acceptedAs: Revision?

    fileprivate var accepts: Bool { notes.acceptedNote != nil }
}

/// The suggestions that the hub is accepting, and the heads that they made.
struct Acceptances: Equatable, Sendable {
    /// How many are under way for each document.
    private(set) var underway: [DocumentID: Int] = [:]
    /// The newest head that was made, or 0. A room that opens meanwhile may have read an older text.
    private(set) var heads: [DocumentID: Revision] = [:]

    /// Returns whether it is the only one for the document.
    mutating func begin(_ document: DocumentID) -> Bool {
        underway[document, default: 0] += 1
        return underway[document] == 1
    }

    /// Returns whether it was the last one for the document.
    mutating func end(_ document: DocumentID, _ head: Revision?) -> Bool {
        heads[document] = max(heads[document] ?? 0, head ?? 0)
        guard let count = underway[document], count > 1 else {
            underway[document] = nil
            return true
        }
        underway[document] = count - 1
        return false
    }

    mutating func forgetHeads() { heads = [:] }
}

/// Notes on words of a document, and suggestions.
extension HubState {
    /// Refuses a malformed request at once, and looks up the document otherwise. The document's room resolves earlier
    /// pushes of the connection first, so a client can write a note on words that it has just pushed.
    mutating func begin(_ notes: NoteRequest, _ request: HubRequest) {
        if let refusal = notes.draft?.fault(within: limits.announced.document) {
            return refuse(request, refusal)
        }
        lookUp(WaitingRequest(request: request))
    }

    /// The refusal if the requester may read the document with this name, but may not write notes.
    func refusal(of notes: NoteRequest, on name: DocumentName, _ request: HubRequest) -> RequestRefusal? {
        if notes.onlyReads || access(request, to: name) >= .note { return nil }
        return RequestRefusal(.forbidden, "writing notes needs one of the rights note and write")
    }

    mutating func perform(_ notes: NoteRequest, _ request: HubRequest, on entry: DocumentEntry) {
        let job = NoteJob(request: request, notes: notes, entry: entry)
        if job.accepts { return readSuggestion(job) }
        if let revision = notes.draft?.revision {
            return call(.text(entry.id, at: revision), for: .notes(job))
        }
        call(job, placing: nil)
    }

    mutating func advance(_ job: NoteJob, with answer: StoreAnswer) {
        switch answer {
        case .text(.success(let snapshot)):
            guard let page = job.page else { return place(job, in: snapshot) }
            if job.accepts { accept(job, page, in: snapshot) } else { send(page, in: snapshot.text, job) }
        case .text(.failure(let refusal)):
            refuse(job.request, RequestRefusal(refusal, "rev", of: job.entry))
        case .notes(.written(let result)): written(result, job)
        case .notes(.listed(.success(let page))):
            if job.accepts { readText(for: page, job) } else { listed(page, job) }
        case .notes(.listed(.failure(let refusal))): refuse(job.request, refusal)
        // The store gives no other answer to these calls.
        default: refuse(job.request, .unexpectedAnswer)
        }
    }

    // MARK: Writing

    /// Finds the place of a note in the text that its offsets count in.
    private mutating func place(_ job: NoteJob, in snapshot: Snapshot) {
        guard let draft = job.notes.draft, let unit = joinedConnections[job.request.connection]?.unit else {
            return
        }
        do throws(RequestRefusal) {
            let place = try draft.place(in: snapshot, unit)
            let quote = snapshot.text.part(
                from: place.words.start.value, to: place.words.end.value, in: .utf16,
                atMost: Limits.quote)
            call(job, placing: (place, ByteString(quote.text)))
        } catch {
            refuse(job.request, error)
        }
    }

    private func rights(_ job: NoteJob) -> NoteRights {
        guard let (name, _) = job.request.question.document else { return .read }
        return switch access(job.request, to: name) {
        case .none, .read: .read
        case .note: .note
        case .write, .admin: .write
        }
    }

    private var noteLimits: NoteLimits { NoteLimits(notes: limits.notes, bytes: limits.noteBytes) }

    private mutating func call(_ job: NoteJob, placing placed: (place: NotePlace, quote: ByteString)?) {
        if refuseUnreadable(job.request) { return }
        guard let user = joinedConnections[job.request.connection]?.pusher.user else { return }
        let document = job.entry.id
        let writer = rights(job) == .write ? nil : user
        let call: NoteCall =
            switch job.notes {
            case .add(let add):
                .add(
                    NoteContent(
                        parent: add.parent.map { NoteNumber(Int64($0)) }, user: user, time: now,
                        text: ByteString(add.text.string), quote: placed?.quote ?? "", place: placed?.place,
                        // Others may choose the same id.
                        request: add.request.map { ByteString("\(user)\n\($0.string)") } ?? ""), to: document,
                    noteLimits)
            case .change(let change):
                .change(
                    NoteNumber(Int64(change.note)), of: document, version: Int64(change.version),
                    change.state?.change
                        ?? .rewrite(ByteString(change.text?.string ?? ""), placed?.place, at: now),
                    noteLimits, ifBy: change.state == nil ? user : writer)
            case .remove(let remove):
                .change(
                    NoteNumber(Int64(remove.note)), of: document, version: Int64(remove.version), .remove,
                    noteLimits, ifBy: writer)
            case .list(let list):
                .list(
                    document,
                    NoteQuery(
                        since: Int64(list.since), after: NoteNumber(Int64(list.after)), limit: list.limit))
            }
        self.call(.notes(call), for: .notes(job))
    }

    private mutating func written(_ result: NoteResult, _ job: NoteJob) {
        if job.accepts { accepted(result, job) }
        switch result {
        // After some failures, nobody knows whether the note was written.
        case .written, .removed, .refused(.refused(.failed)), .refused(.refused(.away)):
            notesChanged(job.entry.id)
        default: break
        }
        switch result {
        case .written(let stamp):
            var written = NoteWritten(
                document: job.notes.document, note: Int(stamp.number.value), version: Int(stamp.version))
            written.revision = job.acceptedAs
            answer(job.request, .notes(.written(written)))
        case .behind where job.accepts: readSuggestion(job)
        case .removed: answer(job.request, .done(Done()))
        default: refuse(job.request, refusal(result, job))
        }
    }

    private func refusal(_ result: NoteResult, _ job: NoteJob) -> RequestRefusal {
        let note = "note \(job.notes.note ?? 0)"
        return switch result {
        case .written, .removed: .unexpectedAnswer
        case .missing:
            if case .add = job.notes {
                RequestRefusal(.notFound, "\(note) does not begin a thread, so it cannot be answered")
            } else {
                RequestRefusal(.notFound, "the document has no \(note)")
            }
        case .changed(let stamp):
            RequestRefusal(.baseBehind, "\(note) has version \(stamp.version) now; read it, and try again")
        case .foreign:
            RequestRefusal(.forbidden, "somebody else wrote \(note), and you may change only your own notes")
        case .final:
            RequestRefusal(.forbidden, "\(note) was accepted or rejected, so it can only be removed")
        case .isAnswer: RequestRefusal(.badMessage, "\(note) is an answer, which has no range and no edits")
        case .tooMany:
            RequestRefusal(
                .tooLarge, "the document has \(limits.notes) notes, and cannot have more")
        case .tooLarge(let bytes):
            RequestRefusal(
                .tooLarge,
                "the notes would have \(bytes) bytes; at most \(limits.noteBytes) are allowed")
        case .behind(let head):
            RequestRefusal(
                .baseTrimmed,
                "rev is over \(NotePlace.mostBehind) revisions behind the head \(head.value)",
                head: WirePosition(epoch: job.entry.epoch.wire, revision: head), cause: .work)
        case .notAppended(let outcome): RequestRefusal(ofAppend: outcome)
        case .refused(let refusal): RequestRefusal(refusal, "rev", of: job.entry)
        }
    }

    // MARK: Accepting

    /// How often a suggestion is moved to a newer text before it is refused.
    private static let mostAttempts = 50

    private mutating func readSuggestion(_ job: NoteJob) {
        guard let note = job.notes.acceptedNote else { return refuse(job.request, .unexpectedAnswer) }
        if refuseToAccept(job) { return }
        if job.attempts >= HubState.mostAttempts {
            return refuse(
                job.request,
                RequestRefusal(.overloaded, "the text changes too fast to accept the suggestion; try again"))
        }
        var job = job
        job.attempts += 1
        (job.page, job.acceptedAs) = (nil, nil)
        let query = NoteQuery(after: NoteNumber(note.number.value - 1), limit: 1)
        call(.notes(.list(job.entry.id, query)), for: .notes(job))
    }

    private mutating func refuseToAccept(_ job: NoteJob) -> Bool {
        if refuseUnreadable(job.request) { return true }
        if rights(job) == .write { return false }
        refuse(
            job.request, RequestRefusal(.forbidden, "accepting a suggestion needs the right to write"))
        return true
    }

    private mutating func readText(for page: NotePage, _ job: NoteJob) {
        guard let wanted = job.notes.acceptedNote else { return refuse(job.request, .unexpectedAnswer) }
        guard let note = page.notes.first, note.number == wanted.number else {
            return refuse(job.request, refusal(.missing, job))
        }
        if note.version != wanted.version {
            return refuse(job.request, refusal(.changed(NoteStamp(note)), job))
        }
        if note.isFinal { return refuse(job.request, refusal(.final, job)) }
        if note.content.place?.suggestion == nil {
            let message = "note \(note.number.value) suggests nothing, so it cannot be accepted"
            return refuse(job.request, RequestRefusal(.forbidden, message))
        }
        var job = job
        job.page = page
        call(.text(page.entry.id, at: page.entry.head), for: .notes(job))
    }

    /// Appends the change of a suggestion, unless another revision comes first.
    private mutating func accept(_ job: NoteJob, _ page: NotePage, in snapshot: Snapshot) {
        guard let wanted = job.notes.acceptedNote, let change = page.notes.first?.content.place?.suggestion,
            let new = try? snapshot.text.applying(change)
        else { return refuse(job.request, .unexpectedAnswer) }
        // The requester may have lost the right to write during the calls.
        if refuseToAccept(job) { return }
        guard let user = joinedConnections[job.request.connection]?.pusher.user else { return }
        let bytes = new.length.utf8
        if bytes > limits.announced.document, bytes > snapshot.text.length.utf8 {
            return refuse(job.request, .tooLarge(bytes, allowed: limits.announced.document))
        }
        var job = job
        var changes: [PushedChange] = []
        if !change.isEmpty {
            job.acceptedAs = snapshot.revision.next
            let edits = change.joined(making: new, toBytes: limits.announced.serverList)
            let logged = LoggedChange(
                pusher: Pusher(user: user, publicClient: ByteString("note-\(wanted.number.value)")), seq: 1,
                time: max(now, page.entry.updated), edits: edits.logged(in: snapshot.text))
            changes = [PushedChange(logged, digest: Digest(.zero))]
        }
        let append = Append(
            document: page.entry.id, epoch: page.entry.epoch, expected: snapshot.revision, changes: changes)
        if acceptances.begin(append.document) { send(.hubAppends(true), to: append.document) }
        call(.notes(.accept(wanted.number, version: wanted.version, append)), for: .notes(job))
    }

    /// The store has answered an acceptance. If it does not know the outcome, the room looks for the revision.
    private mutating func accepted(_ result: NoteResult, _ job: NoteJob) {
        let document = job.entry.id
        let head: Revision? =
            switch result {
            case .written, .refused(.refused(.failed)), .refused(.refused(.away)): job.acceptedAs
            default: nil
            }
        if let head {
            schedule(document)
            send(.storeHead(head), to: document)
        }
        if acceptances.end(document, head) { send(.hubAppends(false), to: document) }
    }

    /// Informs a room, which was made or kept just now, of acceptances that it may have missed.
    mutating func sendAcceptances(to document: DocumentID) {
        let (head, appends) = (acceptances.heads[document], acceptances.underway[document] != nil)
        if let head { emit(.sendToRoom(document, .storeHead(head))) }
        if head != nil || appends { emit(.sendToRoom(document, .hubAppends(appends))) }
    }

    /// Forgets the heads that were made, once no room can be opened or kept with an older text.
    mutating func forgetAcceptances() {
        if acceptances.heads.isEmpty || !openings.isEmpty { return }
        let isOpening = calls.values.contains { if case .lookUp = $0 { true } else { false } }
        let isDropping = rooms.values.contains { if case .dropping = $0.state { true } else { false } }
        if !isOpening, !isDropping { acceptances.forgetHeads() }
    }

    /// Informs the sessions of a document that its notes have changed.
    mutating func notesChanged(_ document: DocumentID) { send(.notesChanged, to: document) }

    // MARK: Listing

    private mutating func listed(_ page: NotePage, _ job: NoteJob) {
        guard let unit = joinedConnections[job.request.connection]?.unit else { return }
        // The notes count in UTF-16, and so does nearly every client.
        if unit == .utf16 || page.notes.allSatisfy({ $0.movingPlace == nil }) {
            return send(page, in: nil, job)
        }
        var job = job
        job.page = page
        call(.text(page.entry.id, at: page.entry.head), for: .notes(job))
    }

    /// `text` is the text at the revision of the page. It is nil if no offsets must be converted.
    private mutating func send(_ page: NotePage, in text: TextBuffer?, _ job: NoteJob) {
        // The requester may have lost the right to read during the call.
        if refuseUnreadable(job.request) { return }
        guard let unit = joinedConnections[job.request.connection]?.unit else { return }
        var list = NoteList(
            document: job.notes.document, epoch: page.entry.epoch.wire, revision: page.entry.head,
            count: Int(page.counter), whole: page.isWhole, rights: rights(job), notes: [],
            hasMore: page.hasMore)
        var bytes = 0
        for note in page.notes {
            // Every character may need six bytes on the line, and the other fields take about 1 KiB.
            bytes += 6 * note.weight + 1_024
            if !list.notes.isEmpty, bytes > limits.pageBytes {
                list.hasMore = true
                break
            }
            list.notes.append(NoteSummary(note, in: text, unit))
        }
        answer(job.request, .notes(.list(list)))
    }
}

/// The parts of a request that say what a note is about, and what it suggests.
private struct NoteDraft {
    let text: WireString?
    var parent: Int?
    let statedRevision: Revision?
    let range: WireRange?
    let edits: [WireEdit]?
    var state: NoteState?

    var hasPlace: Bool { range != nil || edits != nil }

    /// The revision whose text the offsets count in. Nil if the request has none.
    var revision: Revision? { hasPlace ? statedRevision : nil }

    /// What is wrong with the request, whatever the document is. A note must fit on a server's line, whose length depends on
    /// that of the longest document.
    func fault(within mostBytes: Int) -> RequestRefusal? {
        if hasPlace, parent != nil {
            return RequestRefusal(.badMessage, "parent: an answer has no range and no edits")
        }
        if hasPlace, statedRevision == nil {
            return RequestRefusal(
                .badMessage, "rev: missing; range and edits count in the text of a revision")
        }
        if (text != nil || hasPlace) == (state != nil) {
            return RequestRefusal(
                .badMessage, "state: a change has either a state, or a text with an optional range and edits")
        }
        guard state == nil, let text else {
            return state == nil ? RequestRefusal(.badMessage, "text: missing") : nil
        }
        if text.utf8.contains(UInt8(ascii: "\r")) {
            return RequestRefusal(.badText, "text: has a carriage return; write each line break as LF")
        }
        if text.utf8.count > mostBytes {
            return RequestRefusal(
                .tooLarge, "text: has \(text.utf8.count) bytes; at most \(mostBytes) are allowed")
        }
        guard let edits else {
            return text.utf8.isEmpty
                ? RequestRefusal(.badMessage, "text: must not be empty, unless the note has edits") : nil
        }
        if edits.isEmpty { return RequestRefusal(.badMessage, "edits: must not be empty") }
        let (bytes, most) = (edits.reduce(0) { $0 + $1.text.utf8.count }, min(Limits.suggestion, mostBytes))
        if bytes > most {
            return RequestRefusal(.tooLarge, "edits: insert \(bytes) bytes; at most \(most) are allowed")
        }
        return nil
    }

    func place(in snapshot: Snapshot, _ unit: CodeUnit) throws(RequestRefusal) -> NotePlace {
        var suggestion: Change?
        if let edits { suggestion = try snapshot.text.change(edits, in: unit, at: snapshot.revision) }
        if let range {
            let sent = WireSelection(range.start, range.end)
            guard let words = snapshot.text.selections([sent], in: unit)?.first else {
                let length = snapshot.text.length.count(of: unit)
                throw RequestRefusal(
                    .badRange,
                    "range: \(range.start)..<\(range.end) ends past the text's length \(length) or inside a character"
                )
            }
            return NotePlace(at: snapshot.revision, words, suggesting: suggestion)
        }
        guard let suggestion, let first = suggestion.edits.first, let last = suggestion.edits.last else {
            throw .unexpectedAnswer
        }
        let words = Selection(anchor: first.range.lowerBound, head: last.range.upperBound)
        return NotePlace(at: snapshot.revision, words, suggesting: suggestion)
    }
}

extension NoteRequest {
    fileprivate var draft: NoteDraft? {
        switch self {
        case .add(let add):
            NoteDraft(
                text: add.text, parent: add.parent, statedRevision: add.revision, range: add.range,
                edits: add.edits)
        case .change(let change):
            NoteDraft(
                text: change.text, statedRevision: change.revision, range: change.range, edits: change.edits,
                state: change.state)
        case .remove, .list: nil
        }
    }

    /// Whether the request changes nothing.
    package var onlyReads: Bool {
        switch self {
        case .list: true
        case .add, .change, .remove: false
        }
    }

    /// The suggestion that the request accepts, and its version. Nil if it accepts none.
    fileprivate var acceptedNote: (number: NoteNumber, version: Int64)? {
        guard case .change(let change) = self, change.state == .accepted else { return nil }
        return (NoteNumber(Int64(change.note)), Int64(change.version))
    }

    /// The note that the request is about. Nil if it needs none.
    fileprivate var note: Int? {
        switch self {
        case .add(let add): add.parent
        case .change(let change): change.note
        case .remove(let remove): remove.note
        case .list: nil
        }
    }
}

extension NoteState {
    /// The change of the note, if nothing is committed.
    fileprivate var change: NoteChange? {
        switch self {
        case .open: .reopen
        case .resolved: .resolve
        case .rejected: .reject
        case .accepted: nil
        }
    }
}

extension NoteSummary {
    /// `text` is the text at the revision of the place. It is nil if no offsets must be converted.
    fileprivate init(_ note: Note, in text: TextBuffer?, _ unit: CodeUnit) {
        let (content, place) = (note.content, note.movingPlace)
        self.init(
            note: Int(note.number.value), version: Int(note.version),
            parent: content.parent.map { Int($0.value) }, quote: WireString(content.quote.string),
            text: WireString(content.text.string), user: WireString(content.user.string),
            time: Int(content.time), edited: note.edited.map { Int($0) }, state: NoteState(note.state),
            accepted: note.acceptedAs)
        guard let place else { return }
        if let text {
            // After a failover of the database, the text may be that of another history.
            guard let start = try? text.length(before: place.words.start),
                let end = try? text.length(before: place.words.end)
            else { return }
            range = WireRange(start.count(of: unit), end.count(of: unit))
            edits = try? place.suggestion?.edits.map { WireEdit(try LoggedEdit($0, in: text), in: unit) }
        } else {
            range = WireRange(place.words.start.value, place.words.end.value)
            edits = place.suggestion?.edits.map { edit in
                WireEdit(
                    WireRange(edit.range.lowerBound.value, edit.range.upperBound.value), WireString(edit.text)
                )
            }
        }
    }
}

extension NoteState {
    fileprivate init(_ state: Note.State) {
        self =
            switch state {
            case .open: .open
            case .resolved: .resolved
            case .accepted: .accepted
            case .rejected: .rejected
            }
    }
}

extension RequestRefusal {
    /// The refusal of a suggestion that was not appended.
    fileprivate init(ofAppend outcome: AppendOutcome) {
        switch outcome {
        case .diskFull: self.init(.full)
        case .diskFailed: self.init(.failed)
        case .away: self.init(.away)
        case .documentDamaged: self.init(.damaged)
        case .documentGone: self = .notFound
        // The store does not say more about the outcome of a call about notes.
        case .committed, .conflict, .invalidChange, .unknown: self = .unexpectedAnswer
        }
    }
}
