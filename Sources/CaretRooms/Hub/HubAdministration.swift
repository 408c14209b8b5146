import CaretCore
import CaretLog
import CaretWire

/// An administrator's request that is under way.
package struct AdminJob: Equatable, Sendable {
    let admin: AdminRequest
    let request: HubRequest
    /// The document in the request, once the store has found it.
    var entry: DocumentEntry?

    /// Whether the store is still looking up the document. Until it has found it, nothing else is done.
    var looksUp: Bool {
        switch admin {
        case .trim, .verify: entry == nil
        case .listTokens, .addToken, .revokeToken, .signOut, .counters, .who, .listNodes, .redact, .backUp:
            false
        }
    }
}

/// Requests of administrators: users who may administer all documents.
extension HubState {
    mutating func begin(_ admin: AdminRequest, _ request: HubRequest) {
        if let refusal = adminRefusal(of: request) { return refuse(request, refusal) }
        let job = AdminJob(admin: admin, request: request)
        switch admin {
        case .listTokens, .addToken, .revokeToken: beginTokens(job)
        case .signOut(let signOut): begin(signOut, request)
        case .counters: administer(.counters, for: .admin(job))
        case .listNodes: administer(.nodes(load), for: .admin(job))
        case .who(let who): answer(request, .admin(.present(present(who))))
        case .trim(let trim): find(trim.document, for: job)
        case .redact(let redact): begin(redact, request)
        case .verify(let verify):
            if let document = verify.document {
                find(document, for: job)
            } else {
                beginMaintenance(.verify(nil), job)
            }
        case .backUp:
            if sharesStore { return refuse(request, .databaseHasBackups) }
            beginMaintenance(.backUp(at: now), job)
        }
    }

    /// The refusal if the requester may not administer the server; otherwise nil.
    func adminRefusal(of request: HubRequest) -> RequestRefusal? {
        if joinedConnections[request.connection]?.identity.grants.isForServer == true { return nil }
        return .notAdmin
    }

    mutating func advance(_ job: AdminJob, with answer: StoreAnswer) {
        // The requester may have lost the right to administer the server during the call.
        if let refusal = adminRefusal(of: job.request), !job.admin.isDone(by: answer) {
            return refuse(job.request, refusal)
        }
        switch answer {
        case .tokens(let answer): advance(job, with: answer)
        case .found(.success(let entry)): found(entry, for: job)
        case .found(.failure(let refusal)): refuse(job.request, refusal)
        case .trimmed(let trimming): trimmed(trimming, job)
        // The store gives no other answer to this call.
        default: refuse(job.request, .unexpectedAnswer)
        }
    }

    /// Handles the server's answer to a call.
    mutating func administered(_ id: CallID, _ answer: AdminCallAnswer) {
        switch calls.removeValue(forKey: id) {
        case .maintenance(let request): maintenanceAnswered(answer, for: request)
        case .admin(let job): advance(job, with: answer)
        // The server gets no other call.
        default: break
        }
    }

    private mutating func advance(_ job: AdminJob, with answer: AdminCallAnswer) {
        // The requester may have lost the right to administer the server during the call.
        if let refusal = adminRefusal(of: job.request) { return refuse(job.request, refusal) }
        switch answer {
        case .counted(let counted): self.answer(job.request, .admin(.counted(counted)))
        case .nodes(.success(let nodes)): self.answer(job.request, .admin(.nodes(nodes)))
        case .nodes(.failure(let refusal)): refuse(job.request, refusal)
        case .verified, .backedUp: refuse(job.request, .unexpectedAnswer)
        }
    }

    private mutating func find(_ document: WireString, for job: AdminJob) {
        do throws(DocumentName.Fault) {
            call(.find(try DocumentName(document.string)), for: .admin(job))
        } catch {
            refuse(job.request, RequestRefusal(.badName, "the name \(error.problem)"))
        }
    }

    private mutating func found(_ entry: DocumentEntry, for job: AdminJob) {
        switch job.admin {
        case .trim(let trim): begin(trim, job, entry)
        case .verify: beginMaintenance(.verify(entry.id), job)
        case .listTokens, .addToken, .revokeToken, .signOut, .counters, .who, .listNodes, .redact, .backUp:
            refuse(job.request, .unexpectedAnswer)
        }
    }

