import CaretCore
package import CaretLog
import CaretWire

/// A `list_deleted` or an `undelete` that is under way.
package enum TrashJob: Equatable, Sendable {
    case list(DeletedListJob)
    /// The name of the document is looked up, because the right to write it is needed.
    case find(HubRequest, DocumentID)
    case undelete(HubRequest)
}

package struct DeletedListJob: Equatable, Sendable {
    let request: HubRequest
    let list: ListDeleted
    /// The last document that the store has returned, whether the client may write it or not.
    var after: DocumentID?
    var page = AnswerPage<DeletedDocument>()
}

/// Listing deleted documents, and bringing them back.
extension HubState {
    mutating func begin(_ list: ListDeleted, _ request: HubRequest) {
        if let refusal = refusalToSeeTrash(request) { return refuse(request, refusal) }
        let after = list.after.map { DocumentID(Int64($0)) }
        proceed(DeletedListJob(request: request, list: list, after: after))
    }

    mutating func begin(_ undelete: Undelete, _ request: HubRequest) {
        if let refusal = refusalToSeeTrash(request) { return refuse(request, refusal) }
        let document = DocumentID(Int64(undelete.number))
        let before = DocumentID(document.value - 1)
        call(.deleted(prefix: "", after: before, limit: 1), for: .trash(.find(request, document)))
    }

    /// A link must not show earlier documents that had the same name.
    private func refusalToSeeTrash(_ request: HubRequest) -> RequestRefusal? {
        refusalOfLinkUser(request, to: "list deleted documents or bring them back")
    }

    mutating func advance(_ job: TrashJob, with answer: StoreAnswer) {
        switch (job, answer) {
        case (.list(let job), .listed(.success(let listing))): advance(job, with: listing)
        case (.find(let request, let document), .listed(.success(let listing))):
            found(listing, document, request)
        case (.undelete(let request), .undeleted(let undeletion)): undeleted(undeletion, request)
        case (_, .listed(.failure(let refusal))): refuse(job.request, refusal)
        // The store gives no other answers to these calls.
        default: refuse(job.request, .unexpectedAnswer)
        }
    }

    // MARK: Listing

    /// How many documents the store returns at a time. It does not depend on the limit of the request, because most
    /// of the documents may be hidden from the client.
    private static let deletedAtOnce = 1_000

    private mutating func proceed(_ job: DeletedListJob) {
        let prefix = ByteString(job.list.prefix)
        call(
            .deleted(prefix: prefix, after: job.after, limit: HubState.deletedAtOnce), for: .trash(.list(job))
        )
    }

    private mutating func advance(_ job: DeletedListJob, with listing: Listing) {
        guard let unit = joinedConnections[job.request.connection]?.unit else { return }
        var job = job
        for entry in listing.entries where access(job.request, to: entry.name) >= .write {
            let document = DeletedDocument(entry, in: unit)
            let bytes = document.encodedBytes
            if !job.page.add(document, of: bytes, atMost: job.list.limit, within: limits.pageBytes) {
                return send(job)
            }
        }
        // If a page has no entries, there is no last document after which the next page could begin.
        guard let last = listing.entries.last, listing.hasMore else { return send(job) }
        job.after = last.id
        proceed(job)
    }

    private mutating func send(_ job: DeletedListJob) {
        let page = job.page
        answer(job.request, .deleted(DeletedDocuments(page.items, hasMore: page.hasMore)))
    }

    // MARK: Undeleting

    private mutating func found(_ listing: Listing, _ document: DocumentID, _ request: HubRequest) {
        guard let entry = listing.entries.first, entry.id == document,
            access(request, to: entry.name) >= .write
        else { return refuse(request, .notDeleted) }
        // The room of the deleted document refuses everything. It is dropped once its last session has ended.
        if let room = rooms[document], room.name == nil {
            let message = "the server is still closing the deleted document; try again"
            return refuse(request, RequestRefusal(.overloaded, message))
        }
        call(.undelete(document), for: .trash(.undelete(request)))
    }

    private mutating func undeleted(_ undeletion: UndeleteResult, _ request: HubRequest) {
        switch undeletion {
        case .undeleted(let entry):
            schedule(entry.id)
            answer(request, .done(Done()))
        case .exists:
            let message = "another document has this name now; rename that document first"
            refuse(request, RequestRefusal(.exists, message))
        case .live, .refused(.gone): refuse(request, .notDeleted)
        case .refused(let refusal): refuse(request, refusal)
        }
    }
}

extension TrashJob {
    var request: HubRequest {
        switch self {
        case .list(let job): job.request
        case .find(let request, _), .undelete(let request): request
        }
    }

    /// Whether nothing has been changed yet.
    var onlyReads: Bool {
        switch self {
        case .list, .find: true
        case .undelete: false
        }
    }
}

extension RequestRefusal {
    /// Also the answer about documents that the client may not write, so that it does not notice them.
    fileprivate static let notDeleted = RequestRefusal(
        .notFound, "there is no deleted document with this number")
}

extension DeletedDocument {
    fileprivate init(_ entry: DocumentEntry, in unit: CodeUnit) {
        self.init(
            number: Int(entry.id.value), document: WireString(entry.name.description), revision: entry.head,
            length: entry.length.count(of: unit), updated: Int(entry.updated),
            deleted: Int(entry.deleted ?? 0))
    }

    /// The encoded size of one entry in a page.
    fileprivate var encodedBytes: Int {
        DeletedDocuments([self]).encodedBytes - DeletedDocuments([]).encodedBytes
    }
}
