import CaretCore
import CaretLog
import CaretWire

/// A request about tags that is under way.
package struct TagJob: Equatable, Sendable {
    let request: HubRequest
    let tags: TagRequest
    let entry: DocumentEntry
}

/// The names of revisions.
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
        }
    }

    mutating func perform(_ tags: TagRequest, _ request: HubRequest, on entry: DocumentEntry) {
        guard let call = call(for: tags, request, entry) else { return refuse(request, .unexpectedAnswer) }
        self.call(.tags(call), for: .tags(TagJob(request: request, tags: tags, entry: entry)))
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
        }
    }

    mutating func advance(_ job: TagJob, with answer: StoreAnswer) {
        guard case .tags(let answer) = answer else { return refuse(job.request, .unexpectedAnswer) }
        switch answer {
        case .added(let result): added(result, job)
        case .removed(.success(true)): self.answer(job.request, .done(Done()))
        case .removed(.success(false)):
            refuse(job.request, RequestRefusal(.notFound, "no revision of the document has this name"))
        case .listed(.success(let tags)): send(tags, job)
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
        case .add, .remove: false
        }
    }

    /// The name of a revision in the request.
    fileprivate var tag: WireString? {
        switch self {
        case .add(let add): add.name
        case .remove(let remove): remove.name
        case .list: nil
        }
    }
}
