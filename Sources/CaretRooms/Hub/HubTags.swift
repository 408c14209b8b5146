import CaretCore
import CaretLog
import CaretWire

/// A request about tags that is under way.
package struct TagJob: Equatable, Sendable {
    let request: HubRequest
    let tags: TagRequest
    let entry: DocumentEntry
}

/// The names of revisions, and copies of documents with them.
extension HubState {
    /// Refuses a wrong tag at once, and looks up the document otherwise. The document's room resolves earlier
    /// pushes of the connection first, so a client can name the revision of a push that it has just sent.
    mutating func begin(_ tags: TagRequest, _ request: HubRequest) {
        if let name = tags.tag, TagName(name.string) == nil {
            let expected = "a letter, and then letters, digits, -, _ and ., 64 bytes at most"
            return refuse(
                request, RequestRefusal(.badName, "the name of a revision must be \(expected), all in ASCII"))
        }
        lookUp(WaitingRequest(request: request))
    }

    /// The refusal if the requester may read the document with this name, but may not do this to it.
    func refusal(of tags: TagRequest, on name: DocumentName, _ request: HubRequest) -> RequestRefusal? {
        switch tags {
        case .list: nil
        case .add, .remove:
            access(request, to: name) < .write
                ? RequestRefusal(.forbidden, "naming revisions needs the right to write") : nil
        case .copy(let copy): copy.newName.flatMap { refusal(ofNewName: $0, request) }
        }
    }

    mutating func perform(_ tags: TagRequest, _ request: HubRequest, on entry: DocumentEntry) {
        if case .copy = tags, copies >= HubState.mostCopies {
            let message =
                "\(copies) documents are being copied; at most \(HubState.mostCopies) are allowed; try again"
            return refuse(request, RequestRefusal(.overloaded, message))
        }
        guard let call = call(for: tags, request, entry) else { return refuse(request, .unexpectedAnswer) }
        self.call(.tags(call), for: .tags(TagJob(request: request, tags: tags, entry: entry)))
    }

    /// The most documents that are copied at the same time. Each copy has two texts and all its revisions in memory.
    package static let mostCopies = 4

    /// How many documents are being copied.
    private var copies: Int {
        calls.values.count { if case .tags(let job) = $0, case .copy = job.tags { true } else { false } }
    }

    private func call(for tags: TagRequest, _ request: HubRequest, _ entry: DocumentEntry) -> TagCall? {
        switch tags {
        case .list: return .list(entry.id)
        case .remove(let remove): return TagName(remove.name.string).map { .remove($0, from: entry.id) }
        case .add(let add):
            guard let name = TagName(add.name.string), let joined = joinedConnections[request.connection]
            else {
                return nil
            }
            let tag = Tag(name: name, revision: add.revision, user: joined.pusher.user, time: now)
            return .add(tag, to: entry.id, limit: Limits.tags)
        case .copy(let copy):
            guard let name = copy.newName, let joined = joinedConnections[request.connection] else {
                return nil
            }
            let announced = limits.announced
            return .copy(
                DocumentCopy(
                    of: entry.id, to: name, by: joined.pusher, at: now, mostBytes: announced.line,
                    CopyDiff { old, new in announced.edits(from: old, to: new) }))
        }
    }

    mutating func advance(_ job: TagJob, with answer: StoreAnswer) {
        guard case .tags(let answer) = answer else { return refuse(job.request, .unexpectedAnswer) }
        switch answer {
        case .added(let result): added(result, job)
        case .removed(.success(true)): self.answer(job.request, .done(Done()))
        case .removed(.success(false)):
            refuse(job.request, RequestRefusal(.notFound, "no revision of the document has this name"))
        case .listed(.success(let document)): send(document.tags, job)
        case .copied(let result): copied(result, job)
        case .removed(.failure(let refusal)), .listed(.failure(let refusal)): refuse(job.request, refusal)
        }
    }

    private mutating func added(_ result: TagResult, _ job: TagJob) {
        guard case .add(let add) = job.tags else { return refuse(job.request, .unexpectedAnswer) }
        switch result {
        case .tagged: answer(job.request, .done(Done()))
        case .exists(let revision):
            refuse(
                job.request,
                RequestRefusal(.exists, "revision \(revision.value) of the document has this name already"))
        case .tooMany:
            refuse(
                job.request,
                RequestRefusal(
                    .tooLarge, "the document has \(Limits.tags) named revisions, and cannot have more"))
        case .refused(let refusal):
            refuse(job.request, RequestRefusal(refusal, "revision \(add.revision.value)", of: job.entry))
        }
    }

    private mutating func copied(_ result: CopyResult, _ job: TagJob) {
        switch result {
        case .copied(let entry):
            schedule(entry.id)
            answer(job.request, .done(Done()))
        case .exists: refuse(job.request, RequestRefusal(.exists, "another document has the new name"))
        case .tooLarge(let bytes):
            let message = "the texts of its named revisions make a history of over \(bytes) bytes"
            let advice = "at most \(limits.announced.line) are allowed; remove names of old revisions first"
            refuse(job.request, RequestRefusal(.tooLarge, "\(message); \(advice)"))
        case .changed:
            refuse(
                job.request,
                RequestRefusal(.overloaded, "the document's history was changed meanwhile; try again"))
        case .refused(let refusal): refuse(job.request, refusal)
        }
    }

    private mutating func send(_ tags: [Tag], _ job: TagJob) {
        // The requester may have lost the right to read during the call.
        if let refusal = refusal(of: job.request) { return refuse(job.request, refusal) }
        let items = tags.map { tag in
            TagList.Item(
                name: WireString(tag.name.text), revision: tag.revision, user: WireString(tag.user.string),
                time: Int(tag.time))
        }
        answer(job.request, .tags(TagList(document: job.tags.document, tags: items)))
    }
}

extension TagRequest {
    /// Whether the request changes nothing.
    var onlyReads: Bool {
        switch self {
        case .list: true
        case .add, .remove, .copy: false
        }
    }

    /// The name of a revision in the request.
    fileprivate var tag: WireString? {
        switch self {
        case .add(let add): add.name
        case .remove(let remove): remove.name
        case .list, .copy: nil
        }
    }
}

extension CopyDocument {
    /// The name of the copy. The connection has checked it.
    fileprivate var newName: DocumentName? { try? DocumentName(to.string) }
}

extension Limits.Announced {
    /// The edits of a revision that every client can read.
    fileprivate func edits(from old: TextBuffer, to new: TextBuffer) -> [LoggedEdit] {
        let change = ChangeWork.diff(from: old, to: new, atMost: edits).done()
        return change.joined(making: new, toBytes: serverList).logged(in: old)
    }
}
