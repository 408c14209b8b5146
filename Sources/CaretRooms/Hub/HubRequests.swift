import CaretCore
import CaretLog
import CaretWire

/// Requests of connections, and how they reach the room of their document.
extension HubState {
    mutating func ask(_ request: HubRequest) {
        guard joinedConnections.isPresent(request.connection) else { return }
        if isStopping {
            refuse(request, .shuttingDown)
            return
        }
        switch request.question {
        case .authenticate(let identity): authenticate(request, as: identity)
        case .list(let list): begin(list, request)
        case .listDeleted(let list): begin(list, request)
        case .undelete(let undelete): begin(undelete, request)
        case .follow(let follow): begin(follow, request)
        case .unfollow: endFollowing(request)
        case .admin(let admin): begin(admin, request)
        case .tags(_, let tags): begin(tags, request)
        case .links(_, let links): begin(links, request)
        case .notes(_, let notes): begin(notes, request)
        case .open, .push, .read, .history, .blame, .rename, .delete, .redact:
            lookUp(WaitingRequest(request: request))
        }
    }

    /// What the requester may do with a document now.
    func access(_ request: HubRequest, to name: DocumentName) -> Access {
        access(request.connection, to: name)
    }

    func access(_ connection: ConnectionID, to name: DocumentName) -> Access {
        joinedConnections[connection]?.identity.grants.access(to: name) ?? .none
    }

    /// The refusal if the requester may not send this request. It does not depend on whether the document
    /// exists.
    func refusal(of request: HubRequest) -> RequestRefusal? {
        guard let (name, _) = request.question.document else { return nil }
        if case .redact = request.question { return adminRefusal(of: request) }
        let access = access(request, to: name)
        if access < .read { return .notFound }
        switch request.question {
        case .authenticate, .open, .push, .read, .history, .blame, .redact, .list, .listDeleted, .undelete,
            .follow, .unfollow, .admin:
            return nil
        case .tags(let name, let tags): return refusal(of: tags, on: name, request)
        case .links(let name, _): return refusalOfLinks(to: name, request)
        case .notes(let name, let notes): return refusal(of: notes, on: name, request)
        case .delete:
            if let refusal = refusalOfLinkUser(request, to: "delete the document") { return refusal }
            return access < .write
                ? RequestRefusal(.forbidden, "deleting the document needs the right to write") : nil
        case .rename(_, let to, _):
            if access < .write {
                return RequestRefusal(.forbidden, "renaming the document needs the right to write")
            }
            return refusal(ofNewName: to, request)
        }
    }

    /// The refusal if the requester may not give this name to a document.
    func refusal(ofNewName to: DocumentName, _ request: HubRequest) -> RequestRefusal? {
        if access(request, to: to) < .write {
            return RequestRefusal(.forbidden, "you need the right to write documents with the new name")
        }
        return to.newNameFault.map { RequestRefusal(.badName, "to: the name \($0.problem)") }
    }

    /// Finds the document that a request is about.
    mutating func lookUp(_ waiting: WaitingRequest) {
        let request = waiting.request
        guard joinedConnections.isPresent(request.connection), let (name, _) = request.question.document
        else {
            return
        }
        if let refusal = refusal(of: request) { return refuse(request, refusal) }
        if waiting.attempts >= WaitingRequest.mostAttempts {
            return refuse(request, RequestRefusal(.overloaded, "the document is being renamed; try again"))
        }
        if !sharesStore, let document = names[name] {
            rooms[document]?.waiting.append(waiting)
            return serve(document)
        }
        if request.question.opensRoom, names[name] == nil {
            open(waiting)
        } else if !sharesStore, openings[name] != nil {
            openings[name]?.append(waiting)
        } else {
            find(waiting)
        }
    }