    // MARK: Connections

    private func present(_ who: Who) -> ConnectionPage {
        let all = joinedConnections.connections.lazy.filter {
            Int($0.value) > who.after ?? -1 && joinedConnections.isPresent($0)
        }
        let page = AnswerPage(
            of: all.compactMap { summary(of: $0) }, atMost: who.limit, within: limits.pageBytes,
            \.encodedBytes)
        return ConnectionPage(page.items, hasMore: page.hasMore)
    }

    private func summary(of connection: ConnectionID) -> ConnectionSummary? {
        guard let joined = joinedConnections[connection] else { return nil }
        let name = { (session: SessionID) in
            sessions[session].flatMap { rooms[$0]?.name }.map { WireString($0.description) }
        }
        return ConnectionSummary(
            number: Int(connection.value), user: WireString(joined.pusher.user.string),
            client: publicClient(joined.pusher), peer: joined.peer, since: Int(joined.since),
            documents: joined.sessions.compactMap(name),
            behind: joined.sessions.filter { slowSessions.contains($0) }.compactMap(name))
    }

    // MARK: Trimming

    private mutating func begin(_ trim: Trim, _ job: AdminJob, _ entry: DocumentEntry) {
        if trim.revision > entry.head {
            let what = "revision \(trim.revision.value)"
            return refuse(job.request, RequestRefusal(.ahead(head: entry.head), what, of: entry))
        }
        if trim.isDryRun || trim.revision <= entry.start {
            let forgotten = max(0, trim.revision.value - entry.start.value)
            let answer = Trimmed(
                document: trim.document, start: max(trim.revision, entry.start), revisions: forgotten,
                isDryRun: trim.isDryRun)
            return self.answer(job.request, .admin(.trimmed(answer)))
        }
        call(
            .trim(entry.id, through: trim.revision),
            for: .admin(AdminJob(admin: job.admin, request: job.request, entry: entry)))
    }

    private mutating func trimmed(_ trimming: TrimResult, _ job: AdminJob) {
        guard case .trim(let trim) = job.admin, let entry = job.entry else {
            return refuse(job.request, .unexpectedAnswer)
        }
        switch trimming {
        case .trimmed(let start):
            notifyTrimmed(entry, start)
            let answer = Trimmed(
                document: trim.document, start: start, revisions: start.value - entry.start.value)
            self.answer(job.request, .admin(.trimmed(answer)))
        case .refused(let refusal):
            let what = "revision \(trim.revision.value)"
            refuse(job.request, RequestRefusal(refusal, what, of: entry))
        }
    }
}

extension HubState {
    /// Makes a document's room forget the trimmed history, before the requester gets the answer.
    private mutating func notifyTrimmed(_ entry: DocumentEntry, _ start: Revision) {
        // A lookup under way may return the old start of the history.
        for name in [entry.name, rooms[entry.id]?.name].compactMap(\.self) { outdateLookUps(of: name) }
        guard let room = rooms[entry.id] else { return }
        rooms[entry.id]?.start = max(room.start, start)
        switch room.state {
        case .open, .runningOrder: emit(.sendToRoom(entry.id, .trimmed(start: start)))
        case .dropping: rooms[entry.id]?.missedTrim = start
        case .changingInStore: break
        }
    }
}

extension AdminRequest {
    /// Whether the answer reports that a change was made. Such an answer is sent even if the requester has
    /// lost the right to administer the server by then.
    fileprivate func isDone(by answer: StoreAnswer) -> Bool {
        switch answer {
        case .tokens(.added), .tokens(.revoked), .trimmed: true
        default: false
        }
    }

    /// Whether the request changes nothing.
    var onlyReads: Bool {
        switch self {
        case .listTokens, .counters, .who, .listNodes, .verify: true
        case .trim(let trim): trim.isDryRun
        case .redact(let redact): redact.isDryRun
        case .addToken, .revokeToken, .signOut, .backUp: false
        }
    }
}
