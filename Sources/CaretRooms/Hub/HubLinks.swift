import CaretLog
import CaretWire

/// A request about links that is under way.
package struct LinkJob: Equatable, Sendable {
    let request: HubRequest
    let links: LinkRequest
}

/// Links to documents: tokens that the users of a document make for others.
extension HubState {
    mutating func begin(_ links: LinkRequest, _ request: HubRequest) {
        if case .add(let add) = links, !(1...Limits.linkSeconds ~= add.seconds) {
            let message =
                "seconds: \(add.seconds) is not allowed; a link lasts 1 to \(Limits.linkSeconds) seconds"
            return refuse(request, RequestRefusal(.badMessage, message))
        }
        lookUp(WaitingRequest(request: request))
    }

    /// The refusal if the requester may read the document with this name, but may not make links to it.
    func refusalOfLinks(to name: DocumentName, _ request: HubRequest) -> RequestRefusal? {
        if !limits.allowsLinks {
            return RequestRefusal(
                .forbidden, "this server makes no links; share_links in its configuration allows them")
        }
        if let refusal = refusalOfLinkUser(request, to: "make, list or end links") { return refusal }
        return access(request, to: name) < .write
            ? RequestRefusal(.forbidden, "links to the document need the right to write") : nil
    }

    /// The refusal if the requester has connected with a link.
    func refusalOfLinkUser(_ request: HubRequest, to action: String) -> RequestRefusal? {
        guard let joined = joinedConnections[request.connection], UserName.isOfLink(joined.identity.user)
        else { return nil }
        return RequestRefusal(.forbidden, "the user of a link may not \(action)")
    }

    mutating func perform(
        _ links: LinkRequest, _ request: HubRequest, on document: DocumentID, named name: DocumentName
    ) {
        let call: TokenCall =
            switch links {
            case .add(let add):
                .addLink(
                    to: document, named: name, add.rights == .write ? .write : .read,
                    expires: tokenTime + Int64(add.seconds) * 1_000, at: tokenTime)
            case .list(let list):
                .list(
                    linksTo: document, after: list.after.map { TokenID(Int64($0)) }, limit: list.limit,
                    weight: limits.pageBytes)
            case .end(let end): .revoke(TokenID(Int64(end.number)), linkTo: document)
            }
        self.call(.tokens(call), for: .links(LinkJob(request: request, links: links)))
    }

    mutating func advance(_ job: LinkJob, with answer: StoreAnswer) {
        let request = job.request
        switch (job.links, answer) {
        case (.add, .tokens(.added(.success(let text)))):
            self.answer(request, .admin(.tokenAdded(TokenAdded(text))))
        case (.list, .tokens(.listed(.success(let listing)))):
            // The requester may have lost the right to write during the call.
            if let refusal = refusal(of: request) { return refuse(request, refusal) }
            send(listing, request)
        case (.end(let end), .tokens(.revoked(nil))):
            self.answer(request, .done(Done()))
            grantsChanged(nil, of: TokenID(Int64(end.number)))
        case (.end, .tokens(.revoked(.gone?))):
            refuse(request, RequestRefusal(.notFound, "the document has no link with this number"))
        case (_, .tokens(.added(.failure(let refusal)))), (_, .tokens(.listed(.failure(let refusal)))),
            (_, .tokens(.revoked(let refusal?))):
            refuse(request, refusal)
        // The store gives no other answers to these calls.
        default: refuse(request, .unexpectedAnswer)
        }
    }

    /// The store has ended all links to a document. Ends their connections.
    mutating func linksEnded(to document: DocumentID) {
        for token in joinedConnections.tokens(of: UserName.ofLinks(to: document)).sorted() {
            grantsChanged(nil, of: token)
        }
    }
}

extension LinkRequest {
    /// Whether the request changes nothing.
    var onlyReads: Bool {
        switch self {
        case .list: true
        case .add, .end: false
        }
    }
}