    /// Looks up the document of a request in the store, with all that its room needs. Of several such requests for a
    /// name, only the first one calls the store, and the others are looked up after it.
    private mutating func open(_ waiting: WaitingRequest) {
        guard let (name, _) = waiting.request.question.document,
            let pusher = joinedConnections[waiting.request.connection]?.pusher
        else { return }
        if openings[name] != nil {
            openings[name]?.append(waiting)
            return
        }
        var waiting = waiting
        waiting.first = nil
        waiting.isOpening = true
        openings[name] = []
        // Other servers could change what a room knows of pushers.
        let pushers = sharesStore ? 0 : KnownPushers.mostWithoutHolder
        call(.open(name, by: pusher, pushers: pushers), for: .lookUp(waiting))
    }

    /// Looks up the document of a request in the store.
    private mutating func find(_ waiting: WaitingRequest) {
        guard let (name, _) = waiting.request.question.document else { return }
        var waiting = waiting
        waiting.first = nil
        call(.find(name), for: .lookUp(waiting))
    }

    /// Creates the missing document of a request. If the request is a push, its text is the first revision.
    private mutating func create(_ waiting: WaitingRequest) {
        var waiting = waiting
        let request = waiting.request
        guard joinedConnections.isPresent(request.connection), let (name, _) = request.question.document
        else { return }
        if let refusal = refusal(of: request) ?? refusalToCreate(name, request) {
            return refuse(request, refusal)
        }
        if case .push(_, let push, _) = request.question {
            do throws(RequestRefusal) {
                waiting.first = try FirstPush(push, at: now, limits: limits.announced)
            } catch {
                return refuse(request, error)
            }
        }
        call(.create(name, waiting.first?.history, at: now), for: .lookUp(waiting))
    }

    /// Why a request may not create a document; nil if it may.
    private func refusalToCreate(_ name: DocumentName, _ request: HubRequest) -> RequestRefusal? {
        if access(request, to: name) < .write {
            return RequestRefusal(.forbidden, "creating the document needs the right to write")
        }
        return name.newNameFault.map { RequestRefusal(.badName, "the name \($0.problem)") }
    }

    /// A room has resolved all pushes that a connection had sent before its read. The log contains them now.
    mutating func pushesResolved(of connection: ConnectionID) {
        guard let request = waitingReads.removeValue(forKey: connection) else { return }
        if let refusal = refusal(of: request) {
            refuse(request, refusal)
        } else {
            find(WaitingRequest(request: request, isAfterPushes: true))
        }
    }

    /// The store has answered the lookup of a request's document.
    mutating func lookedUp(_ waiting: WaitingRequest, _ answer: StoreAnswer) {
        var (waiting, others) = (waiting, [WaitingRequest]())
        if waiting.isOpening, let (name, _) = waiting.request.question.document {
            others = openings.removeValue(forKey: name) ?? []
            waiting.isOpening = false
        }
        found(answer, for: waiting)
        for other in others { lookUp(other) }
    }

    private mutating func found(_ answer: StoreAnswer, for waiting: WaitingRequest) {
        if case .created(.created(let entry)) = answer {
            schedule(entry.id)
            // The push is committed, whatever has become of the document since.
            if let first = waiting.first { return self.answer(waiting.request, .ack(first.ack(in: entry))) }
        }
        if waiting.isOutdated { return lookUpAgain(waiting) }
        switch answer {
        case .loaded(.success(let loaded)): perform(waiting, on: loaded.entry, loaded)
        case .created(.created(let entry)):
            var empty = LoadedDocument(entry, Snapshot(revision: 0, text: TextBuffer()))
            empty.pushers = []
            perform(waiting, on: entry, empty)
        case .found(.success(let entry)): perform(waiting, on: entry)
        case .created(.exists): lookUpAgain(waiting)
        case .found(.failure(.gone)) where waiting.request.question.creates,
            .loaded(.failure(.gone)) where waiting.request.question.creates:
            create(waiting)
        case .found(.failure(let refusal)), .loaded(.failure(let refusal)), .created(.refused(let refusal)):
            refuse(waiting.request, refusal)
        // The store gives no other answer to this call.
        default: refuse(waiting.request, .unexpectedAnswer)
        }
    }

    /// Looks the document up again, because the hub has learned of a newer change of the name.
    private mutating func lookUpAgain(_ waiting: WaitingRequest) {
        var waiting = waiting
        waiting.isOutdated = false
        waiting.attempts += 1
        lookUp(waiting)
    }

    /// Marks the lookups of a name as outdated, because their answers may be older than what the hub knows. The lookups
    /// are repeated.
    mutating func outdateLookUps(of name: DocumentName) { outdateLookUps { $0 == name } }

    mutating func outdateLookUps(where isOutdated: (DocumentName) -> Bool) {
        for (id, call) in calls {
            guard case .lookUp(var waiting) = call, let name = waiting.request.question.document?.name,
                isOutdated(name)
            else { continue }
            waiting.isOutdated = true
            calls[id] = .lookUp(waiting)
        }
    }

    /// Performs a request. `loaded` is the document, if the store was called to open it.
    private mutating func perform(
        _ waiting: WaitingRequest, on entry: DocumentEntry, _ loaded: LoadedDocument? = nil
    ) {
        let request = waiting.request
        guard joinedConnections.isPresent(request.connection) else { return }
        if let refusal = refusal(of: request) { return refuse(request, refusal) }
        if sharesStore {
            learn(entry)
            if request.question.readsAfterPushes, !waiting.isAfterPushes, join(waiting, entry.id) { return }
        }
        switch request.question {
        case .read(_, let read): begin(read, request, entry)
        case .history(_, let history): begin(history, request, entry)
        case .blame(_, let blame): begin(blame, request, entry)
        case .open, .push:
            if join(waiting, entry.id) { return }
            // The document that had a room has lost its name to this one, at another server.
            guard let loaded else { return open(waiting) }
            makeRoom(loaded, for: request)
        case .rename(_, let to, _):
            if join(waiting, entry.id) { return }
            change(entry, request, .rename(entry.id, to: to))
        case .delete:
            if join(waiting, entry.id) { return }
            change(entry, request, .delete(entry.id, at: now))
        case .redact(_, let redaction, _):
            if redaction.isDryRun { return call(.redact(entry.id, redaction), for: .dryRun(request)) }
            if join(waiting, entry.id) { return }
            change(entry, request, .redact(entry.id, redaction))
        case .tags(_, let tags): perform(tags, request, on: entry)
        case .links(_, let links): perform(links, request, on: entry.id, named: entry.name)
        case .notes(_, let notes): perform(notes, request, on: entry)
        case .authenticate, .list, .listDeleted, .undelete, .follow, .unfollow, .admin:
            refuse(request, .unexpectedAnswer)
        }
    }

    /// Makes a request wait for an existing room. Returns false if there is none.
    private mutating func join(_ waiting: WaitingRequest, _ document: DocumentID) -> Bool {
        guard rooms[document] != nil else { return false }
        rooms[document]?.waiting.append(waiting)
        serve(document)
        return true
    }

    private mutating func change(_ entry: DocumentEntry, _ request: HubRequest, _ change: StoreCall) {
        rooms[entry.id] = HubRoom(entry, .changingInStore)
        assign(entry.name, to: entry.id)
        call(change, for: .change(entry.id, request))
    }
}

extension HubRequest.Question {
    /// Whether the document needs a room.
    var opensRoom: Bool {
        switch self {
        case .open, .push: true
        case .authenticate, .read, .history, .blame, .tags, .links, .notes, .rename, .delete, .redact, .list,
            .listDeleted, .undelete, .follow, .unfollow, .admin:
            false
        }
    }

    /// Whether the answer must contain what the connection has pushed before.
    var readsAfterPushes: Bool {
        switch self {
        case .read, .history, .blame, .tags, .notes: true
        case .authenticate, .open, .push, .links, .rename, .delete, .redact, .list, .listDeleted, .undelete,
            .follow, .unfollow, .admin:
            false
        }
    }

    /// Whether the request creates its document if that is missing. A push with an epoch is about a document
    /// that the client has seen, so it creates none.
    var creates: Bool {
        switch self {
        case .open(_, _, let creates): creates
        case .push(_, let push, let creates): creates && push.epoch == nil
        case .authenticate, .read, .history, .blame, .rename, .delete, .redact, .tags, .links, .notes, .list,
            .listDeleted, .undelete, .follow, .unfollow, .admin:
            false
        }
    }
}
